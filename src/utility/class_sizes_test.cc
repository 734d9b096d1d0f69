#include "utility/class_sizes.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace pentimento {
namespace class_sizes_test {

std::uint64_t ClassesIn(const std::vector<SizeBin>& bins) {
  std::uint64_t classes = 0;
  for (const SizeBin& bin : bins) classes += bin.classes;
  return classes;
}

TEST(ClassSizes, FewSizesHaveABinEach) {
  const std::vector<std::uint32_t> sizes = {5, 7, 5, 6};
  const std::vector<SizeBin> bins = CountClassSizes(sizes, 5);
  ASSERT_EQ(bins.size(), 3U);
  EXPECT_EQ(bins[0].from, 5U);
  EXPECT_EQ(bins[0].to, 5U);
  EXPECT_EQ(bins[0].classes, 2U);
  EXPECT_EQ(bins[0].rows, 10U);
  EXPECT_EQ(bins[2].rows, 7U);
}

TEST(ClassSizes, KBeginsABinWhereSomeClassesAreSmaller) {
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t size = 1; size <= 300; ++size) sizes.push_back(size);
  const std::vector<SizeBin> bins = CountClassSizes(sizes, 37);
  EXPECT_LE(bins.size(), kMostSizeBins);
  EXPECT_TRUE(std::ranges::any_of(bins, [](const SizeBin& bin) { return bin.from == 37; }));
  EXPECT_EQ(ClassesIn(bins), 300U);
}

TEST(ClassSizes, BinsAdjoinAndTheLastTakesTheLargest) {
  std::vector<std::uint32_t> sizes(1000, 12);
  sizes.push_back(4'000'000'000U);
  const std::vector<SizeBin> bins = CountClassSizes(sizes, 10);
  EXPECT_LE(bins.size(), kMostSizeBins);
  EXPECT_EQ(bins.front().from, 12U);
  EXPECT_EQ(bins.back().to, 4'000'000'000U);
  for (std::size_t i = 1; i < bins.size(); ++i) EXPECT_EQ(bins[i].from, bins[i - 1].to + 1);
  EXPECT_EQ(ClassesIn(bins), 1001U);
}

TEST(ClassSizes, NoClassesHaveNoBins) {
  EXPECT_TRUE(CountClassSizes({}, 5).empty());
  const std::vector<std::uint32_t> only_empty = {0, 0};
  EXPECT_TRUE(CountClassSizes(only_empty, 5).empty());
}

TEST(ClassSizes, WithoutKNothingIsSplit) {
  const std::vector<std::uint32_t> sizes = {1, 2, 3};
  EXPECT_EQ(CountClassSizes(sizes, 0).size(), 3U);
}

}  // namespace class_sizes_test
}  // namespace pentimento
