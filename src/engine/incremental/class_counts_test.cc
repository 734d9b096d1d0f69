#include "engine/incremental/class_counts.h"

#include <gtest/gtest.h>

namespace pentimento::class_counts_test {
namespace {

constexpr std::uint64_t kK = 3;

struct Row {
  std::uint32_t previous;
  ClassNumber group;
  std::uint8_t is_withdrawn = 0;
};

// One column; groups and earlier boxes are given by their intervals.
IncrementalChange Change(std::vector<Interval> groups, std::vector<Interval> previous, const std::vector<Row>& rows) {
  IncrementalChange change;
  change.staying_in_group.resize(groups.size());
  change.staying_in_previous.resize(previous.size());
  change.classes = {1, std::move(groups), {}};
  change.previous_boxes = std::move(previous);
  for (const Row& row : rows) {
    change.case_of_row.push_back(static_cast<CaseNumber>(change.case_of_row.size()));
    change.classes.of_row.push_back(row.group);
    change.previous_of_row.push_back(row.previous);
    change.is_withdrawn.push_back(row.is_withdrawn);
  }
  return change;
}

constexpr std::uint32_t kNew = IncrementalChange::kNew;

TEST(ClassCounts, InAFirstReleaseEverybodyCountsAndEveryClassIsNew) {
  const ClassCounts counts =
      CountClasses(Change({{0, 4}, {5, 9}}, {}, {{kNew, 0}, {kNew, 0}, {kNew, 0}, {kNew, 1}}), kK);
  EXPECT_EQ(counts.smallest, 1U);
  EXPECT_EQ(counts.fewest_in_new, 1U);
}

TEST(ClassCounts, WhoLeftIsACaseButDoesNotMakeUpForANewBox) {
  const IncrementalChange change =
      Change({{0, 4}, {5, 9}}, {{0, 9}}, {{0, 0}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 1}, {kNew, 1}, {kNew, 1}});
  EXPECT_EQ(CountClasses(change, kK).smallest, 3U);
  EXPECT_EQ(CountClasses(change, kK).fewest_in_new, 1U);
}

TEST(ClassCounts, ABoxThatWasThereBeforeIsNotNew) {
  IncrementalChange change = Change({{0, 4}}, {{0, 4}}, {{0, 0, 1}, {0, 0, 1}, {kNew, 0}});
  EXPECT_EQ(CountClasses(change, kK).smallest, 3U);
  EXPECT_EQ(CountClasses(change, kK).fewest_in_new, UINT64_MAX);
  // Nor is it where those who had it before are no rows of the change.
  change = Change({{0, 4}}, {}, {{kNew, 0}});
  change.staying_in_group = {6};
  EXPECT_EQ(CountClasses(change, kK).smallest, 7U);
  EXPECT_EQ(CountClasses(change, kK).fewest_in_new, UINT64_MAX);
}

TEST(ClassCounts, WhereArrivalsAreHiddenOnlyTheEarliestReleaseMakesUpForABox) {
  IncrementalChange change = Change({{0, 4}, {5, 9}}, {{0, 9}}, {{0, 0}, {0, 0}, {0, 1}, {0, 1}, {0, 1}, {kNew, 1}});
  EXPECT_EQ(CountClasses(change, kK).fewest_in_new, 2U);
  change.arrival_of_row = {0, 0, 0, 1, 1, 2};
  EXPECT_EQ(CountClasses(change, kK).smallest, 2U);
  EXPECT_EQ(CountClasses(change, kK).fewest_in_new, 1U);
  // Of the first release nobody is in the second class, and of the second all four are.
  change.arrival_of_row = {0, 0, 1, 1, 1, 1};
  EXPECT_EQ(CountClasses(change, kK).fewest_in_new, 2U);
}

TEST(ClassCounts, NewcomersAmongThoseWhoLeftAreCounted) {
  const std::vector<Interval> boxes = {{0, 4}, {5, 9}};
  // Two people are still there in the first class, three in the second; one newcomer each.
  std::vector<Row> rows = {{0, 0}, {0, 0, 1}, {0, 0, 1}, {kNew, 0}, {1, 1}, {1, 1}, {1, 1, 1}, {kNew, 1}};
  EXPECT_EQ(CountClasses(Change(boxes, boxes, rows), 3).newcomers_among_few, 1U);
  EXPECT_EQ(CountClasses(Change(boxes, boxes, rows), 2).newcomers_among_few, 0U);
  EXPECT_EQ(CountClasses(Change(boxes, boxes, rows), 4).newcomers_among_few, 2U);
  // Nobody knows how many of those are there who are no rows.
  IncrementalChange change = Change(boxes, boxes, rows);
  change.staying_in_group = {1, 0};
  EXPECT_EQ(CountClasses(change, 3).newcomers_among_few, 0U);
}

TEST(ClassCounts, AChangeOfNobodyHasNoClasses) {
  EXPECT_EQ(CountClasses(Change({}, {}, {}), kK).smallest, UINT64_MAX);
  EXPECT_EQ(CountClasses(Change({}, {}, {}), kK).fewest_in_new, UINT64_MAX);
}

}  // namespace
}  // namespace pentimento::class_counts_test
