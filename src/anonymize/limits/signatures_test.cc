#include "anonymize/limits/signatures.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <span>

#include "base/random.h"
#include "base/rounds_testing.h"

namespace pentimento::signatures_test {
namespace {

CodeColumn Column(Code size, std::initializer_list<Code> codes) {
  CodeColumn column(size, codes.size());
  std::size_t row = 0;
  for (const Code code : codes) column.Set(row++, code);
  return column;
}

TEST(Signatures, OfOneColumnAreItsValuesAndWhatNobodyLimitsIsOne) {
  const CodeColumn disease = Column(4, {0, 1, 2, 3, 0});
  const CodeColumn* columns[] = {&disease};
  const Code sizes[] = {4};
  const AlphaKClaim claim{2, {{0, {0, 2}, false, {1, 2}}}};
  const Signatures signatures = CollectSignatures(5, columns, sizes, claim);
  EXPECT_EQ(signatures.count, 3U);
  EXPECT_EQ(signatures.of_row[1], signatures.of_row[3]);
  EXPECT_NE(signatures.of_row[0], signatures.of_row[2]);
  EXPECT_EQ(signatures.items.size(), 2U);
}

// One column is looked at in a way of its own; a second one that nobody limits must change nothing.
TEST(Signatures, OfOneColumnAreThoseOfTwoWhereTheSecondDoesNotMatter) {
  Random random(SeedFromNumber(5), "signatures");
  for (std::size_t repeat = 0; repeat < TestRounds(500); ++repeat) {
    const Code size = 1 + random.Below(repeat % 5 == 0 ? 2000 : 12);
    const std::size_t rows = random.Below(60);
    CodeColumn disease(size, rows), nothing(1, rows);
    for (std::size_t row = 0; row < rows; ++row) disease.Set(row, random.Below(size));
    AlphaKClaim claim{2, {}};
    SensitiveLimit each{0, {}, false, {1, 2}}, together{0, {}, true, {1, 3}};
    for (Code value = 0; value < size; ++value) {
      if (random.Below(3) > 0) each.values.push_back(value);
      if (random.Below(4) == 0) together.values.push_back(value);
    }
    if (!each.values.empty()) claim.limits.push_back(each);
    if (!together.values.empty()) claim.limits.push_back(together);
    const CodeColumn* columns[] = {&disease, &nothing};
    const Code sizes[] = {size, 1};
    const Signatures one = CollectSignatures(rows, std::span(columns).first(1), std::span(sizes).first(1), claim);
    const Signatures two = CollectSignatures(rows, columns, sizes, claim);
    ASSERT_EQ(one.count, two.count);
    for (std::size_t row = 0; row < rows; ++row) ASSERT_EQ(one.of_row[row], two.of_row[row]);
    ASSERT_EQ(one.items.size(), two.items.size());
    for (std::size_t i = 0; i < one.items.size(); ++i) {
      EXPECT_EQ(one.items[i].signatures, two.items[i].signatures);
      EXPECT_EQ(one.items[i].at_most, two.items[i].at_most);
    }
  }
}

// Every value of two columns is limited, and nearly every row has a value of its own in each. As a table of all
// combinations this would take gigabytes, and to ask every item of every signature billions of steps.
TEST(Signatures, OfColumnsWithManyValuesTakeTimeAndMemoryByTheRow) {
  constexpr Code kRows = 200'000;
  CodeColumn left(kRows, kRows), right(kRows, kRows);
  std::vector<Code> every_value;
  for (Code row = 0; row < kRows; ++row) {
    left.Set(row, row);
    right.Set(row, kRows - 1 - row / 2);
    every_value.push_back(row);
  }
  const CodeColumn* columns[] = {&left, &right};
  const Code sizes[] = {kRows, kRows};
  const AlphaKClaim claim{2, {{0, every_value, false, {1, 2}}, {1, every_value, false, {1, 2}}}};
  const Signatures signatures = CollectSignatures(kRows, columns, sizes, claim);
  EXPECT_EQ(signatures.count, kRows);
  ASSERT_EQ(signatures.items.size(), kRows + kRows / 2) << "values that no row has are left out";
  EXPECT_EQ(signatures.items[7].signatures, (std::vector<Code>{signatures.of_row[7]}));
  EXPECT_EQ(signatures.items.back().signatures, (std::vector<Code>{signatures.of_row[0], signatures.of_row[1]}));
}

}  // namespace
}  // namespace pentimento::signatures_test
