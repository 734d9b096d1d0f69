#include "release/global_horizon.h"

#include <gtest/gtest.h>

#include "base/big_natural.h"

namespace pentimento::series_horizon_test {
namespace {

// From the definition, one release after the other.
std::uint64_t CountReleases(std::uint64_t l, std::uint64_t holders, std::uint64_t rows) {
  BigNatural never(l), required(l - 1);
  for (std::uint64_t releases = 0;; ++releases) {
    never *= rows - holders;
    required *= rows;
    if (never < required) return releases;
  }
}

TEST(GlobalHorizon, ConservationGivesThirteenThirtyFourAndAHundredThirtyEightReleases) {
  EXPECT_EQ(MostReleases(2, 5, 100), 13u);
  EXPECT_EQ(MostReleases(2, 2, 100), 34u);
  EXPECT_EQ(MostReleases(2, 5, 1'000), 138u);
}

TEST(GlobalHorizon, TheNumberOfReleasesIsThatOfTheDefinition) {
  for (std::uint64_t l = 2; l < 9; ++l)
    for (std::uint64_t rows = 1; rows < 70; ++rows)
      for (std::uint64_t holders = 1; holders <= rows; ++holders)
        EXPECT_EQ(MostReleases(l, holders, rows), CountReleases(l, holders, rows))
            << l << ' ' << holders << ' ' << rows;
}

TEST(GlobalHorizon, AShareOfExactlyTheLimitIsBorneOnceAndAHairMoreNever) {
  for (const std::uint64_t l : {2u, 3u, 10u, 4'000'000u}) {
    EXPECT_EQ(MostReleases(l, 1'000, 1'000 * l), 1u) << l;
    EXPECT_EQ(MostReleases(l, 1'000, 1'000 * l - 1), 0u) << l;
    EXPECT_EQ(MostReleases(l, 1'000, 1'000 * l + 1), 1u) << l;
  }
}

TEST(GlobalHorizon, AnItemThatNobodyHasIsBorneForEver) {
  EXPECT_EQ(MostReleases(2, 0, 100), kAnyNumberOfReleases);
  EXPECT_EQ(ReleasesLeft(1, 0, 100), kAnyNumberOfReleases);
  EXPECT_EQ(MostReleases(2, 100, 100), 0u);
}

TEST(GlobalHorizon, RareItemsAreBorneBillionsOfTimes) {
  // ln 2 / -ln(1 - 2^-32) = 2977044471.47..., from another language.
  EXPECT_EQ(MostReleases(2, 1, kWholeClass), 2'977'044'471u);
}

TEST(GlobalHorizon, WhatIsLeftNeverPromisesTooMuch) {
  for (std::uint64_t rows = 2; rows < 200; ++rows) {
    const std::uint64_t most = MostReleases(2, 1, rows);
    EXPECT_LE(ReleasesLeft(BudgetOfLimit(2), 1, rows), most) << rows;
    EXPECT_GE(ReleasesLeft(BudgetOfLimit(2), 1, rows) + 1, most) << rows;
    if (most <= 3) continue;
    EXPECT_EQ(ReleasesLeft(BudgetOfLimit(2) - 3 * CostOfExposure(1, rows), 1, rows), most - 3) << rows;
  }
}

}  // namespace
}  // namespace pentimento::series_horizon_test
