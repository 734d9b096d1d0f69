#include "utility/count_estimate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace pentimento::count_estimate_test {
namespace {

// One class: `a` rows meet the quasi-identifier predicate; each SS table has `b` entries that meet its own. Every
// assignment of entries to rows is equally likely.
struct Moments {
  double mean = 0;
  double variance = 0;
  double least = 1e9;
  double most = 0;
};

// All ways to choose which rows have the entries that meet the predicate: subsets of size b of n rows.
std::vector<unsigned> Subsets(unsigned n, unsigned b) {
  std::vector<unsigned> subsets;
  for (unsigned set = 0; set < 1U << n; ++set) {
    if (static_cast<unsigned>(__builtin_popcount(set)) == b) subsets.push_back(set);
  }
  return subsets;
}

Moments Enumerate(unsigned n, unsigned a, const std::vector<std::uint64_t>& b) {
  std::vector<unsigned> left = {(1U << a) - 1};
  for (const std::uint64_t one : b) {
    std::vector<unsigned> next;
    for (const unsigned rows : left) {
      for (const unsigned subset : Subsets(n, static_cast<unsigned>(one))) next.push_back(rows & subset);
    }
    left = next;
  }
  Moments moments;
  double squares = 0;
  for (const unsigned rows : left) {
    const double count = __builtin_popcount(rows);
    moments.mean += count;
    squares += count * count;
    moments.least = std::min(moments.least, count);
    moments.most = std::max(moments.most, count);
  }
  moments.mean /= static_cast<double>(left.size());
  moments.variance = squares / static_cast<double>(left.size()) - moments.mean * moments.mean;
  return moments;
}

void ExpectAgrees(const CountEstimate& count, const Moments& moments) {
  EXPECT_NEAR(count.estimate, moments.mean, 1e-9);
  EXPECT_NEAR(count.variance, moments.variance, 1e-9);
  EXPECT_EQ(count.least, moments.least);
  EXPECT_EQ(count.most, moments.most);
}

TEST(EqualClasses, MeanAndVarianceAreThoseOverAllAssignments) {
  for (unsigned n = 1; n <= 7; ++n) {
    for (unsigned a = 1; a <= n; ++a) {
      for (unsigned b = 1; b <= n; ++b) {
        SCOPED_TRACE(testing::Message() << "n=" << n << " a=" << a << " b=" << b);
        EqualClasses classes(n);
        classes.Add(a, b);
        ExpectAgrees(classes.Sum(), Enumerate(n, a, {b}));
      }
    }
  }
}

TEST(EqualClasses, SumsThatWereMadeElsewhereCountLikeSingleClasses) {
  EqualClasses one_by_one(5), at_once(5);
  one_by_one.Add(2, 3);
  one_by_one.Add(4, 4);
  at_once.AddSums({2 * 3 + 4 * 4, 2 * 3 * 3 * 2 + 4 * 4 * 1 * 1, 3, 2 + 4, 3 + 4});
  EXPECT_EQ(at_once.Sum(), one_by_one.Sum());
}

TEST(EstimateInClass, SeveralSensitiveColumnsAreIndependentGivenTheClass) {
  for (unsigned n = 1; n <= 4; ++n) {
    for (unsigned a = 1; a <= n; ++a) {
      for (std::uint64_t b = 1; b <= n; ++b) {
        for (std::uint64_t c = 1; c <= n; ++c) {
          SCOPED_TRACE(testing::Message() << "n=" << n << " a=" << a << " b=" << b << " c=" << c);
          const std::vector<std::uint64_t> both = {b, c};
          ExpectAgrees(EstimateInClass(n, a, both), Enumerate(n, a, both));
        }
      }
    }
  }
  const std::vector<std::uint64_t> three = {2, 3, 1};
  ExpectAgrees(EstimateInClass(4, 3, three), Enumerate(4, 3, three));
}

TEST(EstimateInClass, WithoutASensitivePredicateTheCountIsKnown) {
  EXPECT_EQ(EstimateInClass(9, 4, {}), KnownCount(4));
}

TEST(EstimateInBox, MeanAndVarianceAreThoseOverAllPlacesInTheBox) {
  // Three rows, each at one of four points, one of which meets the predicate.
  double sum = 0, squares = 0;
  for (int places = 0; places < 64; ++places) {
    const double met = (places % 4 == 0) + (places / 4 % 4 == 0) + (places / 16 == 0);
    sum += met;
    squares += met * met;
  }
  const CountEstimate count = EstimateInBox(3, 0.25, false);
  EXPECT_DOUBLE_EQ(count.estimate, sum / 64);
  EXPECT_DOUBLE_EQ(count.variance, squares / 64 - sum / 64 * sum / 64);
  EXPECT_EQ(count.least, 0);
  EXPECT_EQ(count.most, 3);
}

TEST(EstimateInBox, ABoxThatLiesInsideIsExact) { EXPECT_EQ(EstimateInBox(7, 1, true), KnownCount(7)); }

TEST(EstimateInBox, WhatIsUnlikelyIsNotRuledOut) {
  EXPECT_EQ(EstimateInBox(7, 0, false), (CountEstimate{0, 0, 0, 7, 0}));
  EXPECT_EQ(EstimateInBox(7, 1, false), (CountEstimate{7, 0, 0, 7, 7}));
}

TEST(ChanceInterval, ReachesTwoStandardErrorsOrSo) {
  const CountInterval interval = ChanceInterval({100, 25, 0, 1000, 0});
  EXPECT_DOUBLE_EQ(interval.low, 100 - 9.8);
  EXPECT_DOUBLE_EQ(interval.high, 100 + 9.8);
}

TEST(ChanceInterval, IsCutToWhatIsCertain) {
  const CountInterval interval = ChanceInterval({5, 25, 3, 8, 0});
  EXPECT_EQ(interval.low, 3);
  EXPECT_EQ(interval.high, 8);
}

}  // namespace
}  // namespace pentimento::count_estimate_test
