#include "guarantee/form/box_classes.h"

#include <gtest/gtest.h>

namespace pentimento::box_classes_test {
namespace {

std::uint64_t SameForAll(std::span<const Interval>) { return 42; }
std::uint64_t LowerEndOfFirstColumn(std::span<const Interval> box) { return box[0].lo; }

const std::vector<Interval> kBoxes = {
    {0, 1}, {2, 2},  // 0
    {0, 0}, {2, 2},  // 1
    {0, 1}, {2, 2},  // 2 = 0
    {0, 1}, {2, 3},  // 3
    {0, 0}, {2, 2},  // 4 = 1
    {1, 1}, {2, 2},  // 5
    {0, 1}, {2, 2},  // 6 = 0
};

TEST(BoxClasses, GroupsWithEqualBoxesAreOneClassNumberedByItsSmallestGroup) {
  const Classes draft{.columns = 2, .boxes = kBoxes, .of_row = {}};
  EXPECT_EQ(ClassOfGroup(draft), (std::vector<ClassId>{0, 1, 0, 2, 1, 3, 0}));
}

TEST(BoxClasses, CollidingHashesNeverMergeOrSplitAClass) {
  const Classes draft{.columns = 2, .boxes = kBoxes, .of_row = {}};
  EXPECT_EQ(ClassOfGroup(draft, SameForAll), ClassOfGroup(draft));
  EXPECT_EQ(ClassOfGroup(draft, LowerEndOfFirstColumn), ClassOfGroup(draft));
}

TEST(BoxClasses, WithoutQuasiIdentifiersThereIsOneClass) {
  EXPECT_EQ(ClassOfGroup(Classes{}), std::vector<ClassId>{0});
}

}  // namespace
}  // namespace pentimento::box_classes_test
