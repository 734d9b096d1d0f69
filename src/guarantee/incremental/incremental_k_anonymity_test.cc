#include "guarantee/incremental/incremental_k_anonymity.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "guarantee/incremental/whole_history_testing.h"

namespace pentimento::incremental_k_anonymity_test {
namespace {

using Kind = HistoryViolation::Kind;

// One release: a box for each case from 0 on; an empty box for a case that is not in it.
IncrementalRelease Release(std::size_t columns, const std::vector<Box>& box_of_case) {
  IncrementalRelease release{columns, {}, {}, {}};
  for (std::size_t c = 0; c < box_of_case.size(); ++c) {
    if (box_of_case[c].empty()) continue;
    release.cases.push_back(static_cast<CaseNumber>(c));
    release.box_of_case.push_back(static_cast<std::uint32_t>(release.boxes.size() / columns));
    release.boxes.insert(release.boxes.end(), box_of_case[c].begin(), box_of_case[c].end());
  }
  return release;
}

// A change of one column in which nobody stays behind.
IncrementalChange Change(const std::vector<Interval>& before, const std::vector<Interval>& after) {
  IncrementalChange change;
  change.classes.columns = 1;
  for (std::size_t c = 0; c < after.size(); ++c) {
    change.case_of_row.push_back(static_cast<CaseNumber>(c));
    change.classes.boxes.push_back(after[c]);
    change.classes.of_row.push_back(static_cast<ClassNumber>(c));
    change.staying_in_group.push_back(0);
    change.is_withdrawn.push_back(0);
    const bool is_new = c >= before.size();
    change.previous_of_row.push_back(is_new ? IncrementalChange::kNew : static_cast<std::uint32_t>(c));
    change.arrival_of_row.push_back(is_new ? 1 : 0);
    if (is_new) continue;
    change.previous_boxes.push_back(before[c]);
    change.staying_in_previous.push_back(0);
  }
  return change;
}

bool Passes(const IncrementalChange& change, std::uint64_t k, bool hides_arrivals = false) {
  return !FindViolationOfChange(change.classes, change, k, hides_arrivals).has_value();
}

TEST(IncrementalHistory, BoxesAroundTheMembersLeaveFourPeopleAloneByIntersection) {
  // k = 2: (1,1) and (2,10), then (0,1) and (3,10) arrive and the groups change over.
  const Box whole = {{1, 2}, {1, 10}};
  const Box low = {{0, 1}, {1, 1}};
  const Box high = {{2, 3}, {10, 10}};
  const IncrementalHistory history = {Release(2, {whole, whole}), Release(2, {low, high, low, high})};
  EXPECT_EQ(FindViolationOfHistory({history[0]}, 2), std::nullopt);
  EXPECT_EQ(FindViolationOfHistory({history[1]}, 2), std::nullopt);
  const auto found = FindViolationOfHistory(history, 2);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->kind, Kind::kTooFew);
  EXPECT_EQ(found->members, 1U);
  EXPECT_EQ(found->releases, (std::vector<std::size_t>{0, 1}));
}

TEST(IncrementalHistory, LaterCasesCountInAClass) {
  // Case 0 is refined together with case 2, who came later: two of a kind, in both releases together.
  const IncrementalHistory history = {Release(1, {{{0, 9}}, {{0, 9}}}),
                                      Release(1, {{{0, 4}}, {{5, 9}}, {{0, 4}}, {{5, 9}}})};
  EXPECT_EQ(FindViolationOfHistory(history, 2), std::nullopt);
  EXPECT_EQ(FindViolationOfHistory(history, 3)->members, 2U);
}

TEST(IncrementalHistory, WideningAfterADeletionLeavesSomebodyAloneAmongThoseWhoStay) {
  // {1,2} and {3,4}; 2 leaves and 1 is put together with 3 and 4: who knows that 2 left finds 1 alone in [1,2].
  const IncrementalHistory history = {Release(1, {{{1, 2}}, {{1, 2}}, {{3, 4}}, {{3, 4}}}),
                                      Release(1, {{{1, 4}}, {}, {{1, 4}}, {{1, 4}}})};
  const auto found = FindViolationOfHistory(history, 2);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->witness, 0U);
  EXPECT_EQ(found->members, 1U);
}

TEST(IncrementalHistory, ARowThatStaysWithItsBoxAfterAWithdrawalHurtsNobody) {
  const IncrementalRelease release = Release(1, {{{1, 2}}, {{1, 2}}, {{3, 4}}, {{3, 4}}});
  EXPECT_EQ(FindViolationOfHistory({release, release, release}, 2), std::nullopt);
}

TEST(IncrementalHistory, BoxesWithoutACommonValueAreAContradiction) {
  const IncrementalHistory history = {Release(1, {{{0, 1}}, {{0, 1}}}), Release(1, {{{2, 3}}, {{2, 3}}})};
  EXPECT_EQ(FindViolationOfHistory(history, 2)->kind, Kind::kContradiction);
}

TEST(IncrementalHistory, MonotoneSeriesOfAnyLengthAreDecidedAndOthersOnlyUpToALimit) {
  const IncrementalRelease wide = Release(1, {{{0, 9}}, {{0, 9}}});
  IncrementalHistory history(100, wide);
  EXPECT_EQ(FindViolationOfHistory(history, 2), std::nullopt);
  EXPECT_EQ(FindViolationOfHistory(history, 3)->kind, Kind::kTooFew);
  history.front() = Release(1, {{{0, 4}}, {{0, 4}}});
  EXPECT_EQ(FindViolationOfHistory(history, 2)->kind, Kind::kUndecided);
  history.resize(kMostReleases - 8);
  EXPECT_EQ(FindViolationOfHistory(history, 2), std::nullopt);
}

TEST(IncrementalHistory, NothingPublishedBreaksNothing) {
  EXPECT_EQ(FindViolationOfHistory({}, 2), std::nullopt);
  EXPECT_EQ(FindViolationOfHistory({Release(1, {})}, 2), std::nullopt);
}

TEST(IncrementalChange, NestedBoxesOfKPass) {
  EXPECT_TRUE(Passes(Change({{0, 9}, {0, 9}}, {{0, 4}, {5, 9}, {0, 4}, {5, 9}}), 2));
  EXPECT_TRUE(Passes(Change({}, {{0, 9}, {0, 9}}), 2));
  EXPECT_TRUE(Passes(Change({{0, 9}, {0, 9}}, {{0, 9}, {0, 9}}), 2));
}

TEST(IncrementalChange, ABoxThatLeavesTheEarlierOneIsRefusedEvenWhereClassesAreLarge) {
  EXPECT_FALSE(Passes(Change({{0, 5}, {0, 5}, {0, 5}}, {{0, 6}, {0, 6}, {0, 6}}), 2));
  EXPECT_FALSE(Passes(Change({{1, 5}, {1, 5}}, {{0, 5}, {0, 5}}), 2));
}

TEST(IncrementalChange, AClassBelowKIsRefused) {
  EXPECT_FALSE(Passes(Change({{0, 9}, {0, 9}, {0, 9}}, {{0, 4}, {0, 4}, {5, 9}}), 2));
  EXPECT_FALSE(Passes(Change({{0, 9}, {0, 9}}, {{0, 9}, {0, 9}, {3, 3}}), 2));
}

TEST(IncrementalChange, CasesThatStayCountWithNewcomersAndOnTheirOwn) {
  IncrementalChange joins = Change({}, {{0, 9}});
  joins.staying_in_group[0] = 1;
  EXPECT_TRUE(Passes(joins, 2));
  EXPECT_FALSE(Passes(joins, 3));
  IncrementalChange leaves = Change({{0, 9}, {0, 9}}, {{0, 4}, {0, 4}});
  leaves.staying_in_previous[0] = 1;
  EXPECT_FALSE(Passes(leaves, 2)) << "one case would be left behind alone";
  leaves.staying_in_previous[0] = 2;
  EXPECT_TRUE(Passes(leaves, 2));
}

TEST(IncrementalChange, WhoStaysIsNotCountedTwiceForEqualBoxes) {
  IncrementalChange change = Change({}, {{0, 9}, {0, 9}});
  change.staying_in_group = {1, 1};
  EXPECT_TRUE(Passes(change, 3));
  EXPECT_FALSE(Passes(change, 4));
}

TEST(IncrementalChange, ANewClassDoesNotCountOnPeopleWhoHaveLeft) {
  IncrementalChange change = Change({{0, 9}, {0, 9}}, {{0, 4}, {0, 4}});
  change.is_withdrawn[0] = 1;
  EXPECT_FALSE(Passes(change, 2));
  IncrementalChange stays = Change({{0, 9}, {0, 9}}, {{0, 9}, {0, 9}});
  stays.is_withdrawn[0] = 1;
  EXPECT_TRUE(Passes(stays, 2)) << "the box was published before anybody left";
}

TEST(IncrementalChange, HiddenArrivalsNeedKPeopleOfTheEarliestReleaseInEveryPart) {
  // Two old people and two newcomers: whoever knows that Alice was there at first finds her alone in her part.
  const IncrementalChange refined = Change({{0, 9}, {0, 9}}, {{0, 4}, {5, 9}, {0, 4}, {5, 9}});
  EXPECT_TRUE(Passes(refined, 2, false));
  EXPECT_FALSE(Passes(refined, 2, true));
  const IncrementalChange kept = Change({{0, 9}, {0, 9}}, {{0, 9}, {0, 9}, {0, 9}, {0, 9}});
  EXPECT_TRUE(Passes(kept, 2, true));
  const IncrementalChange enough = Change({{0, 9}, {0, 9}, {0, 9}, {0, 9}}, {{0, 4}, {0, 4}, {5, 9}, {5, 9}, {0, 4}});
  EXPECT_FALSE(Passes(enough, 3, true));
}

TEST(IncrementalChange, WithHiddenArrivalsAPartHasNobodyOrKOfEveryRelease) {
  // The four cases had one box. Whoever was in the first release is in the first part, where two are.
  IncrementalChange change = Change({{0, 9}, {0, 9}, {0, 9}, {0, 9}}, {{0, 4}, {0, 4}, {5, 9}, {5, 9}});
  change.previous_boxes = {{0, 9}};
  change.staying_in_previous = {0};
  change.previous_of_row = {0, 0, 0, 0};
  EXPECT_TRUE(Passes(change, 2, true));
  change.arrival_of_row = {0, 0, 1, 1};
  EXPECT_TRUE(Passes(change, 2, true));
  change.arrival_of_row = {0, 0, 1, 2};
  EXPECT_FALSE(Passes(change, 2, true)) << "of the second release there is one";
  change.arrival_of_row = {0, 1, 1, 1};
  EXPECT_FALSE(Passes(change, 2, true)) << "of the first release there is one";
}

TEST(IncrementalChange, WithHiddenArrivalsSomebodyWhoLeftCountsAsEarlyButNotAsOneOfK) {
  IncrementalChange change = Change({{0, 9}, {0, 9}, {0, 9}, {0, 9}, {0, 9}}, {{0, 4}, {0, 4}, {0, 4}, {5, 9}, {5, 9}});
  change.arrival_of_row = {0, 1, 1, 0, 0};
  change.is_withdrawn = {1, 0, 0, 0, 0};
  EXPECT_TRUE(Passes(change, 2, false));
  EXPECT_FALSE(Passes(change, 2, true)) << "who left was alone of the first release, and would get a smaller box";
  change.arrival_of_row = {0, 0, 1, 0, 0};
  EXPECT_FALSE(Passes(change, 2, true)) << "of two of the first release one has left";
  change.arrival_of_row = {0, 0, 0, 0, 0};
  EXPECT_TRUE(Passes(change, 2, true));
  // A class that was there before keeps its cases.
  IncrementalChange kept = Change({{0, 9}, {0, 9}, {0, 9}}, {{0, 9}, {0, 9}, {0, 9}});
  kept.arrival_of_row = {0, 0, 1};
  kept.is_withdrawn = {1, 0, 0};
  EXPECT_TRUE(Passes(kept, 2, true));
}

TEST(IncrementalChange, AMalformedChangeIsRefused) {
  const IncrementalChange good = Change({{0, 9}, {0, 9}}, {{0, 9}, {0, 9}});
  const auto broken = [&](auto breaking) {
    IncrementalChange change = good;
    breaking(change);
    return !Passes(change, 2);
  };
  EXPECT_TRUE(broken([](IncrementalChange& c) { c.case_of_row[1] = 0; })) << "a case stands twice";
  EXPECT_TRUE(broken([](IncrementalChange& c) { c.previous_of_row[1] = 7; }));
  EXPECT_TRUE(broken([](IncrementalChange& c) { c.classes.of_row[1] = 7; }));
  EXPECT_TRUE(broken([](IncrementalChange& c) { c.is_withdrawn.pop_back(); }));
  EXPECT_TRUE(broken([](IncrementalChange& c) { c.staying_in_group.pop_back(); }));
  EXPECT_TRUE(broken([](IncrementalChange& c) { c.staying_in_previous.pop_back(); }));
}

}  // namespace
}  // namespace pentimento::incremental_k_anonymity_test
