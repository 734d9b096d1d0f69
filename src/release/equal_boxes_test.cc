#include "release/equal_boxes.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"

namespace pentimento::equal_boxes_test {
namespace {

TEST(MergeEqualBoxes, KeepsTheFirstOfEachAndTheirOrder) {
  std::vector<Interval> boxes = {{1, 2}, {0, 0}, {3, 4}, {0, 0}, {1, 2}, {0, 0}, {1, 2}, {0, 1}};
  EXPECT_EQ(MergeEqualBoxes(2, boxes), (std::vector<ClassNumber>{0, 1, 0, 2}));
  EXPECT_EQ(boxes, (std::vector<Interval>{{1, 2}, {0, 0}, {3, 4}, {0, 0}, {1, 2}, {0, 1}}));
}

TEST(MergeEqualBoxes, FindsTheFirstOfEachAmongMany) {
  Random random(SeedFromNumber(1), "test");
  for (const std::size_t count : {1U, 7U, 1'000U, 20'000U}) {
    std::vector<Interval> boxes(3 * count);
    for (Interval& interval : boxes) interval = {random.Below(10), 10 + random.Below(3)};
    std::vector<Interval> expected_boxes;
    std::vector<ClassNumber> expected;
    std::map<std::vector<Interval>, ClassNumber> first;
    for (std::size_t i = 0; i < count; ++i) {
      const std::vector<Interval> box(&boxes[3 * i], &boxes[3 * i] + 3);
      const auto [kept, is_new] = first.try_emplace(box, static_cast<ClassNumber>(first.size()));
      if (is_new) expected_boxes.insert(expected_boxes.end(), box.begin(), box.end());
      expected.push_back(kept->second);
    }
    EXPECT_EQ(MergeEqualBoxes(3, boxes), expected);
    EXPECT_EQ(boxes, expected_boxes);
  }
}

}  // namespace
}  // namespace pentimento::equal_boxes_test
