#include "anonymize/anatomy/anatomy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "anonymize/anatomy/largest_buckets.h"
#include "base/parallel.h"
#include "base/rounds_testing.h"

namespace pentimento::anatomy_test {
namespace {

struct Case {
  EncodedTable table;
  std::vector<CodeColumn> sensitive;
  std::vector<Code> sizes;
};

Case MakeCase(const std::vector<std::vector<Code>>& columns) {
  Case made;
  made.table.rows = columns[0].size();
  for (const std::vector<Code>& codes : columns) {
    const Code size = codes.empty() ? 1 : *std::ranges::max_element(codes) + 1;
    made.sizes.push_back(size);
    made.sensitive.emplace_back(size, codes.size());
    for (std::size_t row = 0; row < codes.size(); ++row) made.sensitive.back().Set(row, codes[row]);
  }
  return made;
}

// `counts[v]` rows with value v, one value after another.
Case WithCounts(const std::vector<std::uint32_t>& counts) {
  std::vector<Code> codes;
  for (Code value = 0; value < counts.size(); ++value) codes.insert(codes.end(), counts[value], value);
  return MakeCase({codes});
}

SensitiveLimit EveryValue(const Case& given, std::uint32_t column, Ratio alpha) {
  std::vector<Code> values(given.sizes[column]);
  std::iota(values.begin(), values.end(), Code{0});
  return {column, values, false, alpha};
}

Result<Classes> Group(const Case& given, const AlphaKClaim& claim, std::uint64_t seed = 1) {
  std::vector<const CodeColumn*> columns;
  for (const CodeColumn& column : given.sensitive) columns.push_back(&column);
  const Signatures signatures = CollectSignatures(given.table.rows, columns, given.sizes, claim);
  return GroupByAnatomy(given.table, {claim.k, &signatures, SeedFromNumber(seed)});
}

std::vector<std::vector<std::size_t>> Members(const Classes& grouping) {
  std::vector<std::vector<std::size_t>> members(grouping.count());
  for (std::size_t row = 0; row < grouping.of_row.size(); ++row) {
    EXPECT_LT(grouping.of_row[row], grouping.count());
    members[grouping.of_row[row]].push_back(row);
  }
  return members;
}

void ExpectClasses(const Case& given, const AlphaKClaim& claim, const Classes& grouping) {
  ASSERT_EQ(grouping.of_row.size(), given.table.rows);
  for (const std::vector<std::size_t>& rows : Members(grouping)) {
    EXPECT_GE(rows.size(), std::max<std::uint64_t>(claim.k, 1));
    for (const SensitiveLimit& limit : claim.limits) {
      std::map<Code, std::uint64_t> counts;
      for (const std::size_t row : rows) {
        const Code value = given.sensitive[limit.column][row];
        if (std::ranges::binary_search(limit.values, value)) ++counts[limit.together ? 0 : value];
      }
      for (const auto& [value, count] : counts) EXPECT_LE(count * limit.at_most.den, limit.at_most.num * rows.size());
    }
  }
}

TEST(Anatomy, MakesClassesOfLDifferentValuesAndSpreadsTheRest) {
  const Case given = WithCounts({7, 6, 5, 4, 1});  // 23 rows
  const AlphaKClaim claim{2, {EveryValue(given, 0, {1, 3})}};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Classes grouping = Group(given, claim, seed).value();
    EXPECT_EQ(grouping.count(), 7U);
    for (const auto& rows : Members(grouping)) {
      std::set<Code> values;
      for (const std::size_t row : rows) values.insert(given.sensitive[0][row]);
      EXPECT_EQ(values.size(), rows.size());
      EXPECT_GE(rows.size(), 3U);
    }
  }
}

// Taking from any l buckets that have rows fails here: after two classes without the first value it has too many.
TEST(Anatomy, TakesFromTheBucketsThatAreLargestAtTheTime) {
  const Case given = WithCounts({4, 2, 2, 2, 2});
  const AlphaKClaim claim{2, {EveryValue(given, 0, {1, 3})}};
  const Classes grouping = Group(given, claim).value();
  EXPECT_EQ(grouping.count(), 4U);
  ExpectClasses(given, claim, grouping);
}

TEST(Anatomy, LeavesAtMostOneRowOfASignatureForTheEnd) {
  Random random(SeedFromNumber(1), "test");
  int eligible = 0;
  for (std::size_t round = 0; round < TestRounds(20'000); ++round) {
    std::vector<std::uint32_t> rows(2 + random.Below(9));
    for (std::uint32_t& own : rows) own = random.Below(12);
    const std::uint64_t l = 2 + random.Below(5);
    if (!anatomy::IsEligible(rows, l)) continue;
    ++eligible;
    anatomy::ClassLists lists = anatomy::FormFromLargestBuckets(rows, l, random);
    std::vector<std::set<Code>> values(lists.classes);
    for (Code signature = 0; signature < rows.size(); ++signature) {
      for (const ClassNumber number : lists.of(signature))
        EXPECT_TRUE(values[number].insert(signature).second) << "a signature twice in a class";
    }
    for (const std::set<Code>& of_class : values) EXPECT_GE(of_class.size(), l);
  }
  EXPECT_GT(eligible, TestRounds(3'000));
}

TEST(Anatomy, IsEligibleExactlyUpToOneLth) {
  EXPECT_TRUE(anatomy::IsEligible(std::vector<std::uint32_t>{3, 3, 3}, 3));
  EXPECT_FALSE(anatomy::IsEligible(std::vector<std::uint32_t>{4, 3, 3}, 3));
  EXPECT_FALSE(anatomy::IsEligible(std::vector<std::uint32_t>{1, 1}, 3));
}

TEST(Anatomy, DrawsRowsByTheSeed) {
  const Case given = WithCounts({40, 40, 40, 40, 1});
  const AlphaKClaim claim{2, {EveryValue(given, 0, {1, 4})}};
  std::set<ClassNumber> of_first;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Classes grouping = Group(given, claim, seed).value();
    of_first.insert(grouping.of_row.front());
    EXPECT_EQ(grouping.of_row, Group(given, claim, seed).value().of_row);
  }
  EXPECT_EQ(of_first.size(), 40U) << "a row can end up in any class";
}

TEST(Anatomy, DrawsAClassForWhatIsLeftOverFromAllThatDoNotHaveItsValue) {
  Random random(SeedFromNumber(6), "test");
  std::map<std::vector<ClassNumber>, int> drawn;
  // The first value is left with one of its two rows: the other is in one of five classes.
  const std::vector<std::uint32_t> rows = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1};
  const std::size_t rounds = TestRounds(4'000);
  for (std::size_t round = 0; round < rounds; ++round) {
    anatomy::ClassLists lists = anatomy::FormFromLargestBuckets(rows, 4, random);
    ASSERT_EQ(lists.classes, 5U);
    ++drawn[lists.class_of_slot];
  }
  // One row is left over, and four classes are open to it if its value is in one already, else all five.
  ASSERT_GE(drawn.size(), 4U);
  for (const auto& [slots, times] : drawn)
    EXPECT_NEAR(times, static_cast<double>(rounds / drawn.size()), static_cast<double>(rounds) / 20);
}

TEST(Anatomy, JoinsClassesWhereKIsLargerThanL) {
  const Case given = WithCounts({20, 20, 20, 20, 20, 3});
  const AlphaKClaim claim{10, {EveryValue(given, 0, {1, 5})}};
  const Classes grouping = Group(given, claim).value();
  EXPECT_EQ(grouping.count(), 10U);
  ExpectClasses(given, claim, grouping);
}

TEST(Anatomy, KeepsClassesSmallWhereOnlyAFewValuesAreLimited) {
  // Two percent have the value that is limited to a tenth; classes of different signatures would not exist.
  const Case given = WithCounts({20, 980});
  const AlphaKClaim claim{2, {{0, {0}, false, {1, 10}}}};
  const Classes grouping = Group(given, claim).value();
  EXPECT_EQ(grouping.count(), 100U);
  ExpectClasses(given, claim, grouping);
}

TEST(Anatomy, KeepsLimitsOfDifferentStrictnessAndOfSets) {
  // Divided in the order of the values, the two of the set would meet in some classes.
  const Case given = WithCounts({30, 295, 300, 30, 345});
  const AlphaKClaim claim{2, {EveryValue(given, 0, {2, 5}), {0, {0, 3}, true, {1, 10}}}};
  const Classes grouping = Group(given, claim).value();
  EXPECT_EQ(grouping.count(), 100U);
  ExpectClasses(given, claim, grouping);
}

TEST(Anatomy, JoinsEverythingWhereNothingElseKeepsTheRule) {
  const Case given = WithCounts({3, 4});
  const AlphaKClaim claim{2, {EveryValue(given, 0, {4, 7})}};
  EXPECT_EQ(Group(given, claim).value().count(), 1U);
}

TEST(Anatomy, RefusesAValueAboveItsLimitTooFewRowsAndPersonsWithSeveralRows) {
  const Case frequent = WithCounts({3, 1, 1});
  const Result<Classes> too_frequent = Group(frequent, {2, {EveryValue(frequent, 0, {1, 2})}});
  ASSERT_FALSE(too_frequent.ok());
  EXPECT_EQ(too_frequent.error().code, ErrorCode::kRefused);
  EXPECT_NE(too_frequent.error().message.find("3 of the 5 rows"), std::string::npos);
  Case given = WithCounts({1, 1, 1});
  EXPECT_EQ(Group(given, {4, {EveryValue(given, 0, {1, 2})}}).error().code, ErrorCode::kRefused);
  given.table.persons = Persons{{0, 0, 1}, 2};
  const Result<Classes> persons = Group(given, {2, {EveryValue(given, 0, {1, 2})}});
  ASSERT_FALSE(persons.ok());
  EXPECT_EQ(persons.error().code, ErrorCode::kBadPolicy);
  EXPECT_NE(persons.error().message.find("method = \"partition\""), std::string::npos);
  EXPECT_EQ(Group(MakeCase({{}}), {0, {}}).error().code, ErrorCode::kRefused);
}

TEST(Anatomy, MakesNothingButClassesThatKeepTheRule) {
  Random random(SeedFromNumber(2), "test");
  int made = 0;
  int several = 0;
  for (std::size_t round = 0; round < TestRounds(5'000); ++round) {
    const std::size_t rows = 1 + random.Below(150);
    std::vector<std::vector<Code>> columns(1 + random.Below(2), std::vector<Code>(rows));
    for (std::vector<Code>& codes : columns) {
      const std::uint32_t values = 2 + random.Below(8);
      for (Code& code : codes) code = std::min(random.Below(values), random.Below(2 * values));
    }
    const Case given = MakeCase(columns);
    AlphaKClaim claim{random.Below(12), {}};
    const auto limit = [&] { return std::array<Ratio, 5>{{{1, 2}, {1, 3}, {2, 5}, {1, 4}, {9, 10}}}[random.Below(5)]; };
    for (std::uint32_t c = 0; c < columns.size(); ++c) {
      if (random.Below(4) > 0) claim.limits.push_back(EveryValue(given, c, limit()));
      if (random.Below(3) == 0) claim.limits.push_back({c, {0, 1}, true, limit()});
      if (random.Below(3) == 0) claim.limits.push_back({c, {1}, false, {1, 8}});
    }
    const Result<Classes> grouping = Group(given, claim, static_cast<std::uint64_t>(round));
    if (!grouping.ok()) {
      EXPECT_EQ(grouping.error().code, ErrorCode::kRefused);
      continue;
    }
    ++made;
    several += grouping->count() > 1 ? 1 : 0;
    ExpectClasses(given, claim, *grouping);
  }
  EXPECT_GT(made, TestRounds(1'500));
  EXPECT_GT(several, TestRounds(1'000));
}

TEST(Anatomy, GivesTheSameForAnyNumberOfThreads) {
  Random random(SeedFromNumber(3), "test");
  std::vector<Code> codes(400'000);
  for (Code& code : codes) code = random.Below(300);
  const Case given = MakeCase({codes});
  const AlphaKClaim claim{2, {EveryValue(given, 0, {1, 3})}};
  const auto group = [&](std::size_t threads) {
    const ThreadLimit limit(threads);
    return Group(given, claim).value().of_row;
  };
  const std::vector<ClassNumber> alone = group(1);
  for (const std::size_t threads : {2U, 3U, 8U}) EXPECT_EQ(group(threads), alone);
}

}  // namespace
}  // namespace pentimento::anatomy_test
