#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "base/random.h"
#include "table/code_column.h"
#include "table/combinations.h"
#include "table/encoded_table.h"
#include "table/shuffle.h"

namespace pentimento::table_test {
namespace {

TEST(CodeColumn, WidthFollowsTheDomain) {
  EXPECT_EQ(CodeColumn(256).bits(), 8);
  EXPECT_EQ(CodeColumn(257).bits(), 16);
  EXPECT_EQ(CodeColumn(65536).bits(), 16);
  EXPECT_EQ(CodeColumn(65537).bits(), 32);
}

TEST(CodeColumn, HoldsTheLargestCodeOfItsDomain) {
  for (const std::uint64_t size : {256ULL, 65536ULL, 1ULL << 32}) {
    CodeColumn column(size, 2);
    column.Set(1, static_cast<Code>(size - 1));
    EXPECT_EQ(column[0], 0U);
    EXPECT_EQ(column[1], size - 1);
  }
}

// Numbers as they should be: one combination after the other, in the order in which they first occur.
std::vector<std::uint32_t> NumbersByMap(const std::vector<std::vector<std::uint64_t>>& columns, std::size_t rows) {
  std::map<std::vector<std::uint64_t>, std::uint32_t> known;
  std::vector<std::uint32_t> numbers;
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<std::uint64_t> combination;
    for (const auto& column : columns) combination.push_back(column[row]);
    numbers.push_back(known.try_emplace(combination, static_cast<std::uint32_t>(known.size())).first->second);
  }
  return numbers;
}

// `codes`: how many each column has; rows beyond `distinct` repeat earlier ones.
void ExpectNumberedLikeAMap(std::size_t rows, std::size_t distinct, const std::vector<std::uint64_t>& codes) {
  Random random(SeedFromNumber(rows + distinct), "combinations");
  std::vector<std::vector<std::uint64_t>> columns(codes.size(), std::vector<std::uint64_t>(rows));
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t earlier = row < distinct ? row : random.Below(static_cast<std::uint32_t>(distinct));
    for (std::size_t c = 0; c < codes.size(); ++c)
      columns[c][row] = earlier == row ? random.Next64() % codes[c] : columns[c][earlier];
  }
  CombinationNumbering numbering(rows);
  for (std::size_t c = 0; c < codes.size(); ++c)
    numbering.Refine(codes[c], [&](std::size_t row) { return columns[c][row]; });
  const Combinations numbers = std::move(numbering).Finish();
  const std::vector<std::uint32_t> expected = NumbersByMap(columns, rows);
  EXPECT_EQ(numbers.of_row, expected);
  EXPECT_EQ(numbers.count, rows == 0 ? 0 : 1 + *std::ranges::max_element(expected));
  std::vector<std::uint32_t> first;
  for (std::uint32_t row = 0; row < rows; ++row) {
    if (expected[row] == first.size()) first.push_back(row);
  }
  EXPECT_EQ(FirstRows(numbers), first);
}

TEST(Combinations, FewAreNumberedInTheOrderInWhichTheyOccur) { ExpectNumberedLikeAMap(5000, 40, {3, 1, 7, 256}); }
TEST(Combinations, ManyAreNumberedInTheOrderInWhichTheyOccur) {
  ExpectNumberedLikeAMap(200'000, 150'000, {1U << 20, 1U << 20});
}
TEST(Combinations, ColumnsThatOverflowAKeyAreToldApart) {
  ExpectNumberedLikeAMap(3000, 2000, {UINT64_MAX, 2, UINT64_MAX, 3, 1ULL << 40, 1ULL << 40});
}
TEST(Combinations, NoRowsAndNoColumns) {
  ExpectNumberedLikeAMap(0, 0, {5, 5});
  ExpectNumberedLikeAMap(7, 7, {});
  ExpectNumberedLikeAMap(7, 7, {1, 1});
}

IdentityHash Hash(std::uint64_t high, std::uint64_t low) { return {high, low}; }

TEST(People, RowsArePersonsWhereNobodyRepeats) {
  const People people = NumberPeople({{Hash(9, 1), Hash(UINT64_MAX, 0)}, {}, {Hash(0, 7)}});
  EXPECT_TRUE(people.one_row_each());
  EXPECT_EQ(people.person_of_row, (std::vector<std::uint32_t>{1, 2, 0}));
  EXPECT_EQ(people.sorted, (std::vector<IdentityHash>{Hash(0, 7), Hash(9, 1), Hash(UINT64_MAX, 0)}));
}

TEST(People, ARepeatedPersonHasOneNumber) {
  const People people = NumberPeople({{Hash(9, 1)}, {Hash(9, 2), Hash(9, 1)}});
  EXPECT_FALSE(people.one_row_each());
  EXPECT_EQ(people.sorted.size(), 2U);
  EXPECT_EQ(people.person_of_row, (std::vector<std::uint32_t>{0, 1, 0}));
}

// Many people, spread evenly or all with the same first bits, each with up to `rows` rows.
TEST(People, AreNumberedAsSortingThemAllNumbersThem) {
  std::mt19937_64 random(1);
  for (const int equal_bits : {0, 12, 30, 64}) {
    for (const std::size_t rows : {std::size_t{1}, std::size_t{3}}) {
      std::vector<std::vector<IdentityHash>> parts(20);
      std::vector<IdentityHash> all;
      for (std::size_t i = 0; i < 60'000; ++i) {
        const std::uint64_t high = equal_bits == 64 ? 7 : random() >> equal_bits;
        parts[i % 20].insert(parts[i % 20].end(), 1 + random() % rows, Hash(high, random()));
      }
      for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
      std::vector<IdentityHash> sorted = all;
      std::ranges::sort(sorted);
      sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
      const People people = NumberPeople(parts);
      ASSERT_EQ(people.sorted, sorted);
      ASSERT_EQ(people.one_row_each(), rows == 1);
      for (std::size_t row = 0; row < all.size(); ++row) ASSERT_EQ(sorted[people.person_of_row[row]], all[row]);
    }
  }
}

// Files rows 0 … n-1 as one-byte-per-digit records and returns what comes out, bucket after bucket.
std::vector<std::uint32_t> ShuffleThroughStore(std::size_t rows, std::size_t memory_limit, bool expect_spill) {
  const Seed seed = SeedFromNumber(5);
  BucketDrawer drawer(seed);
  RecordStore store(std::filesystem::temp_directory_path(), memory_limit);
  std::vector<std::uint8_t> all_buckets;
  for (std::size_t first = 0; first < rows; first += 1000) {
    const std::size_t count = std::min<std::size_t>(1000, rows - first);
    const std::vector<std::uint8_t> buckets = drawer.Draw(count);
    BucketedRecords batch;
    for (std::size_t bucket = 0; bucket < kShuffleBuckets; ++bucket) {
      batch.begin[bucket] = batch.bytes.size();
      for (std::size_t i = 0; i < count; ++i) {
        if (buckets[i] != bucket) continue;
        const auto row = static_cast<std::uint32_t>(first + i);
        const auto* bytes = reinterpret_cast<const std::byte*>(&row);
        batch.bytes.insert(batch.bytes.end(), bytes, bytes + 4);
      }
    }
    batch.begin[kShuffleBuckets] = batch.bytes.size();
    EXPECT_TRUE(store.Append(std::move(batch)).ok());
    all_buckets.insert(all_buckets.end(), buckets.begin(), buckets.end());
  }
  EXPECT_EQ(store.spilled(), expect_spill);
  const RowOrder order(seed, all_buckets);
  std::vector<std::uint32_t> published;
  for (std::size_t bucket = 0; bucket < kShuffleBuckets; ++bucket) {
    const auto records = store.ReadBucket(bucket);
    EXPECT_TRUE(records.ok());
    const auto* ids = reinterpret_cast<const std::uint32_t*>(records->data());
    const auto of_bucket = order.RowsOfBucket(bucket);
    for (const std::uint32_t i : order.Permutation(bucket)) {
      EXPECT_EQ(ids[i], of_bucket[i]) << "the keep cells travel with their row";
      published.push_back(of_bucket[i]);
    }
  }
  return published;
}

TEST(Shuffle, EveryRowComesOutOnceInMemoryAndFromTheFile) {
  for (const bool spill : {false, true}) {
    std::vector<std::uint32_t> published = ShuffleThroughStore(5500, spill ? 8000 : 1 << 20, spill);
    EXPECT_FALSE(std::is_sorted(published.begin(), published.end()));
    std::sort(published.begin(), published.end());
    ASSERT_EQ(published.size(), 5500U);
    for (std::uint32_t row = 0; row < 5500; ++row) EXPECT_EQ(published[row], row);
  }
}

TEST(Shuffle, TheMemoryLimitDoesNotChangeTheOrder) {
  EXPECT_EQ(ShuffleThroughStore(3000, 5000, true), ShuffleThroughStore(3000, 1 << 20, false));
}

TEST(Shuffle, AllOrdersOfThreeRowsAreEquallyLikely) {
  std::map<std::vector<std::uint32_t>, int> seen;
  for (std::uint64_t number = 0; number < 12000; ++number) {
    const Seed seed = SeedFromNumber(number);
    const RowOrder order(seed, BucketDrawer(seed).Draw(3));
    std::vector<std::uint32_t> published;
    for (std::size_t bucket = 0; bucket < kShuffleBuckets; ++bucket) {
      for (const std::uint32_t i : order.Permutation(bucket)) published.push_back(order.RowsOfBucket(bucket)[i]);
    }
    ++seen[published];
  }
  ASSERT_EQ(seen.size(), 6U);
  for (const auto& [order, count] : seen) EXPECT_NEAR(count, 2000, 250);
}

}  // namespace
}  // namespace pentimento::table_test
