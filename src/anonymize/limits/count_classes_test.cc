#include "anonymize/limits/count_classes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/parallel.h"
#include "base/rounds_testing.h"

namespace pentimento::count_classes_test {
namespace {

CodeColumn RandomColumn(Code size, std::size_t rows, Random& random) {
  CodeColumn column(size, rows);
  for (std::size_t row = 0; row < rows; ++row) column.Set(row, random.Below(size));
  return column;
}

// Every class gets a row: the first rows go round.
Classes RandomGrouping(std::uint32_t classes, std::size_t rows, Random& random) {
  Classes grouping = ClassesWithoutBoxes(classes, std::vector<ClassNumber>(rows));
  for (std::size_t row = 0; row < rows; ++row)
    grouping.of_row[row] = row < classes ? static_cast<ClassNumber>(row) : random.Below(classes);
  return grouping;
}

// From the words of two_tables.h: entries in order, no two alike, and what they say is what the rows say.
void ExpectTrue(const Draft& tables, std::span<const CodeColumn* const> sensitive) {
  for (const SensitiveCounts& table : tables.sensitive) {
    std::map<std::pair<ClassNumber, std::vector<Code>>, std::uint64_t> counts;
    for (std::size_t row = 0; row < tables.classes.of_row.size(); ++row) {
      std::vector<Code> values;
      for (const std::uint32_t column : table.columns) values.push_back((*sensitive[column])[row]);
      ++counts[{tables.classes.of_row[row], values}];
    }
    ASSERT_EQ(table.entries(), counts.size());
    ASSERT_EQ(table.class_of_entry.size(), counts.size());
    ASSERT_EQ(table.values.size(), counts.size() * table.columns.size());
    std::size_t entry = 0;
    for (const auto& [where, count] : counts) {
      const auto values = std::span(table.values).subspan(entry * table.columns.size(), table.columns.size());
      EXPECT_EQ(table.class_of_entry[entry], where.first);
      EXPECT_TRUE(std::ranges::equal(values, where.second));
      EXPECT_EQ(table.count[entry], count);
      ++entry;
    }
  }
}

TEST(CountClasses, CountsWhatTheRowsSayInTheOrderOfClassesAndValues) {
  Random random(SeedFromNumber(1), "test");
  for (std::size_t round = 0; round < TestRounds(300); ++round) {
    const std::size_t rows = 1 + random.Below(60);
    const std::uint32_t classes = 1 + random.Below(static_cast<std::uint32_t>(std::min<std::size_t>(rows, 9)));
    // Few values, more than a word of bits, and so many that they are sorted.
    const Code size = std::array<Code, 3>{3, 200, 70'000}[random.Below(3)];
    const CodeColumn columns[] = {RandomColumn(size, rows, random), RandomColumn(4, rows, random),
                                  RandomColumn(900, rows, random)};
    const CodeColumn* sensitive[] = {&columns[0], &columns[1], &columns[2]};
    const std::vector<std::vector<std::uint32_t>> apart = {{0}, {1}, {2}};
    const std::vector<std::vector<std::uint32_t>> together = {{0, 1, 2}};
    const Classes grouping = RandomGrouping(classes, rows, random);
    for (const auto& tables : {apart, together}) {
      const Draft counted = CountClasses(grouping, sensitive, tables, SeedFromNumber(7));
      EXPECT_EQ(counted.classes.count(), classes);
      ASSERT_EQ(counted.sensitive.size(), tables.size());
      ExpectTrue(counted, sensitive);
    }
  }
}

// Several blocks of classes and of rows; values that fit beside a class in half a word, and values that do not.
TEST(CountClasses, OfManyClassesSayWhatTheRowsSay) {
  Random random(SeedFromNumber(3), "test");
  const std::size_t rows = 150'000;
  const CodeColumn columns[] = {RandomColumn(14, rows, random), RandomColumn(1'000'000, rows, random)};
  const CodeColumn* sensitive[] = {&columns[0], &columns[1]};
  for (const std::uint32_t classes : {1U, 8192U, 8193U, 50'000U}) {
    const Classes grouping = RandomGrouping(classes, rows, random);
    ExpectTrue(CountClasses(grouping, sensitive, {{0}, {1}}, SeedFromNumber(7)), sensitive);
  }
}

TEST(CountClasses, NumbersClassesByAPermutationThatTheSeedAloneDecides) {
  Random random(SeedFromNumber(2), "test");
  const CodeColumn values = RandomColumn(14, 5000, random);
  const CodeColumn* sensitive[] = {&values};
  const Classes grouping = RandomGrouping(500, 5000, random);
  const Draft counted = CountClasses(grouping, sensitive, {{0}}, SeedFromNumber(1));
  std::map<ClassNumber, ClassNumber> number;
  std::set<ClassNumber> used;
  for (std::size_t row = 0; row < grouping.of_row.size(); ++row) {
    const auto [found, is_new] = number.try_emplace(grouping.of_row[row], counted.classes.of_row[row]);
    EXPECT_EQ(found->second, counted.classes.of_row[row]);
    used.insert(counted.classes.of_row[row]);
  }
  EXPECT_EQ(used.size(), 500U);
  EXPECT_EQ(*used.rbegin(), 499U);
  // In their old places are about as many as chance leaves there: one.
  const auto kept = std::ranges::count_if(number, [](const auto& entry) { return entry.first == entry.second; });
  EXPECT_LT(kept, 10);
  EXPECT_EQ(CountClasses(grouping, sensitive, {{0}}, SeedFromNumber(1)).classes.of_row, counted.classes.of_row);
  EXPECT_NE(CountClasses(grouping, sensitive, {{0}}, SeedFromNumber(2)).classes.of_row, counted.classes.of_row);
}

TEST(CountClasses, GivesTheSameForAnyNumberOfThreads) {
  Random random(SeedFromNumber(3), "test");
  constexpr std::size_t kRows = 60'000;
  const CodeColumn columns[] = {RandomColumn(14, kRows, random), RandomColumn(60'000, kRows, random)};
  const CodeColumn* sensitive[] = {&columns[0], &columns[1]};
  const Classes grouping = RandomGrouping(20'000, kRows, random);
  const auto count = [&](std::size_t threads) {
    const ThreadLimit limit(threads);
    return CountClasses(grouping, sensitive, {{0, 1}}, SeedFromNumber(1));
  };
  const Draft alone = count(1);
  ExpectTrue(alone, sensitive);
  for (const std::size_t threads : {2U, 3U, 8U}) {
    const Draft counted = count(threads);
    EXPECT_EQ(counted.classes.of_row, alone.classes.of_row);
    EXPECT_EQ(counted.sensitive[0].class_of_entry, alone.sensitive[0].class_of_entry);
    EXPECT_EQ(counted.sensitive[0].values, alone.sensitive[0].values);
    EXPECT_EQ(counted.sensitive[0].count, alone.sensitive[0].count);
  }
}

}  // namespace
}  // namespace pentimento::count_classes_test
