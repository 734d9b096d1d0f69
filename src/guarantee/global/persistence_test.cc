#include "guarantee/global/persistence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <vector>

#include "base/random.h"

namespace pentimento::persistence_test {
namespace {

constexpr Ratio kFive = {5, 1};

// A tenth of 100,000 rows, and 10,000 people who had it: `again` in thousands of them is the ratio.
HeldAgain OfTenThousand(std::uint64_t again) { return {100'000, 10'000, 100'000, 10'000, again}; }

TEST(Persistence, ExactlyTwoTimesTheFrequencyIsNotRemarkableAndOnePersonMoreIs) {
  EXPECT_EQ(ClassifyPersistence(OfTenThousand(1000), kFive, 1), Persistence::kComesAndGoes);
  EXPECT_EQ(ClassifyPersistence(OfTenThousand(2000), kFive, 1), Persistence::kComesAndGoes);
  EXPECT_EQ(ClassifyPersistence(OfTenThousand(2001), kFive, 1), Persistence::kStays);
}

TEST(Persistence, ExactlyWhatThePolicyAllowsIsNotRefusedAndOnePersonMoreIs) {
  EXPECT_EQ(ClassifyPersistence(OfTenThousand(5000), kFive, 1), Persistence::kStays);
  EXPECT_EQ(ClassifyPersistence(OfTenThousand(5001), kFive, 1), Persistence::kRefused);
  EXPECT_EQ(ClassifyPersistence(OfTenThousand(3500), {7, 2}, 1), Persistence::kStays);
  EXPECT_EQ(ClassifyPersistence(OfTenThousand(3501), {7, 2}, 1), Persistence::kRefused);
}

TEST(Persistence, ALimitBelowWhatIsRemarkableRefusesAtOnce) {
  EXPECT_EQ(ClassifyPersistence(OfTenThousand(1500), {3, 2}, 1), Persistence::kComesAndGoes);
  EXPECT_EQ(ClassifyPersistence(OfTenThousand(1501), {3, 2}, 1), Persistence::kRefused);
}

// 5.001 times, and limits that a double cannot tell from it.
TEST(Persistence, LimitsAreComparedAsFractions) {
  constexpr std::uint64_t kDen = 10'000'000'000'000'000;
  EXPECT_EQ(ClassifyPersistence(OfTenThousand(5001), {50'010'000'000'000'001, kDen}, 1), Persistence::kStays);
  EXPECT_EQ(ClassifyPersistence(OfTenThousand(5001), {50'009'999'999'999'999, kDen}, 1), Persistence::kRefused);
}

TEST(Persistence, OneHolderAgainInASmallTableIsChance) {
  for (const std::uint64_t rows : {2U, 10U, 100U, 999U})
    EXPECT_EQ(ClassifyPersistence({rows, 1, rows, 1, 1}, kFive, 1), Persistence::kTooFew) << rows;
  // One of 1,001 people twice in a row is not, unless another item was looked at.
  EXPECT_EQ(ClassifyPersistence({1001, 1, 1001, 1, 1}, kFive, 1), Persistence::kRefused);
  EXPECT_EQ(ClassifyPersistence({1001, 1, 1001, 1, 1}, kFive, 2), Persistence::kTooFew);
  EXPECT_EQ(ClassifyPersistence({2002, 1, 2002, 1, 1}, kFive, 2), Persistence::kRefused);
}

TEST(Persistence, WhatNobodyHadIsUnknownAndWhatCouldNotShowIsToldAsTooFew) {
  EXPECT_EQ(ClassifyPersistence({1000, 50, 0, 0, 0}, kFive, 1), Persistence::kUnknown);
  EXPECT_EQ(ClassifyPersistence({1000, 50, 1000, 0, 0}, kFive, 1), Persistence::kUnknown);
  EXPECT_EQ(ClassifyPersistence({1000, 50, 1000, 2, 0}, kFive, 1), Persistence::kTooFew);
  EXPECT_EQ(ClassifyPersistence({1000, 0, 1000, 50, 0}, kFive, 1), Persistence::kTooFew);
  EXPECT_EQ(ClassifyPersistence({1000, 50, 1000, 50, 0}, kFive, 1), Persistence::kComesAndGoes);
}

TEST(Persistence, EverybodyAndThe32BitsOfRowsAreNoTrouble) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 32;
  EXPECT_EQ(ClassifyPersistence({kMost, kMost, kMost, kMost, kMost}, {1, 1}, 1), Persistence::kTooFew);
  EXPECT_EQ(ClassifyPersistence({kMost, kMost / 2, kMost, kMost / 2, kMost / 2}, {1, 1}, kMost), Persistence::kRefused);
  EXPECT_EQ(ClassifyPersistence({kMost, 1, kMost, 1, 1}, kFive, 1), Persistence::kRefused);
}

// Of `rows` rows with `holders` among them, the ways to choose `had` so that `again` or more of these hold it, and all.
struct Ways {
  std::uint64_t as_many = 0;
  std::uint64_t all = 0;
};

std::vector<std::vector<std::uint64_t>> PascalsTriangle(std::size_t rows) {
  std::vector<std::vector<std::uint64_t>> choose(rows + 1, std::vector<std::uint64_t>(rows + 1));
  for (std::size_t n = 0; n <= rows; ++n) {
    choose[n][0] = 1;
    for (std::size_t k = 1; k <= n; ++k) choose[n][k] = choose[n - 1][k - 1] + (k < n ? choose[n - 1][k] : 0);
  }
  return choose;
}

Ways CountWays(const std::vector<std::vector<std::uint64_t>>& choose, const HeldAgain& seen) {
  Ways ways{0, choose[seen.rows][seen.had]};
  for (std::uint64_t x = seen.again; x <= std::min(seen.had, seen.holders); ++x) {
    const std::uint64_t others = seen.had - x, free = seen.rows - seen.holders;
    if (others <= free) ways.as_many += choose[seen.holders][x] * choose[free][others];
  }
  return ways;
}

TEST(Persistence, NothingThatChanceDoesMoreOftenThanOnceInAThousandIsBeyondIt) {
  constexpr std::size_t kRows = 30;
  const auto choose = PascalsTriangle(kRows);
  std::size_t beyond = 0, rare = 0;
  for (std::uint64_t rows = 1; rows <= kRows; ++rows) {
    for (std::uint64_t holders = 0; holders <= rows; ++holders) {
      for (std::uint64_t had = 1; had <= rows; ++had) {
        for (std::uint64_t again = 0; again <= std::min(had, holders); ++again) {
          const HeldAgain seen{rows, holders, rows, had, again};
          const Ways ways = CountWays(choose, seen);
          const bool is_rare = ways.as_many * kOneFalseAlarmIn <= ways.all;
          rare += is_rare && ways.as_many > 0 ? 1 : 0;
          if (!IsBeyondChance(seen, 1)) continue;
          ++beyond;
          ASSERT_TRUE(is_rare) << rows << " " << holders << " " << had << " " << again;
        }
      }
    }
  }
  EXPECT_GT(beyond, 300U);
  EXPECT_GT(rare, beyond);
}

// {o,a,b,c}: one of four has it, then {o,d,e,f}: one of four, and everybody else is elsewhere. The frequency is
// `frequency`, and who had it has it again with the chance `again`. Every world of seven people and two releases, with
// its weight.
double ChanceThatOEverHadIt(double frequency, double again) {
  const double anew = frequency * (1 - again) / (1 - frequency);  // so that it stays as frequent
  double all = 0, ever = 0;
  for (unsigned world = 0; world < 1U << 14; ++world) {
    const std::bitset<7> first(world & 127U), second(world >> 7U);
    // o is person 0; a, b and c are 1 to 3; d, e and f are 4 to 6.
    const auto in_first = (first & std::bitset<7>(0b0001111)).count();
    const auto in_second = (second & std::bitset<7>(0b1110001)).count();
    if (in_first != 1 || in_second != 1) continue;
    double weight = 1;
    for (std::size_t person = 0; person < 7; ++person) {
      const double stays = first[person] ? again : anew;
      weight *= (first[person] ? frequency : 1 - frequency) * (second[person] ? stays : 1 - stays);
    }
    all += weight;
    if (first[0] || second[0]) ever += weight;
  }
  return ever / all;
}

TEST(Persistence, AValueThatStaysTellsMoreThanTheAccountAndTheMeterSeesIt) {
  // What the account says is right whatever the frequency, if every release is a fresh draw.
  for (const double frequency : {0.014, 0.05, 0.25})
    EXPECT_NEAR(ChanceThatOEverHadIt(frequency, frequency), 7.0 / 16, 1e-12) << frequency;
  EXPECT_NEAR(ChanceThatOEverHadIt(0.014, 0.3), 0.74, 0.005);
  // 14 of 1,000 people had it, and 4 of these have it again; with 14,000 of a million it is beyond doubt.
  EXPECT_EQ(ClassifyPersistence({1000, 14, 1000, 14, 4}, kFive, 1), Persistence::kRefused);
  EXPECT_EQ(ClassifyPersistence({1'000'000, 14'000, 1'000'000, 14'000, 4'200}, kFive, 100), Persistence::kRefused);
  EXPECT_EQ(ClassifyPersistence({1'000'000, 14'000, 1'000'000, 14'000, 196}, kFive, 100), Persistence::kComesAndGoes);
}

// One comparison of a value that 2 % have, drawn anew unless it stays.
HeldAgain DrawTwoReleases(std::uint64_t rows, std::uint32_t stays_in_a_thousand, Random& random) {
  constexpr std::uint32_t kHolders = 20;  // in a thousand
  HeldAgain seen{rows, 0, rows, 0, 0};
  for (std::uint64_t row = 0; row < rows; ++row) {
    const bool had = random.Below(1000) < kHolders;
    const bool stays = random.Below(1000) < stays_in_a_thousand;
    const bool has = stays ? had : random.Below(1000) < kHolders;
    seen.holders += has ? 1 : 0;
    seen.had += had ? 1 : 0;
    seen.again += had && has ? 1 : 0;
  }
  return seen;
}

std::size_t RefusedOf400(std::uint64_t rows, std::uint32_t stays_in_a_thousand) {
  Random random(SeedFromNumber(rows), "two releases");
  std::size_t refused = 0;
  for (int tried = 0; tried < 400; ++tried) {
    const HeldAgain seen = DrawTwoReleases(rows, stays_in_a_thousand, random);
    refused += ClassifyPersistence(seen, kFive, 1) == Persistence::kRefused ? 1 : 0;
  }
  return refused;
}

TEST(Persistence, HowManyPeopleItTakes) {
  EXPECT_NEAR(static_cast<double>(RefusedOf400(500, 300)), 0.45 * 400, 40);
  EXPECT_NEAR(static_cast<double>(RefusedOf400(1000, 300)), 0.8 * 400, 40);
  EXPECT_GT(RefusedOf400(2000, 300), 0.96 * 400);
  for (const std::uint64_t rows : {50U, 500U, 1000U, 2000U}) EXPECT_EQ(RefusedOf400(rows, 0), 0U) << rows;
}

}  // namespace
}  // namespace pentimento::persistence_test
