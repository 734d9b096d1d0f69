#include "anonymize/limits/class_rule.h"

#include <gtest/gtest.h>

#include <initializer_list>

#include "base/random.h"
#include "base/rounds_testing.h"

namespace pentimento::class_rule_test {
namespace {

CodeColumn Column(Code size, std::initializer_list<Code> codes) {
  CodeColumn column(size, codes.size());
  std::size_t row = 0;
  for (const Code code : codes) column.Set(row++, code);
  return column;
}

// Every signature is a value with the same limit.
Signatures Values(Code count, Ratio alpha) {
  Signatures signatures;
  signatures.count = count;
  for (Code value = 0; value < count; ++value) signatures.items.push_back({{value}, alpha});
  return signatures;
}

TEST(ClassRule, TakesTheLimitAsAnExactFraction) {
  const CodeColumn disease = Column(3, {0, 1, 2});
  const CodeColumn* columns[] = {&disease};
  const Code sizes[] = {3};
  const auto holds = [&](Ratio alpha) {
    const Signatures signatures = CollectSignatures(3, columns, sizes, {2, {{0, {0, 1, 2}, false, alpha}}});
    return ClassRule(&signatures, 2).Holds(signatures.CountRows(), 3);
  };
  EXPECT_TRUE(holds({1, 3}));
  EXPECT_FALSE(holds({33, 100}));
}

TEST(ClassRule, CountsASetOfValuesTogetherAndColumnsApart) {
  const CodeColumn disease = Column(3, {0, 1, 2, 2});
  const CodeColumn income = Column(2, {0, 0, 0, 1});
  const CodeColumn* columns[] = {&disease, &income};
  const Code sizes[] = {3, 2};
  const auto holds = [&](std::vector<SensitiveLimit> limits) {
    const Signatures signatures = CollectSignatures(4, columns, sizes, {2, std::move(limits)});
    return ClassRule(&signatures, 2).Holds(signatures.CountRows(), 4);
  };
  EXPECT_TRUE(holds({{0, {0, 1}, false, {1, 4}}}));
  EXPECT_FALSE(holds({{0, {0, 1}, true, {1, 4}}}));
  EXPECT_TRUE(holds({{0, {0, 1}, true, {1, 2}}, {1, {0, 1}, false, {3, 4}}}));
  EXPECT_FALSE(holds({{0, {0, 1}, true, {1, 2}}, {1, {0, 1}, false, {1, 2}}}));
}

TEST(ClassRule, IsStricterWhereSomebodyHasSeveralRows) {
  const CodeColumn disease = Column(2, {0, 1, 1, 1});
  const CodeColumn* columns[] = {&disease};
  const Code sizes[] = {2};
  const Signatures signatures = CollectSignatures(4, columns, sizes, {2, {{0, {0}, false, {1, 4}}}});
  const ClassRule rule(&signatures, 2);
  EXPECT_TRUE(rule.Holds(signatures.CountRows(), 4));
  EXPECT_FALSE(rule.Holds(signatures.CountRows(), 3));
  EXPECT_FALSE(rule.Holds(signatures.CountRows(), 4, 2));
}

TEST(ClassRule, ALimitOfOneIsNone) {
  const CodeColumn disease = Column(2, {0, 0, 0, 1});
  const CodeColumn* columns[] = {&disease};
  const Code sizes[] = {2};
  const Signatures signatures = CollectSignatures(4, columns, sizes, {2, {{0, {0, 1}, false, {1, 1}}}});
  const ClassRule rule(&signatures, 2);
  EXPECT_FALSE(rule.Binds(0));
  EXPECT_TRUE(rule.Holds(signatures.CountRows(), 2, 3));
  EXPECT_EQ(signatures.items.size(), 2U);  // shares are still told of them
}

TEST(ClassRule, KnowsTheSmallestClass) {
  const Signatures thirds = Values(14, {1, 3});
  EXPECT_EQ(ClassRule(&thirds, 2).smallest_class(), 3U);
  EXPECT_EQ(ClassRule(&thirds, 10).smallest_class(), 10U);
  const Signatures two_values = Values(2, {1, 2});
  EXPECT_EQ(ClassRule(&two_values, 3).smallest_class(), 4U);
  Signatures one_limited = Values(2, {1, 10});
  one_limited.items.pop_back();
  EXPECT_EQ(ClassRule(&one_limited, 2).smallest_class(), 2U);
  EXPECT_EQ(ClassRule(nullptr, 7).smallest_class(), 7U);
}

// Also where numbers have more than 32 bits.
TEST(ClassRule, SaysHowManyPeopleAreNeeded) {
  for (const std::uint64_t by : {std::uint64_t{1}, std::uint64_t{1} << 40}) {
    const Signatures thirds = Values(4, {by, 3 * by});
    const ClassRule rule(&thirds, 2);
    EXPECT_EQ(rule.PersonsNeeded(0, 4), 12U);
    EXPECT_EQ(rule.PersonsNeeded(0, 4, 2), 24U);
    EXPECT_EQ(rule.PersonsNeeded(0, 4, 1, 13), 13U);
    EXPECT_TRUE(rule.IsTooMany(0, 4, 11));
    EXPECT_FALSE(rule.IsTooMany(0, 4, 12));
  }
  const Signatures never = Values(1, {0, 1});
  EXPECT_EQ(ClassRule(&never, 2).PersonsNeeded(0, 1), UINT64_MAX);
}

TEST(Tally, AgreesWithTheRuleOfAClass) {
  Random random(SeedFromNumber(1), "test");
  for (std::size_t round = 0; round < TestRounds(2'000); ++round) {
    Signatures signatures = Values(5, {1 + random.Below(3), 4 + random.Below(3)});
    signatures.items.push_back({{0, 2, 4}, {1, 2}});
    signatures.items.push_back({{1, 3}, {1, 1}});
    if (random.Below(2) == 0) signatures.items.erase(signatures.items.begin() + 1);
    const ClassRule rule(&signatures, 1 + random.Below(9));
    Tally tally(rule);
    for (int again = 0; again < 2; ++again, tally.Clear()) {
      std::vector<std::uint32_t> counts(5);
      std::uint64_t persons = 0;
      std::uint64_t most_rows = 1;
      for (int step = 0; step < 20; ++step) {
        const Code signature = random.Below(5);
        const std::uint32_t rows = random.Below(4);
        counts[signature] += rows;
        if (random.Below(2) == 0) {
          tally.Add(signature, rows);
          persons += rows;
        } else {
          const std::uint64_t of_person = 1 + random.Below(again == 0 ? 1 : 3);
          tally.AddRows(signature, rows);
          tally.AddPerson(of_person);
          most_rows = std::max(most_rows, of_person);
          ++persons;
        }
        EXPECT_EQ(tally.persons(), persons);
        EXPECT_EQ(tally.Holds(), rule.Holds(counts, persons, most_rows));
      }
    }
  }
}

}  // namespace
}  // namespace pentimento::class_rule_test
