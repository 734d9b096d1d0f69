#include "release/equal_boxes.h"

#include <gtest/gtest.h>

namespace pentimento {
namespace {

TEST(MergeEqualBoxes, KeepsTheFirstOfEachAndTheirOrder) {
  std::vector<Interval> boxes = {{1, 2}, {0, 0}, {3, 4}, {0, 0}, {1, 2}, {0, 0}, {1, 2}, {0, 1}};
  EXPECT_EQ(MergeEqualBoxes(2, boxes), (std::vector<GroupId>{0, 1, 0, 2}));
  EXPECT_EQ(boxes, (std::vector<Interval>{{1, 2}, {0, 0}, {3, 4}, {0, 0}, {1, 2}, {0, 1}}));
}

}  // namespace
}  // namespace pentimento
