#include "anonymize/sensitive/class_limits.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace pentimento {
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
      if (tally.Holds()) {
        EXPECT_LE(tally.RowsNeeded(), tally.rows());
      }
    }
    tally.Clear();
    EXPECT_EQ(tally.rows(), 0U);
    EXPECT_EQ(tally.RowsNeeded(), limits.smallest_class());
  }
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
}  // namespace pentimento
