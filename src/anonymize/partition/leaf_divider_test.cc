// How leaves are divided into bags, from the definition.
#include "anonymize/partition/leaf_divider.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "anonymize/partition/limited_partition_testing.h"
#include "anonymize/partition/partition.h"
#include "base/rounds_testing.h"

namespace pentimento::leaf_divider_test {
namespace {

using namespace partition_testing;

TEST(LeafDivider, DividesLeavesIntoBagsThatKeepTheLimits) {
  Random random(SeedFromNumber(16), "bags");
  std::size_t leaves = 0, bags = 0;
  for (std::size_t repeat = 0; repeat < TestRounds(3000) && !testing::Test::HasFailure(); ++repeat) {
    SCOPED_TRACE(repeat);
    const LimitedCase limited = RandomLimitedCase(random);
    PartitionOptions options = limited.options();
    const Result<Classes> whole = GroupByPartition(limited.given.table, limited.given.domains, options);
    options.bags = SeedFromNumber(3);
    const Result<Classes> divided = GroupByPartition(limited.given.table, limited.given.domains, options);
    ASSERT_EQ(whole.ok(), divided.ok());
    if (!whole.ok()) continue;
    const auto classes = RowsOfGroups(divided->of_row, divided->count());
    for (const RowSet& rows : classes) {
      EXPECT_TRUE(MayBeClass(limited, rows));
      for (const std::size_t row : rows) EXPECT_EQ(whole->of_row[row], whole->of_row[rows.front()]);
    }
    ExpectKeepsTheClaim(limited, classes);
    leaves += whole->count();
    bags += divided->count();
  }
  EXPECT_GT(bags, leaves + leaves / 5);
}

TEST(LeafDivider, DividesEqualRowsIntoAsManyBagsAsTheLimitsAllow) {
  const std::size_t rows = 30;
  std::vector<Code> values;
  for (Code row = 0; row < rows; ++row) values.push_back(row % 3);
  const auto bags_with = [&](std::vector<Code> of_row, Ratio alpha, std::uint64_t k) {
    const auto limited = Limited(MakeCase({Numbers(0, 9)}, Rows(rows, {4}), {}), std::move(of_row), alpha, k);
    PartitionOptions options = limited.options();
    options.bags = SeedFromNumber(3);
    return GroupByPartition(limited.given.table, limited.given.domains, options)->count();
  };
  EXPECT_EQ(bags_with(values, {1, 3}, 2), 10U);
  EXPECT_EQ(bags_with(values, {1, 3}, 5), 5U);  // bags of six: with five rows some value would have two
  EXPECT_EQ(bags_with(values, {2, 3}, 2), 15U);
  EXPECT_EQ(bags_with(values, {1, 1}, 7), 4U);
}

// Whoever knows how leaves are divided, and sees who is in which bag, learns no more than the bags say. Six rows that
// differ only in a code, three with each of two values: over many seeds every way of having the values that fits the
// bags is equally frequent.
TEST(LeafDivider, WhoSharesABagTellsNothingOfWhoHasWhat) {
  std::map<std::vector<ClassNumber>, std::map<std::vector<Code>, int>> seen;  // bags -> values -> how often
  std::vector<Code> values = {0, 0, 0, 1, 1, 1};
  std::vector<std::vector<Code>> worlds;
  do worlds.push_back(values);
  while (std::ranges::next_permutation(values).found);
  constexpr int kSeeds = 1500;
  for (const std::vector<Code>& world : worlds) {
    const auto limited = Limited(MakeCase({Numbers(0, 9)}, Rows(6, {4}), {}), world, {1, 2}, 2);
    PartitionOptions options = limited.options();
    for (int seed = 0; seed < kSeeds; ++seed) {
      options.bags = SeedFromNumber(static_cast<std::uint64_t>(seed));
      const Classes divided = GroupByPartition(limited.given.table, limited.given.domains, options).value();
      ASSERT_EQ(divided.count(), 3U);
      ++seen[divided.of_row][world];
    }
  }
  EXPECT_EQ(seen.size(), 90U);  // six rows in three pairs with names
  for (const auto& [bags, by_world] : seen) {
    EXPECT_EQ(by_world.size(), 8U);  // each bag has both values, in one of two ways
    for (const auto& [world, count] : by_world) EXPECT_NEAR(count, kSeeds / 36.0, 6 * std::sqrt(kSeeds / 36.0));
  }
}

TEST(LeafDivider, LeavesOfVeryManyRowsAreDividedAtRandomAsWell) {
  const std::size_t rows = 70'000;
  std::vector<Code> values;
  for (Code row = 0; row < rows; ++row) values.push_back(row % 2);
  const auto limited = Limited(MakeCase({Numbers(0, 9)}, Rows(rows, {4}), {}), values, {1, 2}, 2);
  PartitionOptions options = limited.options();
  options.bags = SeedFromNumber(3);
  const Classes divided = GroupByPartition(limited.given.table, limited.given.domains, options).value();
  EXPECT_EQ(divided.count(), rows / 2);
  // Of each value, the row with the n-th lowest number drawn goes to bag n.
  const std::vector<std::uint32_t> drawn = Random(SeedFromNumber(3), "dealing").Numbers(rows);
  for (const Code value : {0, 1}) {
    std::vector<std::pair<std::uint32_t, std::size_t>> by_number;
    for (std::size_t row = value; row < rows; row += 2) by_number.emplace_back(drawn[row], row);
    std::ranges::sort(by_number);
    for (std::size_t i = 0; i < by_number.size(); ++i) ASSERT_EQ(divided.of_row[by_number[i].second], i);
  }
}

// By the signatures of the rows, and then as drawn: as many of each signature go to a bag as if row i went to bag i
// modulo the number of bags, and bags get them one after the other.
TEST(LeafDivider, DividesRowsSortedBySignatureThenAsDrawn) {
  Random random(SeedFromNumber(36), "deal");
  for (const std::size_t size : {9, 40, 700}) {
    for (const Code signature_count : {3U, 14U, 3'000U}) {
      SCOPED_TRACE(testing::Message() << size << " rows, " << signature_count << " signatures");
      EncodedTable table;
      table.rows = size;
      table.quasi_identifiers.emplace_back(2, size);
      CodeColumn signatures(signature_count, size);
      std::vector<std::uint32_t> drawn(size);
      std::vector<std::uint32_t> sorted(size);
      for (std::uint32_t row = 0; row < size; ++row) {
        signatures.Set(row, random.Below(signature_count));
        drawn[row] = random.Below(3) == 0 ? 7 : random.Next32();
        sorted[row] = row;
      }
      Signatures limited;
      limited.count = signature_count;
      const partition::TableLimits limits(ClassRule(&limited, 4), {});
      std::ranges::stable_sort(sorted, {}, [&](std::uint32_t row) { return std::pair(signatures[row], drawn[row]); });
      const std::size_t bags = size / 4;
      std::vector<std::map<Code, std::size_t>> wanted(bags);
      for (std::size_t place = 0; place < size; ++place) ++wanted[place % bags][signatures[sorted[place]]];

      using Rows = partition::PackedRows<std::uint32_t, 0, false, true>;
      Rows rows(table, &signatures);
      partition::LeafDivider<Rows> divider(rows, limits, drawn);
      const auto ends = divider.Divide(partition::Buffer::kFront, 0, size);
      ASSERT_EQ(ends.size(), bags);
      std::map<Code, std::size_t> next;  // of each signature, the next in the order drawn
      for (std::size_t place = size; place-- > 0;) next[signatures[sorted[place]]] = place;
      std::size_t record = 0;
      for (std::size_t bag = 0; bag < bags; ++bag) {
        for (; record < ends[bag]; ++record) {
          const std::uint32_t row = rows.records(partition::Buffer::kFront).row(record);
          EXPECT_EQ(row, sorted[next[signatures[row]]++]);
          EXPECT_GT(wanted[bag][signatures[row]]--, 0U);
        }
      }
    }
  }
}

}  // namespace
}  // namespace pentimento::leaf_divider_test
