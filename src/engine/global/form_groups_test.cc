#include "engine/global/form_groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/random.h"
#include "base/rounds_testing.h"

namespace pentimento::form_groups_test {
namespace {

CodeColumn ColumnOf(const std::vector<Code>& codes) {
  CodeColumn column(8, codes.size());
  for (std::size_t row = 0; row < codes.size(); ++row) column.Set(row, codes[row]);
  return column;
}

bool Holds(const SensitiveItem& item, const std::vector<CodeColumn>& columns, std::size_t row) {
  return std::ranges::find(item.values, columns[item.column][row]) != item.values.end();
}

// Against the definition, row by row.
void ExpectRight(const GlobalClaim& claim, const std::vector<CodeColumn>& columns, const std::vector<Code>& counts) {
  std::vector<const CodeColumn*> sensitive;
  for (const CodeColumn& column : columns) sensitive.push_back(&column);
  const std::size_t rows = columns[0].size();
  const Signatures signatures = SignaturesOfItems(claim, rows, sensitive, counts);
  ASSERT_EQ(signatures.of_row.size(), rows);
  ASSERT_EQ(signatures.items.size(), claim.items.size());
  std::set<std::vector<bool>> held;
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<bool> of_row;
    for (std::size_t item = 0; item < claim.items.size(); ++item) {
      const std::vector<Code>& of_item = signatures.items[item].signatures;
      EXPECT_TRUE(std::ranges::is_sorted(of_item));
      of_row.push_back(Holds(claim.items[item], columns, row));
      EXPECT_EQ(std::ranges::binary_search(of_item, Code{signatures.of_row[row]}), of_row.back());
    }
    held.insert(of_row);
    EXPECT_LT(signatures.of_row[row], signatures.count);
  }
  // No more signatures than rows can be told apart by.
  EXPECT_EQ(signatures.count, std::max<std::size_t>(held.size(), 1));
}

TEST(ItemSignatures, RowsThatHoldTheSameShareASignature) {
  const GlobalClaim claim{
      {{0, {0}, 2, true, ""}, {0, {0, 2}, 4, true, ""}, {1, {1}, 2, true, ""}, {0, {}, 2, true, ""}}};
  ExpectRight(claim, {ColumnOf({0, 1, 2, 3, 0, 3}), ColumnOf({0, 1, 1, 0, 0, 0})}, {4, 2});
}

TEST(ItemSignatures, TheOrderOfRowsAndTheNumbersOfValuesDoNotChangeThem) {
  // The same people, who are numbered as they come: row by row, the second table is the first one backwards.
  const GlobalClaim claim{{{0, {1}, 2, true, ""}, {0, {2}, 2, true, ""}, {0, {1, 2}, 4, true, ""}}};
  const GlobalClaim renamed{{{0, {2}, 2, true, ""}, {0, {0}, 2, true, ""}, {0, {0, 2}, 4, true, ""}}};
  const CodeColumn forth = ColumnOf({0, 1, 0, 2, 2, 1}), back = ColumnOf({2, 0, 0, 1, 2, 1});
  const Signatures first = SignaturesOfItems(claim, 6, std::vector{&forth}, std::vector<Code>{3});
  const Signatures second = SignaturesOfItems(renamed, 6, std::vector{&back}, std::vector<Code>{3});
  EXPECT_EQ(first.count, second.count);
  for (std::size_t row = 0; row < 6; ++row) EXPECT_EQ(first.of_row[row], second.of_row[5 - row]);
  for (std::size_t item = 0; item < 3; ++item) EXPECT_EQ(first.items[item].signatures, second.items[item].signatures);
}

TEST(ItemSignatures, ATableWithoutRowsHasOneSignatureThatNobodyHas) {
  const GlobalClaim claim{{{0, {}, 2, true, ""}}};
  ExpectRight(claim, {ColumnOf({})}, {1});
}

TEST(ItemSignatures, TheyAgreeWithTheDefinitionOnRandomTables) {
  Random random(SeedFromNumber(6), "item-signatures");
  for (std::size_t trial = 0; trial < TestRounds(300); ++trial) {
    const std::uint32_t columns = 1 + random.Below(3), rows = random.Below(30);
    std::vector<CodeColumn> made;
    std::vector<Code> counts;
    GlobalClaim claim;
    for (std::uint32_t column = 0; column < columns; ++column) {
      counts.push_back(1 + random.Below(7));
      std::vector<Code> codes;
      for (std::uint32_t row = 0; row < rows; ++row) codes.push_back(random.Below(counts.back()));
      made.push_back(ColumnOf(codes));
      for (std::uint32_t items = random.Below(4); items > 0; --items) {
        SensitiveItem item{column, {}, 2, true, ""};
        for (Code code = 0; code < counts.back(); ++code)
          if (random.Below(3) == 0) item.values.push_back(code);
        claim.items.push_back(std::move(item));
      }
    }
    ExpectRight(claim, made, counts);
  }
}

}  // namespace
}  // namespace pentimento::form_groups_test
