#include "utility/living.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace pentimento::living_test {
namespace {

// Classes [0,4], [5,9] and once more [0,4], with rows in them.
Classes Three(std::vector<ClassNumber> of_row) { return {1, {{0, 4}, {5, 9}, {0, 4}}, std::move(of_row)}; }

TEST(Living, NobodyHasLeftAndNobodyIsAmongFew) {
  const LivingCounts counts = CountLiving(Three({0, 0, 1, 1}), std::vector<std::uint8_t>{0, 0, 0, 0}, 2);
  EXPECT_EQ(counts.living, 4U);
  EXPECT_EQ(counts.withdrawn, 0U);
  EXPECT_EQ(counts.among_few, 0U);
  EXPECT_EQ(counts.fewest, 2U);
}

TEST(Living, WhoeverSharesAClassWithFewerThanKLivingIsAmongFew) {
  const LivingCounts counts = CountLiving(Three({0, 0, 1, 1, 1}), std::vector<std::uint8_t>{0, 1, 0, 0, 1}, 2);
  EXPECT_EQ(counts.living, 3U);
  EXPECT_EQ(counts.withdrawn, 2U);
  EXPECT_EQ(counts.among_few, 1U);
  EXPECT_EQ(counts.fewest, 1U);
}

TEST(Living, ClassesWithEqualBoxesAreOne) {
  const LivingCounts counts = CountLiving(Three({0, 2, 1, 1}), std::vector<std::uint8_t>{0, 0, 0, 0}, 2);
  EXPECT_EQ(counts.among_few, 0U);
  EXPECT_EQ(counts.fewest, 2U);
}

TEST(Living, AClassOfWhichEverybodyHasLeftHasNoFewest) {
  const LivingCounts counts = CountLiving(Three({0, 0, 1, 1}), std::vector<std::uint8_t>{1, 1, 0, 0}, 2);
  EXPECT_EQ(counts.among_few, 0U);
  EXPECT_EQ(counts.fewest, 2U);
  EXPECT_EQ(CountLiving(Three({0}), std::vector<std::uint8_t>{1}, 2).fewest, 0U);
}

TEST(Living, WithoutQuasiIdentifiersEverybodyIsTogether) {
  const LivingCounts counts = CountLiving({0, {}, {0, 0, 0}}, std::vector<std::uint8_t>{0, 1, 0}, 3);
  EXPECT_EQ(counts.among_few, 2U);
  EXPECT_EQ(counts.fewest, 2U);
}

}  // namespace
}  // namespace pentimento::living_test
