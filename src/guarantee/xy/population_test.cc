// Small cases by hand; random joins are held against the definition in tests/property/xy_property_test.cc.
#include "guarantee/xy/population.h"

#include <gtest/gtest.h>

#include <vector>

#include "guarantee/xy/small_join_testing.h"

namespace pentimento::population_test {
namespace {

TEST(Population, RecordsInNoMatchAreCountedOnEitherSide) {
  const SmallJoin join({{{0, 0}, {0, 0}}, {{0, 0}, {2, 2}}, {{1, 1}, {2, 2}}},
                       {{{0, 1}, {0, 0}, 5}, {{3, 3}, {0, 0}, 7}});
  EXPECT_EQ(CountDangling(join.view(), join.releases, std::vector<std::uint32_t>{1}).value(),
            (std::vector<std::uint64_t>{2, 7}));
  EXPECT_EQ(CountDangling(join.view(), join.releases, {}).value(), std::vector<std::uint64_t>{0});
}

TEST(Population, OfThreeReleasesARecordNeedsAMatchInBothOthers) {
  SmallJoin join({{{0, 0}, {0, 1}}}, {{{0, 0}, {0, 0}, 2}, {{1, 1}, {0, 0}, 3}});
  join.AddEarlier("other", {{{1, 1}, {0, 0}, 4}});
  join.releases.common[0].columns.push_back({2, 0});
  EXPECT_EQ(CountDangling(join.view(), join.releases, std::vector<std::uint32_t>{1, 2}).value(),
            (std::vector<std::uint64_t>{0, 2, 0}));
}

}  // namespace
}  // namespace pentimento::population_test
