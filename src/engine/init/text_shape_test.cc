#include "engine/init/text_shape.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fmt/core.h"

namespace pentimento::text_shape_test {
namespace {

const std::vector<std::string> kMissing = {"?", "NA"};

TextShape ShapeOf(const std::vector<std::string>& texts) {
  TextShape shape(kMissing);
  for (const std::string& text : texts) shape.Add(text, 1);
  return shape;
}

TEST(TextShape, NumbersAreNumbersUntilOneTextIsNone) {
  EXPECT_TRUE(ShapeOf({"1", "-20", "3.50"}).IsNumeric('.'));
  EXPECT_EQ(ShapeOf({"1", "-20", "3.50"}).decimals(), 1);
  EXPECT_EQ(ToString(ShapeOf({"1", "-20", "3.50"}).smallest()), "-20");
  EXPECT_EQ(ToString(ShapeOf({"1", "-20", "3.50"}).largest()), "3.5");
  EXPECT_FALSE(ShapeOf({"1", "x"}).IsNumeric('.'));
  EXPECT_FALSE(ShapeOf({}).IsNumeric('.'));
}

TEST(TextShape, ACommaIsADecimalPointOnlyWhereNoPointIs) {
  EXPECT_TRUE(ShapeOf({"1,5", "2"}).needs_comma());
  EXPECT_FALSE(ShapeOf({"1", "2"}).needs_comma());
  EXPECT_FALSE(ShapeOf({"1,5", "2.5"}).IsNumeric(','));
  EXPECT_FALSE(ShapeOf({"1,5", "2.5"}).IsNumeric('.'));
}

TEST(TextShape, MissingTextsAreCountedWithBlanksAroundThem) {
  TextShape shape = ShapeOf({" ?", "NA", "", "nan", "x"});
  EXPECT_EQ(shape.present(), 2U);
  EXPECT_EQ(shape.missing_texts().at("?"), 1U);
  EXPECT_EQ(shape.missing_texts().at(""), 1U);
  EXPECT_TRUE(shape.has_blanks_around());
  EXPECT_FALSE(shape.Add("NA", 3));
  EXPECT_EQ(shape.missing_texts().at("NA"), 4U);
}

TEST(TextShape, DigitsWithZerosInFrontAreCodes) {
  EXPECT_TRUE(ShapeOf({"01234", "99999"}).is_code());
  EXPECT_TRUE(ShapeOf({"01234", "99999"}).has_leading_zeros());
  EXPECT_FALSE(ShapeOf({"01234", "9999"}).is_code());
  EXPECT_FALSE(ShapeOf({"0", "9"}).has_leading_zeros());
}

TEST(TextShape, DatesAreDatesOnlyIfEachDayExists) {
  EXPECT_EQ(ShapeOf({"2024-02-29", "1999-12-31"}).DateForms(), std::vector<std::size_t>{0});
  EXPECT_EQ(ShapeOf({"2024-02-29"}).first_year(), 2024);
  EXPECT_TRUE(ShapeOf({"2023-02-29"}).DateForms().empty());
  EXPECT_TRUE(ShapeOf({"1900-02-29"}).DateForms().empty());
  EXPECT_TRUE(ShapeOf({"2000-13-01"}).DateForms().empty());
  EXPECT_TRUE(ShapeOf({"2000-01-01", "soon"}).DateForms().empty());
}

TEST(TextShape, NobodyKnowsWhichIsTheMonthWhereNoDayIsAboveTwelve) {
  EXPECT_EQ(ShapeOf({"01/02/2020", "3/4/2021"}).DateForms(), (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(ShapeOf({"01/02/2020", "13/4/2021"}).DateForms(), std::vector<std::size_t>{2});
  EXPECT_EQ(ShapeOf({"01/02/2020", "3/14/2021"}).DateForms(), std::vector<std::size_t>{3});
}

TEST(TextShape, PointsInTimeAreDatesWhereTheirDayIsKnown) {
  EXPECT_EQ(ShapeOf({"2026-01-02 10:30", "2026-01-02T23:59:59Z", "2026-01-03"}).DateForms(),
            std::vector<std::size_t>{0});
  EXPECT_TRUE(ShapeOf({"2026-01-02 10:75"}).DateForms().empty());
  EXPECT_TRUE(ShapeOf({"2026-01-02 10:30+05:00"}).DateForms().empty());
}

TEST(DistinctSketch, IsExactForFewAndNearForMany) {
  DistinctSketch few, many;
  for (int i = 0; i < 3000; ++i) few.Add(fmt::format("{}", i % 1000));
  EXPECT_EQ(few.Estimate(), 1000U);
  for (int i = 0; i < 400'000; ++i) many.Add(fmt::format("{}", i % 200'000));
  EXPECT_NEAR(static_cast<double>(many.Estimate()), 200'000, 20'000);
}

}  // namespace
}  // namespace pentimento::text_shape_test
