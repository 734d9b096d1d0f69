#include "engine/series/class_counts.h"

#include <gtest/gtest.h>

namespace pentimento {
namespace {

struct Row {
  std::uint32_t previous;
  GroupId group;
  std::uint8_t is_withdrawn = 0;
};

// One column; groups and earlier boxes are given by their intervals.
SeriesChange Change(std::vector<Interval> groups, std::vector<Interval> previous, const std::vector<Row>& rows) {
  SeriesChange change;
  change.staying_in_group.resize(groups.size());
  change.staying_in_previous.resize(previous.size());
  change.draft = {1, std::move(groups), {}};
  change.previous_boxes = std::move(previous);
  for (const Row& row : rows) {
    change.case_of_row.push_back(static_cast<CaseNumber>(change.case_of_row.size()));
    change.draft.group_of_row.push_back(row.group);
    change.previous_of_row.push_back(row.previous);
    change.is_withdrawn.push_back(row.is_withdrawn);
  }
  return change;
}

constexpr std::uint32_t kNew = SeriesChange::kNew;

TEST(ClassCounts, InAFirstReleaseEverybodyCountsAndEveryClassIsNew) {
  const ClassCounts counts = CountClasses(Change({{0, 4}, {5, 9}}, {}, {{kNew, 0}, {kNew, 0}, {kNew, 0}, {kNew, 1}}));
  EXPECT_EQ(counts.smallest, 1U);
  EXPECT_EQ(counts.fewest_in_new, 1U);
}

TEST(ClassCounts, WhoLeftIsACaseButDoesNotMakeUpForANewBox) {
  const SeriesChange change =
      Change({{0, 4}, {5, 9}}, {{0, 9}}, {{0, 0}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 1}, {kNew, 1}, {kNew, 1}});
  EXPECT_EQ(CountClasses(change).smallest, 3U);
  EXPECT_EQ(CountClasses(change).fewest_in_new, 1U);
}

TEST(ClassCounts, ABoxThatWasThereBeforeIsNotNew) {
  SeriesChange change = Change({{0, 4}}, {{0, 4}}, {{0, 0, 1}, {0, 0, 1}, {kNew, 0}});
  EXPECT_EQ(CountClasses(change).smallest, 3U);
  EXPECT_EQ(CountClasses(change).fewest_in_new, UINT64_MAX);
  // Nor is it where those who had it before are no rows of the change.
  change = Change({{0, 4}}, {}, {{kNew, 0}});
  change.staying_in_group = {6};
  EXPECT_EQ(CountClasses(change).smallest, 7U);
  EXPECT_EQ(CountClasses(change).fewest_in_new, UINT64_MAX);
}

TEST(ClassCounts, WhereArrivalsAreHiddenOnlyTheFirstReleaseMakesUpForABox) {
  SeriesChange change = Change({{0, 4}, {5, 9}}, {{0, 9}}, {{0, 0}, {0, 0}, {0, 1}, {0, 1}, {0, 1}, {kNew, 1}});
  EXPECT_EQ(CountClasses(change).fewest_in_new, 2U);
  change.arrival_of_row = {0, 0, 0, 1, 1, 2};
  EXPECT_EQ(CountClasses(change).smallest, 2U);
  EXPECT_EQ(CountClasses(change).fewest_in_new, 1U);
}

TEST(ClassCounts, AChangeOfNobodyHasNoClasses) {
  EXPECT_EQ(CountClasses(Change({}, {}, {})).smallest, UINT64_MAX);
  EXPECT_EQ(CountClasses(Change({}, {}, {})).fewest_in_new, UINT64_MAX);
}

}  // namespace
}  // namespace pentimento
