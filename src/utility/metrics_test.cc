#include "utility/metrics.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "base/parallel.h"
#include "base/random.h"

namespace pentimento::metrics_test {
namespace {

std::vector<Domain> AgeAndJob() {
  const auto taxonomy = Taxonomy::Parse("a;ab;*\nb;ab;*\nc;cd;*\nd;cd;*\n", "test").value();
  return {Domain(NumericRange{0, 10, 0, {}}, false), Domain(std::make_shared<const Taxonomy>(taxonomy), false)};
}

// Three classes of 3, 1 and 2 rows: groups 0 and 2 have one box, group 4 has no rows.
Classes SixRows() {
  return {.columns = 2,
          .boxes = {{0, 5}, {0, 1}, {3, 3}, {2, 2}, {0, 5}, {0, 1}, {0, 10}, {0, 3}, {0, 10}, {0, 1}},
          .of_row = {0, 1, 2, 3, 3, 2}};
}

TEST(Metrics, CountsClassesByWhatIsPublished) {
  const Metrics metrics = Measure(SixRows(), AgeAndJob(), 1);
  EXPECT_EQ(metrics.rows, 6U);
  EXPECT_EQ(metrics.classes, 3U);
  EXPECT_EQ(metrics.smallest_class, 1U);
  EXPECT_EQ(metrics.largest_class, 3U);
  EXPECT_TRUE(metrics.discernibility == 9 + 1 + 4);
}

TEST(Metrics, GroupsWithNumbersAreClassesAlsoWhereBoxesAreEqual) {
  const Metrics metrics = MeasureNumbered(SixRows(), AgeAndJob(), 1);
  EXPECT_EQ(metrics.classes, 4U);
  EXPECT_EQ(metrics.smallest_class, 1U);
  EXPECT_EQ(metrics.largest_class, 2U);
  EXPECT_TRUE(metrics.discernibility == 1 + 1 + 4 + 4);
  EXPECT_DOUBLE_EQ(metrics.c_avg.value(), 1.5);
  EXPECT_DOUBLE_EQ(metrics.ncp_percent, Measure(SixRows(), AgeAndJob(), 1).ncp_percent);
}

TEST(Metrics, WhoIsAloneInAClassIsCountedByPeople) {
  Metrics metrics = Measure(SixRows(), AgeAndJob(), 1);
  EXPECT_EQ(metrics.alone, 1U);
  EXPECT_EQ(MeasureNumbered(SixRows(), AgeAndJob(), 1).alone, 2U);
  // The classes are {0, 2, 5}, {1} and {3, 4}: two rows of one person do not hide each other.
  TellAlone(metrics, SixRows(), {.person_of_row = {0, 1, 2, 3, 3, 4}, .count = 5});
  EXPECT_EQ(metrics.alone, 2U);
  // Somebody who is alone in two classes is one person; who has company in one class may be alone in another.
  TellAlone(metrics, SixRows(), {.person_of_row = {0, 1, 0, 1, 1, 0}, .count = 2});
  EXPECT_EQ(metrics.alone, 2U);
  TellAlone(metrics, SixRows(), {.person_of_row = {0, 0, 1, 0, 1, 1}, .count = 2});
  EXPECT_EQ(metrics.alone, 1U);
}

TEST(Metrics, ClassesWithASingleValueAreCountedByWhatIsPublished) {
  // The classes are {0, 2, 5}, {1} and {3, 4}.
  const auto count = [](const std::vector<Code>& values, std::optional<Code> no_value = std::nullopt) {
    CodeColumn column(4);
    column.VisitMutable([&](auto& codes) {
      for (const Code value : values) codes.push_back(static_cast<std::remove_reference_t<decltype(codes[0])>>(value));
    });
    const SingleValued found = CountSingleValued(SixRows(), column, no_value);
    return std::pair(found.classes, found.rows);
  };
  using Counts = std::pair<std::uint64_t, std::uint64_t>;
  EXPECT_EQ(count({0, 1, 1, 2, 3, 0}), Counts(1, 1));
  EXPECT_EQ(count({1, 1, 1, 2, 2, 1}), Counts(3, 6));
  // A row without a value hides nobody, and a class without any tells nothing.
  EXPECT_EQ(count({1, 3, 3, 3, 2, 1}, Code{3}), Counts(2, 3));
}

TEST(Metrics, AverageClassIsMeasuredInK) {
  EXPECT_DOUBLE_EQ(Measure(SixRows(), AgeAndJob(), 1).c_avg.value(), 2.0);
  EXPECT_DOUBLE_EQ(Measure(SixRows(), AgeAndJob(), 4).c_avg.value(), 0.5);
  EXPECT_FALSE(Measure(SixRows(), AgeAndJob(), 0).c_avg);
}

TEST(Metrics, LossIsWeightedByRows) {
  const Metrics metrics = Measure(SixRows(), AgeAndJob(), 1);
  // Ages: three rows lose 0.5, one nothing, two everything. Jobs: three lose 2 of 4 leaves, one nothing, two
  // everything.
  ASSERT_EQ(metrics.ncp_percent_by_column.size(), 2U);
  EXPECT_DOUBLE_EQ(metrics.ncp_percent_by_column[0], 100 * 3.5 / 6);
  EXPECT_DOUBLE_EQ(metrics.ncp_percent_by_column[1], 100 * 3.5 / 6);
  EXPECT_DOUBLE_EQ(metrics.ncp_percent, 100 * 3.5 / 6);
  EXPECT_DOUBLE_EQ(metrics.numeric_distortion, 3.5 / 6);
}

// A ragged taxonomy: a, b and c have three edges above them, d has two, e one.
TEST(Metrics, AValueClimbsFromItsOwnDepth) {
  const auto taxonomy = Taxonomy::Parse("a;ab;abcd;*\nb;ab;abcd;*\nc;c1;abcd;*\nd;abcd;*\ne;*\n", "test").value();
  const std::vector<Domain> domains = {Domain(std::make_shared<const Taxonomy>(taxonomy), true)};
  // Of the four rows that are published as "abcd" three are d: they climb one level each, and a climbs two. What is
  // missing climbs one level to "*", and e as well.
  const Classes draft{.columns = 1, .boxes = {{0, 3}, {0, 5}}, .of_row = {0, 0, 0, 0, 1, 1}};
  CodeColumn values(6, 6);
  const std::vector<Code> codes = {3, 3, 3, 0, 4, 5};
  for (std::size_t row = 0; row < codes.size(); ++row) values.Set(row, codes[row]);
  Metrics metrics = Measure(draft, domains, 1);
  EXPECT_FALSE(metrics.categorical_distortion) << "no label tells how deep its values were";
  TellDistortion(metrics, DepthsOfValues({&values, 1}, domains, 6));
  EXPECT_DOUBLE_EQ(metrics.categorical_distortion.value(), (3 * 1 + 2 + 1 + 1) / 6.0);
  EXPECT_EQ(DepthsOfValues({&values, 1}, domains, 3), 6U) << "of the first three rows alone";
}

TEST(Metrics, ValuesThatCannotBeTheOriginalsTellNothing) {
  Metrics metrics = Measure(SixRows(), AgeAndJob(), 1);
  TellDistortion(metrics, metrics.label_depths - 1);
  EXPECT_FALSE(metrics.categorical_distortion);
}

TEST(Metrics, AnEmptyReleaseHasLostNothing) {
  const Metrics metrics = Measure({.columns = 2, .boxes = {}, .of_row = {}}, AgeAndJob(), 5);
  EXPECT_EQ(metrics.classes, 0U);
  EXPECT_TRUE(metrics.discernibility == 0);
  EXPECT_EQ(metrics.ncp_percent, 0.0);
  EXPECT_EQ(metrics.ncp_percent_by_column, (std::vector<double>{0, 0}));
}

TEST(Metrics, WithoutQuasiIdentifiersThereIsOneClass) {
  const Metrics metrics = Measure({.columns = 0, .boxes = {}, .of_row = {0, 0, 0}}, {}, 3);
  EXPECT_EQ(metrics.classes, 1U);
  EXPECT_EQ(metrics.largest_class, 3U);
  EXPECT_EQ(metrics.ncp_percent, 0.0);
}

TEST(Metrics, DoNotDependOnTheNumberOfThreads) {
  Random random(SeedFromNumber(3), "metrics");
  Classes draft{.columns = 2, .boxes = {}, .of_row = {}};
  for (ClassNumber g = 0; g < 20'000; ++g) {
    const Code lo = random.Below(11);
    draft.boxes.insert(draft.boxes.end(), {{lo, lo + random.Below(11 - lo)}, {0, random.Below(2)}});
    draft.of_row.insert(draft.of_row.end(), 1 + random.Below(3), g);
  }
  const Metrics together = Measure(draft, AgeAndJob(), 2);
  const ThreadLimit one(1);
  const Metrics alone = Measure(draft, AgeAndJob(), 2);
  EXPECT_EQ(together.ncp_percent, alone.ncp_percent);
  EXPECT_EQ(together.label_depths, alone.label_depths);
  EXPECT_TRUE(together.discernibility == alone.discernibility);
}

TEST(Metrics, TwoTablesLoseNothingButTheConnectionInsideClasses) {
  const std::vector<ClassNumber> class_of_row = {2, 0, 2, 2, 0};
  const Metrics metrics = MeasureClasses(class_of_row, 3, 2, 2);
  EXPECT_EQ(metrics.rows, 5u);
  EXPECT_EQ(metrics.classes, 2u);
  EXPECT_EQ(metrics.smallest_class, 2u);
  EXPECT_EQ(metrics.largest_class, 3u);
  EXPECT_EQ(static_cast<std::uint64_t>(metrics.discernibility), 13u);
  EXPECT_DOUBLE_EQ(metrics.c_avg.value(), 1.25);
  EXPECT_DOUBLE_EQ(metrics.ncp_percent, 0);
  EXPECT_EQ(metrics.ncp_percent_by_column.size(), 2u);
  EXPECT_EQ(MeasureClasses({}, 0, 2, 2).classes, 0u);
}

}  // namespace
}  // namespace pentimento::metrics_test
