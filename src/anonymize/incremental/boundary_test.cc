#include "anonymize/incremental/boundary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/random.h"

namespace pentimento {
namespace {

// By the definition: every boundary of every column.
bool HasBoundary(const std::vector<std::uint16_t>& codes, std::size_t rows, std::size_t columns, std::uint64_t k) {
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t at = 0; at < rows; ++at) {
      std::uint64_t below = 0;
      for (std::size_t row = 0; row < rows; ++row) below += codes[row * columns + c] < codes[at * columns + c] ? 1 : 0;
      if (below >= k && rows - below >= k) return true;
    }
  }
  return false;
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
    const bool expected = HasBoundary(codes, rows, columns, k);
    ASSERT_EQ(MayHaveBoundary(codes.data(), rows, columns, k), expected)
        << rows << " rows, " << columns << " columns, k = " << k;
    ++(expected ? with : without);
  }
  EXPECT_GT(with, 2000U);
  EXPECT_GT(without, 2000U);
}

TEST(Boundary, LiesBetweenTheLowestAndTheHighestCodeThereIs) {
  std::vector<std::uint16_t> codes{0, 65535, 0, 65535};
  codes.resize(codes.size() + kBoundaryLanes);
  EXPECT_TRUE(MayHaveBoundary(codes.data(), 4, 1, 2));
  EXPECT_FALSE(MayHaveBoundary(codes.data(), 4, 1, 3));
  codes[0] = 65535;
  EXPECT_FALSE(MayHaveBoundary(codes.data(), 4, 1, 2));
}

TEST(Boundary, MayBeThereWhereTheAnswerWouldNotBeQuick) {
  const std::vector<std::uint32_t> wide(20, 7);
  EXPECT_TRUE(MayHaveBoundary(wide.data(), 4, 1, 2));
  const std::vector<std::uint16_t> many(4 * 9 + kBoundaryLanes, 7);
  EXPECT_TRUE(MayHaveBoundary(many.data(), 4, 9, 2));
}

}  // namespace
}  // namespace pentimento
