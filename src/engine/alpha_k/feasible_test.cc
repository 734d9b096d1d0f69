#include "engine/alpha_k/feasible.h"

#include <gtest/gtest.h>

#include <vector>

namespace pentimento::feasible_test {
namespace {

Signatures OfRows(const std::vector<Code>& codes, std::vector<LimitedItem> items) {
  Signatures signatures;
  signatures.count = 4;
  signatures.of_row = CodeColumn(signatures.count, codes.size());
  for (std::size_t row = 0; row < codes.size(); ++row) signatures.of_row.Set(row, codes[row]);
  signatures.items = std::move(items);
  return signatures;
}

TEST(LargestShare, IsThatOfTheWorstClassInLowestTerms) {
  const std::vector<ClassNumber> class_of_row = {0, 1, 0, 1, 0, 1, 0, 1, 1, 1};
  // Class 0 holds 0 1 2 3, class 1 holds 0 0 1 2 0 3.
  const std::vector<Code> codes = {0, 0, 1, 0, 2, 1, 3, 2, 0, 3};
  const std::vector<LimitedItem> each = {{{0}, {1, 2}}, {{1}, {1, 2}}, {{2}, {1, 2}}, {{3}, {1, 2}}};
  EXPECT_EQ(LargestShare(class_of_row, 2, OfRows(codes, each)), (Ratio{1, 2}));
  EXPECT_EQ(LargestShare(class_of_row, 2, OfRows(codes, {{{1}, {1, 2}}})), (Ratio{1, 4}));
}

TEST(LargestShare, AddsUpTheValuesOfASetAndForgetsTheClassBefore) {
  const std::vector<ClassNumber> class_of_row = {0, 0, 1, 1, 1};
  const std::vector<Code> codes = {1, 0, 1, 2, 0};
  EXPECT_EQ(LargestShare(class_of_row, 2, OfRows(codes, {{{1, 2}, {1, 1}}})), (Ratio{2, 3}));
  EXPECT_EQ(LargestShare(class_of_row, 2, OfRows(codes, {{{1}, {1, 1}}})), (Ratio{1, 2}));
}

// Of 100,000 classes with two rows each one has the same value twice, wherever among the classes it is.
TEST(LargestShare, IsFoundInWhicheverRangeItsClassLies) {
  constexpr ClassNumber kClasses = 100'000;
  std::vector<ClassNumber> class_of_row;
  std::vector<Code> codes;
  for (ClassNumber i = 0; i < 2 * kClasses; ++i) {
    class_of_row.push_back(static_cast<ClassNumber>(i * 7919ULL % kClasses));
    codes.push_back(i < kClasses ? 1 : 0);
  }
  EXPECT_EQ(LargestShare(class_of_row, kClasses, OfRows(codes, {{{1}, {1, 1}}})), (Ratio{1, 2}));
  for (const std::size_t row : {0U, 1U, 12'499U, 12'500U, 50'000U, 77'777U, 99'999U}) {
    std::vector<Code> worse = codes;
    worse[row + kClasses] = 1;
    EXPECT_EQ(LargestShare(class_of_row, kClasses, OfRows(worse, {{{1}, {1, 1}}})), (Ratio{1, 1})) << row;
  }
}

TEST(LargestShare, IsNothingWhereNothingIsLimited) {
  EXPECT_EQ(LargestShare(std::vector<ClassNumber>{0, 0}, 1, OfRows({0, 1}, {})), (Ratio{0, 1}));
}

}  // namespace
}  // namespace pentimento::feasible_test
