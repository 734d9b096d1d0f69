#include "engine/query/count_classes.h"

#include <gtest/gtest.h>

#include <random>

#include "base/parallel.h"

namespace pentimento::count_classes_test {
namespace {

// A made-up release in two tables as lists of rows, and what queries say to each of its codes.
struct Table {
  std::vector<std::uint32_t> class_of_row;
  std::vector<std::vector<std::uint32_t>> columns;  // codes by column and row
  std::vector<std::uint32_t> code_counts;
};

class Instance {
 public:
  Instance(std::vector<std::uint32_t> sizes, std::vector<std::vector<std::uint32_t>> code_counts, unsigned seed)
      : sizes_(std::move(sizes)), random_(seed) {
    for (const std::vector<std::uint32_t>& counts : code_counts) {
      Table table{{}, {}, counts};
      for (std::uint32_t number = 0; number < sizes_.size(); ++number)
        table.class_of_row.insert(table.class_of_row.end(), sizes_[number], number);
      std::shuffle(table.class_of_row.begin(), table.class_of_row.end(), random_);
      for (const std::uint32_t count : counts) {
        table.columns.emplace_back();
        for (std::size_t row = 0; row < table.class_of_row.size(); ++row)
          table.columns.back().push_back(static_cast<std::uint32_t>(random_() % count));
      }
      tables_.push_back(std::move(table));
    }
  }

  // Asks a random half of the columns for a random part of their codes; `asked` tables at least once.
  ClassQuery RandomQuery() {
    ClassQuery query;
    for (const Table& table : tables_) {
      std::vector<ColumnMatch> matches;
      for (std::uint32_t column = 0; column < table.columns.size(); ++column) {
        if (random_() % 2 == 0) continue;
        const unsigned often = random_() % 4;
        std::vector<std::uint8_t> by_code;
        for (std::uint32_t code = 0; code < table.code_counts[column]; ++code)
          by_code.push_back(random_() % 4 <= often ? 1 : 0);
        matches.push_back(MakeColumnMatch(column, by_code));
      }
      query.of_table.push_back(matches);
    }
    return query;
  }

  std::vector<CountEstimate> Fast(const std::vector<ClassQuery>& queries) const {
    const ClassLayout layout = LayOutClasses(sizes_);
    std::vector<MatchIndex> indices;
    std::vector<std::vector<CodeColumn>> columns;
    for (const Table& table : tables_) {
      std::vector<std::uint64_t> next = layout.first_position, positions;
      for (const std::uint32_t number : table.class_of_row) positions.push_back(next[number]++);
      columns.emplace_back();
      for (std::size_t i = 0; i < table.columns.size(); ++i) {
        columns.back().emplace_back(table.code_counts[i], positions.size());
        for (std::size_t row = 0; row < positions.size(); ++row) columns.back().back().Set(row, table.columns[i][row]);
      }
      std::vector<MatchIndex::Column> handed;
      for (std::size_t i = 0; i < table.columns.size(); ++i)
        handed.push_back({&columns.back()[i], table.code_counts[i]});
      indices.emplace_back(layout, positions, handed);
    }
    return CountInClasses(layout, indices, queries);
  }

  // Row by row and class by class, from the definition.
  CountEstimate Slow(const ClassQuery& query) const {
    CountEstimate sum;
    for (std::uint32_t number = 0; number < sizes_.size(); ++number) {
      const std::uint64_t a = Meeting(0, query.of_table[0], number);
      std::vector<std::uint64_t> b;
      for (std::size_t table = 1; table < tables_.size(); ++table) {
        if (!query.of_table[table].empty()) b.push_back(Meeting(table, query.of_table[table], number));
      }
      const CountEstimate count = EstimateInClass(sizes_[number], a, b);
      if (a > 0) sum += count;
    }
    return sum;
  }

 private:
  std::uint64_t Meeting(std::size_t table, const std::vector<ColumnMatch>& matches, std::uint32_t number) const {
    std::uint64_t count = 0;
    for (std::size_t row = 0; row < tables_[table].class_of_row.size(); ++row) {
      bool meets = tables_[table].class_of_row[row] == number;
      for (const ColumnMatch& match : matches) meets &= match.by_code[tables_[table].columns[match.column][row]] == 1;
      count += meets ? 1 : 0;
    }
    return count;
  }

  std::vector<std::uint32_t> sizes_;
  std::mt19937 random_;
  std::vector<Table> tables_;
};

void ExpectAgreement(Instance instance, int queries) {
  std::vector<ClassQuery> asked;
  for (int i = 0; i < queries; ++i) asked.push_back(instance.RandomQuery());
  const std::vector<CountEstimate> fast = instance.Fast(asked);
  for (int i = 0; i < queries; ++i) {
    SCOPED_TRACE(i);
    const CountEstimate slow = instance.Slow(asked[i]);
    EXPECT_NEAR(fast[i].estimate, slow.estimate, 1e-9 * (1 + slow.estimate));
    EXPECT_NEAR(fast[i].variance, slow.variance, 1e-9 * (1 + slow.variance));
    EXPECT_EQ(fast[i].least, slow.least);
    EXPECT_EQ(fast[i].most, slow.most);
    EXPECT_NEAR(fast[i].naive, slow.naive, 1e-9 * (1 + slow.naive));
  }
}

TEST(CountInClasses, AgreesWithRowByRowForClassesOfEachSize) {
  for (std::uint32_t size = 1; size <= 70; ++size) {
    SCOPED_TRACE(size);
    ExpectAgreement(Instance(std::vector<std::uint32_t>(9, size), {{3, 5}, {4}}, size), 20);
  }
}

TEST(CountInClasses, AgreesWithRowByRowWhereSizesAreMixed) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::vector<std::uint32_t> sizes;
    for (int i = 0; i < 40; ++i) sizes.push_back(1 + static_cast<std::uint32_t>(random() % (1U << (random() % 9))));
    ExpectAgreement(Instance(sizes, {{2, 7, 3}, {3}, {5}}, seed), 30);
  }
}

TEST(CountInClasses, AgreesWithRowByRowWhereAColumnHasMoreCodesThanBitSets) {
  ExpectAgreement(Instance({3, 3, 40, 700, 2, 90, 16}, {{300, 4}, {256, 257}}, 7), 40);
}

TEST(CountInClasses, AgreesWithRowByRowOverSeveralBlocks) {
  ExpectAgreement(Instance(std::vector<std::uint32_t>(3000, 3), {{4, 3}, {6}}, 3), 6);
  ExpectAgreement(Instance(std::vector<std::uint32_t>(700, 16), {{4, 3}, {2}}, 3), 6);
}

// 8 of 16 on both sides in every class is the most that can be added to a number of 16 bits.
TEST(CountInClasses, TheLargestSumsOfSmallClassesDoNotOverflow) {
  constexpr std::uint32_t kClasses = 256;  // a whole block of them
  const ClassLayout layout = LayOutClasses(std::vector<std::uint32_t>(kClasses, 16));
  std::vector<std::uint64_t> positions;
  CodeColumn half(2, kClasses * 16);
  for (std::uint32_t row = 0; row < kClasses * 16; ++row) {
    positions.push_back(layout.first_position[row / 16] + row % 16);
    half.Set(row, row % 2);
  }
  const MatchIndex::Column column{&half, 2};
  std::vector<MatchIndex> indices;
  for (int table = 0; table < 2; ++table) indices.emplace_back(layout, positions, std::span(&column, 1));
  ClassQuery query;
  query.of_table.assign(2, {MakeColumnMatch(0, {0, 1})});
  const CountEstimate count = CountInClasses(layout, indices, {&query, 1}).front();
  EXPECT_DOUBLE_EQ(count.estimate, kClasses * 4.0);
  EXPECT_DOUBLE_EQ(count.variance, kClasses * 4096.0 / (16 * 16 * 15));
}

TEST(CountInClasses, AnswersDoNotDependOnTheNumberOfThreads) {
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t i = 0; i < 5000; ++i) sizes.push_back(1 + i % 23);
  Instance instance(sizes, {{4, 3}, {6}}, 5);
  std::vector<ClassQuery> queries;
  for (int i = 0; i < 20; ++i) queries.push_back(instance.RandomQuery());
  const std::vector<CountEstimate> many = instance.Fast(queries);
  const ThreadLimit one_thread(1);
  EXPECT_EQ(instance.Fast(queries), many);
}

TEST(MakeColumnMatch, TheFewerCodesAreUnited) {
  EXPECT_EQ(MakeColumnMatch(0, {0, 1, 0, 0}).codes, (std::vector<std::uint32_t>{1}));
  const ColumnMatch match = MakeColumnMatch(0, {1, 1, 0, 1});
  EXPECT_TRUE(match.negated);
  EXPECT_EQ(match.codes, (std::vector<std::uint32_t>{2}));
}

}  // namespace
}  // namespace pentimento::count_classes_test
