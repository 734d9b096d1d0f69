// Expected numbers come from another language, with 80 decimal places.
#include "base/log_budget.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

#include "base/certified_log.h"

namespace pentimento::log_budget_test {
namespace {

constexpr std::uint64_t kMost = std::uint64_t{1} << 32;

TEST(CertifiedLog, BoundsEncloseTheTruthAndAreClose) {
  // The leading 64 bits of ln 2 below the point are known: 0xB17217F7D1CF79AB.
  const LogBounds two = BoundLog(2, 1);
  EXPECT_EQ(static_cast<std::uint64_t>(two.at_least >> (kFineLogBits - 64)), 0xB17217F7D1CF79ABu);
  EXPECT_EQ(static_cast<std::uint64_t>(two.at_most >> (kFineLogBits - 64)), 0xB17217F7D1CF79ABu);
  EXPECT_EQ(static_cast<std::uint64_t>(two.at_most - two.at_least), 256u);
  EXPECT_TRUE(BoundLog(7, 7).at_most == 0);
}

TEST(CertifiedLog, LogarithmsOfAProductAreASum) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 2'000; ++i) {
    const std::uint64_t a = random() % kMost + 1;
    const std::uint64_t b = a - random() % (a / 4 + 1);
    const std::uint64_t c = b - random() % (b / 4 + 1);
    const LogBounds ab = BoundLog(a, b), bc = BoundLog(b, c), ac = BoundLog(a, c);
    EXPECT_TRUE(ab.at_least + bc.at_least <= ac.at_most) << a << ' ' << b << ' ' << c;
    EXPECT_TRUE(ac.at_least <= ab.at_most + bc.at_most) << a << ' ' << b << ' ' << c;
  }
}

TEST(CertifiedLog, EqualFractionsHaveEqualBounds) {
  for (const std::uint64_t times : {1u, 2u, 3u, 1'000u, 40'000'007u})
    EXPECT_TRUE(BoundLog(10 * times, 9 * times).at_least == BoundLog(10, 9).at_least) << times;
}

TEST(LogBudget, CostsAreRoundedUpByLessThanTheSlack) {
  const struct {
    std::uint64_t holders, rows;
    LogCost rounded_up;
  } known[] = {{1, 2, 3196577161300663915},
               {1, 3, 1869877770022570995},
               {1, 4, 1326699391278092921},
               {1, 10, 485889616953497436},
               {29, 100, 1579457769216723155},
               {49, 100, 3105253661870743385},
               {123456789, 1000000007, 607678524852243173},
               {2147483647, 4294967295, 3196577160226922091},
               {1, 4294967295, 1073741825},
               {1, kMost, 1073741825}};
  for (const auto& [holders, rows, rounded_up] : known) {
    EXPECT_GE(CostOfExposure(holders, rows), rounded_up) << holders << " of " << rows;
    EXPECT_LT(CostOfExposure(holders, rows), rounded_up + kLogCostSlack - 1) << holders << " of " << rows;
  }
}

TEST(LogBudget, BudgetsAreRoundedDown) {
  const struct {
    std::uint64_t l;
    LogCost rounded_down;
  } known[] = {{2, 3196577161300663914}, {3, 1869877770022570994}, {4, 1326699391278092920},
               {10, 485889616953497435}, {1000, 4613993399819119}, {kMost, 1073741824}};
  for (const auto& [l, rounded_down] : known) {
    EXPECT_LE(BudgetOfLimit(l), rounded_down) << l;
    EXPECT_GT(BudgetOfLimit(l) + kLogCostSlack, rounded_down) << l;
  }
}

TEST(LogBudget, TheShareOfALimitCostsALittleMoreThanItsBudget) {
  for (std::uint64_t l = 2; l < 3'000; ++l) {
    EXPECT_GT(CostOfExposure(1, l), BudgetOfLimit(l)) << l;
    EXPECT_LE(CostOfExposure(1, l), BudgetOfLimit(l) + 2) << l;
    EXPECT_EQ(CostOfExposure(7, 7 * l), CostOfExposure(1, l)) << l;
  }
}

TEST(LogBudget, NobodyWithTheValueCostsNothingAndMoreThanHalfEverything) {
  EXPECT_EQ(CostOfExposure(0, 1), 0u);
  EXPECT_EQ(CostOfExposure(0, kMost), 0u);
  EXPECT_LT(CostOfExposure(kMost / 2, kMost), kBeyondBudget);
  EXPECT_EQ(CostOfExposure(kMost / 2 + 1, kMost), kBeyondBudget);
  EXPECT_EQ(CostOfExposure(2, 3), kBeyondBudget);
  EXPECT_EQ(CostOfExposure(1, 1), kBeyondBudget);
  EXPECT_GT(kBeyondBudget, BudgetOfLimit(2));
}

TEST(LogBudget, MoreHoldersNeverCostLessAndMoreRowsNeverMore) {
  for (std::uint64_t rows = 1; rows < 80; ++rows) {
    for (std::uint64_t holders = 1; holders <= rows; ++holders) {
      EXPECT_LE(CostOfExposure(holders - 1, rows), CostOfExposure(holders, rows));
      EXPECT_GE(CostOfExposure(holders, rows), CostOfExposure(holders, rows + 1));
    }
  }
}

TEST(LogBudget, CostsFollowTheLogarithmOfFloatingPoint) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 5'000; ++i) {
    const std::uint64_t rows = random() % (kMost >> random() % 32) + 2;
    const std::uint64_t holders = random() % (rows / 2) + 1;
    const long double truth = -std::log1p(-static_cast<long double>(holders) / static_cast<long double>(rows));
    const auto cost = static_cast<long double>(CostOfExposure(holders, rows)) / static_cast<long double>(kBeyondBudget);
    EXPECT_NEAR(static_cast<double>((cost - truth) / truth * 1e9L), 0.0, 2.0) << holders << " of " << rows;
  }
}

TEST(LogBudget, SeveralRowsOfOnePersonCostWhatTheirDrawsCost) {
  // Two of four rows, one with the value: 1/2, not 1/4.
  EXPECT_GE(CostOfDraws(1, 4, 2), CostOfExposure(1, 2));
  EXPECT_LE(CostOfDraws(1, 4, 2), CostOfExposure(1, 2) + kLogCostSlack);
  EXPECT_EQ(CostOfDraws(3, 10, 1), CostOfExposure(3, 10));
  // C(4,2)/C(6,2) = 6/15, which is above every limit.
  EXPECT_GT(CostOfDraws(2, 6, 2), BudgetOfLimit(2));
  // C(8,2)/C(10,2) = 28/45, whichever of both is drawn.
  EXPECT_GE(CostOfDraws(2, 10, 2), CostOfExposure(17, 45));
  EXPECT_LE(CostOfDraws(2, 10, 2), CostOfExposure(17, 45) + 2 * kLogCostSlack);
  EXPECT_EQ(CostOfDraws(1, 10, 3), CostOfDraws(3, 10, 1));
  EXPECT_EQ(CostOfDraws(0, 10, 10), 0u);
  EXPECT_EQ(CostOfDraws(6, 10, 5), kBeyondBudget);
  EXPECT_EQ(CostOfDraws(2'000'000'000, kMost, 2'000'000'000), kBeyondBudget) << "and does not take for ever";
}

TEST(LogBudget, SumsStopAtEverything) {
  EXPECT_EQ(AddCosts(kBeyondBudget, kBeyondBudget), kBeyondBudget);
  EXPECT_EQ(AddCosts(kBeyondBudget - 1, 1), kBeyondBudget);
  EXPECT_EQ(AddCosts(3, 4), 7u);
  const LogCost damaged = ~LogCost{0};
  EXPECT_EQ(AddCosts(damaged, 5), kBeyondBudget);
  EXPECT_EQ(AddCosts(5, damaged), kBeyondBudget);
}

TEST(LogBudget, WhatIsWithinTheLargestShareNeverCostsMoreThanWhatIsLeft) {
  std::mt19937_64 random(17);
  for (int i = 0; i < 20'000; ++i) {
    const LogCost remaining = random() % (kBeyondBudget >> random() % 62) + 1;
    const ClassShare share = LargestShare(remaining);
    EXPECT_LE(share, kWholeClass / 2);
    // The share itself, and random classes that are as close to it as their size allows.
    EXPECT_LE(CostOfExposure(share, kWholeClass), remaining) << remaining;
    const std::uint64_t rows = random() % (kMost >> random() % 32) + 1;
    const std::uint64_t holders = rows * share / kWholeClass;
    EXPECT_LE(CostOfExposure(holders, rows), remaining) << remaining;
  }
}

TEST(LogBudget, TheLargestShareLosesAtMostTwoUnits) {
  std::mt19937_64 random(23);
  for (int i = 0; i < 20'000; ++i) {
    const LogCost remaining = random() % (kBeyondBudget >> random() % 62) + 1;
    const ClassShare share = LargestShare(remaining);
    if (share == kWholeClass / 2) continue;
    EXPECT_GT(CostOfExposure(share + 2, kWholeClass), remaining) << remaining;
  }
  EXPECT_EQ(LargestShare(0), 0u);
  EXPECT_EQ(LargestShare(1), 0u);
  EXPECT_EQ(LargestShare(kBeyondBudget), kWholeClass / 2);
  EXPECT_EQ(LargestShare(BudgetOfLimit(2)), kWholeClass / 2 - 1) << "below one half by a hair";
}

TEST(LogBudget, TheChanceOfACostIsRoundedUp) {
  for (std::uint64_t l = 2; l < 500; ++l) {
    EXPECT_GT(ChanceOfCost(CostOfExposure(1, l)) * l, kWholeClass) << l;
    EXPECT_LE((ChanceOfCost(CostOfExposure(1, l)) - 2) * l, kWholeClass) << l;
  }
  EXPECT_NEAR(static_cast<double>(ChanceOfCost(kBeyondBudget)) / 4294967296.0, 0.6321205588, 1e-9);
}

TEST(LogBudget, TheTableRemembersTheSameCosts) {
  CostTable table;
  for (int round = 0; round < 2; ++round)
    for (std::uint32_t rows = 1; rows < 60; ++rows)
      for (std::uint32_t holders = 0; holders <= rows; ++holders)
        EXPECT_EQ(table.Of(holders, rows), CostOfExposure(holders, rows)) << holders << " of " << rows;
}

}  // namespace
}  // namespace pentimento::log_budget_test
