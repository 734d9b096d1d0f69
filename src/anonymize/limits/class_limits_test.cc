#include "anonymize/limits/class_limits.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace pentimento::class_limits_test {
namespace {

// Every signature is a value with the same limit.
Signatures Values(Code count, Ratio alpha) {
  Signatures signatures;
  signatures.count = count;
  for (Code value = 0; value < count; ++value) signatures.items.push_back({{value}, alpha});
  return signatures;
}

TEST(ClassLimits, KnowTheSmallestClass) {
  const Signatures thirds = Values(14, {1, 3});
  EXPECT_EQ(ClassLimits(&thirds, 2).smallest_class(), 3U);
  EXPECT_EQ(ClassLimits(&thirds, 10).smallest_class(), 10U);
  const Signatures two_values = Values(2, {1, 2});
  EXPECT_EQ(ClassLimits(&two_values, 3).smallest_class(), 4U);
  Signatures one_limited = Values(2, {1, 10});
  one_limited.items.pop_back();
  EXPECT_EQ(ClassLimits(&one_limited, 2).smallest_class(), 2U);
  EXPECT_EQ(ClassLimits(nullptr, 7).smallest_class(), 7U);
}

TEST(Tally, AgreesWithTheRuleOfAClass) {
  Random random(SeedFromNumber(1), "test");
  for (int round = 0; round < 2'000; ++round) {
    Signatures signatures = Values(5, {1 + random.Below(3), 4 + random.Below(3)});
    signatures.items.push_back({{0, 2, 4}, {1, 2}});
    if (random.Below(2) == 0) signatures.items.erase(signatures.items.begin() + 1);
    const std::uint64_t k = 1 + random.Below(9);
    const ClassLimits limits(&signatures, k);
    Tally tally(limits);
    std::vector<std::uint32_t> counts(5);
    for (int step = 0; step < 20; ++step) {
      const Code signature = random.Below(5);
      const std::uint32_t rows = random.Below(4);
      counts[signature] += rows;
      tally.Add(signature, rows);
      if (random.Below(3) == 0 && counts[1] > 0) {
        --counts[1];
        tally.Remove(1, 1);
      }
      EXPECT_EQ(tally.Holds(), SensitiveRule(signatures, k).Holds(counts, tally.rows()));
      EXPECT_EQ(tally.Holds(), tally.RowsNeeded() <= tally.rows());
    }
    tally.Clear();
    EXPECT_EQ(tally.rows(), 0U);
    EXPECT_EQ(tally.RowsNeeded(), limits.smallest_class());
  }
}

TEST(ClassLimits, AreTheSameInAnyNumberOfBits) {
  Random random(SeedFromNumber(2), "test");
  for (int round = 0; round < 2'000; ++round) {
    // Now and then as large as a product of 64 bits allows.
    const std::uint32_t most = random.Below(4) == 0 ? 0xFFFFFFFF : 1 + random.Below(100);
    const std::uint64_t den = 1 + random.Below(most);
    const std::uint64_t num = 1 + random.Below(static_cast<std::uint32_t>(den));
    const Signatures narrow = Values(2, {num, den});
    const Signatures wide = Values(2, {num << 31, den << 31});
    const ClassLimits limits(&narrow, 1);
    const ClassLimits wide_limits(&wide, 1);
    ASSERT_TRUE(limits.are_by_signature());
    const std::uint32_t rows = random.Below(most);
    // At the boundary and on both sides of it.
    const auto allowed = static_cast<std::uint32_t>(num * rows / den);
    for (const std::uint32_t count : {allowed, allowed + 1, random.Below(most)}) {
      EXPECT_EQ(limits.IsOverdrawn(1, count, rows), wide_limits.IsOverdrawn(1, count, rows));
      EXPECT_EQ(limits.IsTooMany(1, count, rows), limits.IsOverdrawn(1, count, rows));
      EXPECT_EQ(limits.RowsNeeded(1, count), wide_limits.RowsNeeded(1, count));
    }
    EXPECT_FALSE(limits.IsTooMany(1, allowed, rows));
  }
}

TEST(ClassLimits, AreBySignatureWhereEachValueIsLimitedByItself) {
  Signatures signatures = Values(3, {1, 2});
  EXPECT_TRUE(ClassLimits(&signatures, 2).are_by_signature());
  signatures.items.push_back({{1}, {1, 3}});
  EXPECT_FALSE(ClassLimits(&signatures, 2).are_by_signature()) << "two limits for one value";
  signatures.items.back() = {{0, 1}, {2, 3}};
  EXPECT_FALSE(ClassLimits(&signatures, 2).are_by_signature()) << "a limit for two values";
  signatures.items.erase(signatures.items.begin() + 1, signatures.items.end());
  const ClassLimits one(&signatures, 2);
  EXPECT_TRUE(one.are_by_signature());
  EXPECT_FALSE(one.IsTooMany(2, 10, 10)) << "nobody limits it";
}

TEST(Tally, SaysHowManyRowsAreNeededAndWhichSignaturesCannotHelp) {
  const Signatures thirds = Values(4, {1, 3});
  const ClassLimits limits(&thirds, 2);
  Tally tally(limits);
  tally.Add(0, 4);
  EXPECT_EQ(tally.RowsNeeded(), 12U);
  EXPECT_TRUE(tally.IsOverdrawn(0));
  EXPECT_FALSE(tally.IsOverdrawn(1));
}

}  // namespace
}  // namespace pentimento::class_limits_test
