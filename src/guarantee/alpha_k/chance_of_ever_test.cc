#include "guarantee/alpha_k/chance_of_ever.h"

#include <gtest/gtest.h>

#include <vector>

namespace pentimento::chance_of_ever_test {
namespace {

// The definition: every way to choose `drawn` of the rows, the first `with_value` of which have the value.
Ratio BruteForce(const DrawsFromClass& draw) {
  std::uint64_t ways = 0, with = 0;
  for (std::uint64_t chosen = 0; chosen < (std::uint64_t{1} << draw.rows); ++chosen) {
    if (static_cast<std::uint64_t>(__builtin_popcountll(chosen)) != draw.drawn) continue;
    ++ways;
    with += (chosen & ((std::uint64_t{1} << draw.with_value) - 1)) != 0 ? 1 : 0;
  }
  return {with, ways};
}

TEST(ChanceOfEver, IsTheShareOfAllWaysToChoose) {
  for (std::uint64_t rows = 1; rows <= 9; ++rows) {
    for (std::uint64_t with_value = 0; with_value <= rows; ++with_value) {
      for (std::uint64_t drawn = 0; drawn <= rows; ++drawn) {
        const DrawsFromClass draw{rows, with_value, drawn};
        const Ratio truth = BruteForce(draw);
        const auto chance = ChanceOfEver(std::span(&draw, 1));
        ASSERT_TRUE(chance);
        EXPECT_TRUE((*chance <=> truth) == 0) << rows << " " << with_value << " " << drawn;
      }
    }
  }
}

TEST(ChanceOfEver, OverTwoClassesWithAHalfEachIsThreeQuarters) {
  const std::vector<DrawsFromClass> draws = {{2, 1, 1}, {2, 1, 1}};
  EXPECT_EQ(ChanceOfEver(draws), (Ratio{3, 4}));
  EXPECT_TRUE(ChanceOfEverIsAtMost(draws, {3, 4}));
  EXPECT_FALSE(ChanceOfEverIsAtMost(draws, {74, 100}));
}

TEST(ChanceOfEver, IsAtMostItselfAndNotAtMostAnythingLess) {
  // Next to the chance on both sides, as close as a fraction of 64 bits can be: bounds alone do not tell.
  for (std::uint64_t n = 3; n <= 40; ++n) {
    for (std::uint64_t s = 0; s <= n; ++s) {
      const std::vector<DrawsFromClass> draws = {{n, s, 2}, {n + 1, s, 1}};
      const Ratio chance = *ChanceOfEver(draws);
      const std::uint64_t fine = UINT64_MAX / chance.den;
      for (const auto is_at_most : {ChanceOfEverIsAtMost, ChanceOfEverIsAtMostInFull}) {
        EXPECT_TRUE(is_at_most(draws, chance));
        EXPECT_TRUE(is_at_most(draws, {chance.num * fine, chance.den * fine}));
        if (chance.num == 0) continue;
        EXPECT_FALSE(is_at_most(draws, {chance.num * fine - 1, chance.den * fine}));
      }
    }
  }
}

TEST(ChanceOfEver, BoundsAgreeWithTheFullProducts) {
  const std::vector<Ratio> limits = {{0, 1}, {1, 10}, {1, 3}, {1, 2}, {3, 4}, {999'999, 1'000'000}, {1, 1}};
  for (std::uint64_t n : {5, 64, 1000, 4'000'000}) {
    for (std::uint64_t s : {0, 1, 2, 5}) {
      for (std::uint64_t r : {1, 2, 5}) {
        const std::vector<DrawsFromClass> draws = {{n, s, r}, {n + 3, s, 1}, {n, 1, r}};
        for (const Ratio limit : limits) {
          EXPECT_EQ(ChanceOfEverIsAtMost(draws, limit), ChanceOfEverIsAtMostInFull(draws, limit));
        }
      }
    }
  }
}

TEST(ChanceOfEver, OfOneValueAmongMillionsIsTheShareOfTheRowsDrawn) {
  const std::vector<DrawsFromClass> draws = {{4'000'000'000, 1, 2'000'000'000}};
  EXPECT_EQ(ChanceOfEver(draws), (Ratio{1, 2}));
  EXPECT_TRUE(ChanceOfEverIsAtMost(draws, {1, 2}));
  EXPECT_FALSE(ChanceOfEverIsAtMost(draws, {499'999'999, 1'000'000'000}));
}

TEST(ChanceOfEver, OfMoreDrawsThanRowsWithoutTheValueIsCertain) {
  const std::vector<DrawsFromClass> draws = {{5, 3, 3}};
  EXPECT_EQ(ChanceOfEver(draws), (Ratio{1, 1}));
  EXPECT_FALSE(ChanceOfEverIsAtMost(draws, {UINT64_MAX - 1, UINT64_MAX}));
  EXPECT_TRUE(ChanceOfEverIsAtMost(draws, {1, 1}));
}

TEST(ChanceOfEver, ThatFillsMoreThan64BitsIsStillCompared) {
  const std::vector<DrawsFromClass> draws = {{4'294'967'291, 3, 1}, {4'294'967'279, 5, 1}, {4'294'967'231, 7, 1}};
  EXPECT_FALSE(ChanceOfEver(draws));
  // The sum of the three shares is a little more than the chance.
  EXPECT_TRUE(ChanceOfEverIsAtMost(draws, {15, 4'294'967'231}));
  EXPECT_FALSE(ChanceOfEverIsAtMost(draws, {14, 4'294'967'291}));
}

}  // namespace
}  // namespace pentimento::chance_of_ever_test
