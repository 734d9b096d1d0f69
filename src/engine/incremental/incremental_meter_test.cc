#include "engine/incremental/incremental_meter.h"

#include <gtest/gtest.h>

#include "audit/audit_testing.h"

namespace pentimento::series_meter_test {
namespace {

// Zip code by its last digit, gender, age: as in paper_patients.h.
std::vector<Domain> PaperDomains() {
  std::vector<Domain> domains;
  for (const std::int64_t last : {9, 1, 120}) domains.emplace_back(NumericRange{0, last, 0, {}}, false);
  return domains;
}

TEST(IncrementalMeter, ThePapersIndependentReleasesLeaveOnlyAThirdSafe) {
  IncrementalMeter meter(PaperDomains());
  const IncrementalReading first = meter.Add(paper::Publish(paper::kTable2), 2);
  EXPECT_EQ(first.safe, (Ratio{1, 1}));
  EXPECT_EQ(first.unsafe, 0U);
  EXPECT_EQ(first.alone, 0U);
  EXPECT_EQ(first.metrics.classes, 2U);
  const IncrementalReading second = meter.Add(paper::Publish(paper::kTable5), 2);
  EXPECT_EQ(second.safe, (Ratio{1, 3}));
  EXPECT_EQ(second.unsafe, 4U);
  EXPECT_EQ(second.alone, 4U);
  EXPECT_EQ(second.metrics.rows, 6U);
  EXPECT_EQ(second.metrics.classes, 3U);
  EXPECT_EQ(static_cast<std::uint64_t>(second.metrics.discernibility), 12U);
}

TEST(IncrementalMeter, ThePapersUpdatePublishedByItselfKeepsEverybodySafeAndRefinesNothing) {
  IncrementalMeter meter(PaperDomains());
  (void)meter.Add(paper::Publish(paper::kTable2), 2);
  const IncrementalReading second = meter.Add(paper::Publish(paper::Together(paper::kTable2, paper::kTable4)), 2);
  EXPECT_EQ(second.safe, (Ratio{1, 1}));
  EXPECT_EQ(second.groups_refined, 0U);
  EXPECT_EQ(second.metrics.rows, 6U);
}

// Of Table 2's groups that of cases 1 and 2 is refined by case 1 alone: the box of case 2 reaches beyond the old one.
// Case 4's box is smaller, too.
TEST(IncrementalMeter, AGroupIsRefinedWhereACaseOfItHasASmallerBoxInsideTheOldOne) {
  IncrementalMeter meter(PaperDomains());
  EXPECT_EQ(meter.Add(paper::Publish(paper::kTable2), 2).groups_refined, 0U);
  EXPECT_EQ(meter.Add(paper::Publish(paper::kTable5), 2).groups_refined, 2U);

  IncrementalMeter sideways(PaperDomains());
  const Box left = paper::Patient({0, 4}, {0, 0}, {0, 9}), right = paper::Patient({3, 7}, {0, 0}, {0, 9});
  (void)sideways.Add(paper::Publish({{1, left}, {2, left}}), 2);
  EXPECT_EQ(sideways.Add(paper::Publish({{1, right}, {2, right}}), 2).groups_refined, 0U);
}

TEST(IncrementalMeter, ContradictoryCasesAreUnsafeAndNotAlone) {
  IncrementalMeter meter(PaperDomains());
  const Box young = paper::Patient({0, 0}, {0, 0}, {0, 9}), old = paper::Patient({0, 0}, {0, 0}, {90, 99});
  (void)meter.Add(paper::Publish({{1, young}, {2, young}, {3, young}}), 2);
  const IncrementalReading second = meter.Add(paper::Publish({{1, young}, {2, young}, {3, old}}), 2);
  EXPECT_EQ(second.unsafe, 1U);
  EXPECT_EQ(second.alone, 0U);
  EXPECT_EQ(second.safe, (Ratio{2, 3}));
}

TEST(Overlay, ChangesReplaceAndAddCasesAndLeaveTheRest) {
  const Box a = paper::Patient({0, 9}, {0, 1}, {0, 99}), b = paper::Patient({0, 9}, {0, 0}, {0, 99});
  const IncrementalRelease both =
      Overlay(paper::Publish({{2, a}, {4, a}, {6, a}}), paper::Publish({{1, b}, {4, b}, {5, b}, {9, b}}));
  EXPECT_EQ(both.cases, (std::vector<CaseNumber>{1, 2, 4, 5, 6, 9}));
  std::vector<Box> boxes;
  for (const std::uint32_t number : both.box_of_case)
    boxes.emplace_back(both.box(number).begin(), both.box(number).end());
  EXPECT_EQ(boxes, (std::vector<Box>{b, a, b, b, a, b}));
}

TEST(Overlay, TheFirstReleaseMayBeChangesOfNothing) {
  const IncrementalRelease first = Overlay({}, paper::Publish(paper::kTable2));
  EXPECT_EQ(first.cases, (std::vector<CaseNumber>{1, 2, 3, 4}));
  EXPECT_EQ(first.columns, 3U);
  EXPECT_EQ(first.boxes, paper::Publish(paper::kTable2).boxes);
}

}  // namespace

namespace {

// Row i is case i; the paper's cases begin with 1, so row 0 is nobody.
EncodedTable People(const std::map<CaseNumber, Box>& truth) {
  EncodedTable people;
  people.rows = truth.size() + 1;
  for (std::size_t c = 0; c < 3; ++c) {
    CodeColumn column(128, people.rows);
    for (const auto& [number, box] : truth) column.Set(number, box[c].lo);
    people.quasi_identifiers.push_back(std::move(column));
  }
  return people;
}

const EncodedTable& Patients() {
  static const EncodedTable people = People(paper::Together(paper::kTable1, paper::kTable3));
  return people;
}

// Alone in Table 6 are Anna, Bob, Carol and Eddy. Both tables are needed for Bob and Carol, but Bob may also be Eddy's
// case, and Carol Anna's. Nobody but Anna can be Anna.
TEST(LoneCase, IsTheMostTellingOneThatCanBeNobodyElse) {
  const IncrementalRelease first = paper::Publish(paper::kTable2);
  std::map<CaseNumber, Box> second = paper::kTable5;
  std::optional<LoneCase> lone = FindLoneCase(first, paper::Publish(second), Patients());
  ASSERT_TRUE(lone);
  EXPECT_EQ(lone->number, 1U);
  second[1][2] = paper::Years(21, 25);  // now Anna's box does not fit Carol
  lone = FindLoneCase(first, paper::Publish(second), Patients());
  ASSERT_TRUE(lone);
  EXPECT_EQ(lone->number, 3U);
  EXPECT_EQ(lone->first, paper::kTable2.at(3));
  EXPECT_EQ(lone->second, paper::kTable5.at(3));
  EXPECT_EQ(lone->together, paper::kTable6.at(3));
}

TEST(LoneCase, ReleasesThatRefineEachOtherLeaveNobodyAlone) {
  const auto second = paper::Publish(paper::Together(paper::kTable2, paper::kTable4));
  EXPECT_EQ(FindLoneCase(paper::Publish(paper::kTable2), second, Patients()), std::nullopt);
}

}  // namespace

}  // namespace pentimento::series_meter_test
