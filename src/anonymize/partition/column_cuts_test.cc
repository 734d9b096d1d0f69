#include "anonymize/partition/column_cuts.h"

#include <gtest/gtest.h>

namespace pentimento::partition::column_cuts_test {
namespace {

// A table up to 65,536 numbers, arithmetic above: nobody sees the difference.
TEST(ColumnShape, AGridHasTheSameWidthsWithATableAndWithout) {
  for (const std::int64_t last : {std::int64_t{65535}, std::int64_t{65536}, (std::int64_t{1} << 30) - 1}) {
    const Domain domain(NumericRange{-5, last - 5, 0, {}}, /*allows_missing=*/true);
    const ColumnShape shape(domain, CategoryForm::kTaxonomy);
    const auto position = [&](std::int64_t code) { return code * kWholeWidth / last; };
    for (const std::int64_t lo : {std::int64_t{0}, std::int64_t{1}, last / 3, last - 1}) {
      for (const std::int64_t hi : {lo, lo + 1, last}) {
        const Interval codes{static_cast<Code>(lo), static_cast<Code>(hi)};
        EXPECT_EQ(shape.Width(codes), lo == hi ? 0 : position(hi) - position(lo)) << last << ": " << lo << ", " << hi;
      }
    }
    EXPECT_EQ(shape.Width({0, static_cast<Code>(last)}), kWholeWidth);
    EXPECT_EQ(shape.Width(domain.root()), kWholeWidth);
    EXPECT_EQ(shape.Width({static_cast<Code>(last), *domain.missing_code()}), kWholeWidth);
  }
}

}  // namespace
}  // namespace pentimento::partition::column_cuts_test
