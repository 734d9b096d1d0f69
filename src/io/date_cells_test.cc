#include "io/date_cells.h"

#include <gtest/gtest.h>

#include <cstring>

namespace pentimento::date_cells_test {
namespace {

const CellType kText{"u"};

DayRange Range(std::string_view first, std::string_view last) {
  return {ParseDay(first).value(), ParseDay(last).value()};
}

template <typename Number>
std::optional<Code> CodeOf(const DateCells& cells, Number number, const CellType& type) {
  return cells.CodeOf({reinterpret_cast<const char*>(&number), sizeof number}, type);
}

TEST(DateCells, AreNumberedFromTheFirstDayOfTheDomain) {
  const DateCells cells(Range("1899-12-31", "2024-02-29"), DateForm());
  EXPECT_EQ(cells.CodeOf("1899-12-31", kText), 0U);
  EXPECT_EQ(cells.CodeOf("1900-02-28", kText), 59U);
  EXPECT_EQ(cells.CodeOf("1900-03-01", kText), 60U);  // 1900 was no leap year
  EXPECT_EQ(cells.CodeOf("2024-02-29", kText), 45'350U);
  for (const char* text : {"1899-12-30", "2024-03-01", "1900-02-29", "", "soon", "29/02/2024"})
    EXPECT_FALSE(cells.CodeOf(text, kText)) << text;
}

TEST(DateCells, OfParquetAreReadWhateverTheFormOfTexts) {
  const DateCells cells(Range("1960-01-01", "2024-12-31"), DateForm::Parse("%d/%m/%Y").value());
  const CellType day{"tdD", 4}, milliseconds{"tdm", 8}, seconds{"tss:", 8}, micros{"tsu:UTC", 8};
  EXPECT_EQ(CodeOf(cells, std::int32_t{-1}, day), 3'652U);  // 1969-12-31
  EXPECT_EQ(CodeOf(cells, std::int64_t{-86'400'000}, milliseconds), 3'652U);
  EXPECT_EQ(CodeOf(cells, std::int64_t{-1}, seconds), 3'652U);
  EXPECT_EQ(CodeOf(cells, std::int64_t{1}, micros), 3'653U);
  EXPECT_FALSE(CodeOf(cells, std::int32_t{-3'653 - 1}, day));
  EXPECT_EQ(cells.CodeOf("31/12/1969", kText), 3'652U);
  EXPECT_FALSE(cells.CodeOf("1969-12-31", kText));
}

TEST(DateCells, TellTheCauseAndNoValue) {
  const DateCells cells(Range("1960-01-01", "2024-12-31"), DateForm::Parse("%d/%m/%Y").value());
  const auto fault = [&](std::string_view text) { return std::string(cells.FaultOf(text, kText)); };
  const auto expect = [&](std::string_view text, std::string_view cause) {
    EXPECT_NE(fault(text).find(cause), std::string::npos) << fault(text);
    EXPECT_EQ(fault(text).find(text), std::string::npos) << fault(text);
  };
  expect("1969-12-31", "looks like a date in another form: the policy says %d/%m/%Y");
  expect("30/02/2001", "does not exist");
  expect("31/12/1959", "outside the declared domain");
  expect("31/12/69", "two digits");
  expect("31/12/1969 10:00-05:00", "offset from UTC");
  expect("gestern", "is no date of the form %d/%m/%Y");
}

TEST(DateCells, OfAnotherTimeZoneHaveNoDay) {
  for (const char* format : {"tsu:", "tsu:UTC", "tsn:Z", "tss:+00:00", "tdD", "tdm", "u", "l"})
    EXPECT_FALSE(HasForeignZone({format, 8})) << format;
  for (const char* format : {"tsu:Europe/Vienna", "tss:+01:00", "tsm:America/New_York"})
    EXPECT_TRUE(HasForeignZone({format, 8})) << format;
}

}  // namespace
}  // namespace pentimento::date_cells_test
