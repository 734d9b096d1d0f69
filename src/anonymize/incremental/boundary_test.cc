#include "anonymize/incremental/boundary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/random.h"

namespace pentimento::boundary_test {
namespace {

// By the definition: every boundary of every column.
ColumnSet CountedBoundaries(const std::vector<std::uint16_t>& codes, std::size_t rows, std::size_t columns,
                            std::uint64_t k) {
  ColumnSet found = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t at = 0; at < rows; ++at) {
      std::uint64_t below = 0;
      for (std::size_t row = 0; row < rows; ++row) below += codes[row * columns + c] < codes[at * columns + c] ? 1 : 0;
      if (below >= k && rows - below >= k) found |= ColumnSet{1} << c;
    }
  }
  return found;
}

TEST(Boundary, IsThereExactlyWhereACountOfAllOfThemFindsOne) {
  Random random(SeedFromNumber(1), "boundary");
  std::size_t with = 0;
  std::size_t without = 0;
  for (int turn = 0; turn < 20000; ++turn) {
    const std::size_t columns = 1 + random.Below(kBoundaryLanes);
    const std::size_t rows = 1 + random.Below(40);
    const std::uint64_t k = 1 + random.Below(12);
    const std::uint32_t values = turn % 3 == 0 ? 65536 : 1 + random.Below(3);
    std::vector<std::uint16_t> codes(rows * columns + kBoundaryLanes);
    // Mostly one value, so that often there is no boundary.
    for (std::uint16_t& code : codes)
      code = static_cast<std::uint16_t>(random.Below(4) == 0 ? random.Below(values) : values / 2);
    const ColumnSet expected = CountedBoundaries(codes, rows, columns, k);
    ASSERT_EQ(ColumnsWithBoundary(codes.data(), rows, columns, k, 0), expected)
        << rows << " rows, " << columns << " columns, k = " << k;
    const ColumnSet enough = random.Below(256);
    const ColumnSet some = ColumnsWithBoundary(codes.data(), rows, columns, k, enough);
    ASSERT_EQ(some & ~expected, 0U);
    ASSERT_EQ((some & enough) != 0, (expected & enough) != 0);
    const bool is_all_of_it = (some & enough) != 0 || some == expected;
    ASSERT_TRUE(is_all_of_it) << "nothing was enough, so everything has to be there";
    ++(expected != 0 ? with : without);
  }
  EXPECT_GT(with, 2000U);
  EXPECT_GT(without, 2000U);
}

TEST(Boundary, LiesBetweenTheLowestAndTheHighestCodeThereIs) {
  std::vector<std::uint16_t> codes{0, 65535, 0, 65535};
  codes.resize(codes.size() + kBoundaryLanes);
  EXPECT_EQ(ColumnsWithBoundary(codes.data(), 4, 1, 2, 0), 1U);
  EXPECT_EQ(ColumnsWithBoundary(codes.data(), 4, 1, 3, 0), 0U);
  codes[0] = 65535;
  EXPECT_EQ(ColumnsWithBoundary(codes.data(), 4, 1, 2, 0), 0U);
}

TEST(Boundary, IsUnknownWhereTheAnswerWouldNotBeQuick) {
  const std::vector<std::uint32_t> wide(20, 7);
  EXPECT_EQ(ColumnsWithBoundary(wide.data(), 4, 1, 2, 0), kUnknownColumns);
  const std::vector<std::uint16_t> many(4 * 9 + kBoundaryLanes, 7);
  EXPECT_EQ(ColumnsWithBoundary(many.data(), 4, 9, 2, 0), kUnknownColumns);
}

}  // namespace
}  // namespace pentimento::boundary_test
