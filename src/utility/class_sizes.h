// How large the classes of a release are: what a chart of them shows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace pentimento {

// The classes of `from` to `to` rows.
struct SizeBin {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::uint64_t classes = 0;
  std::uint64_t rows = 0;  // of all of them together
};

// At most `kMostSizeBins`, from the smallest class to the largest, without gaps. Where some classes are smaller than k
// and others are not, a bin begins with k. The last bin takes the few that are far larger than the others. `sizes`: in
// rows, by class; k: 0 where none is known.
inline constexpr std::size_t kMostSizeBins = 24;
std::vector<SizeBin> CountClassSizes(std::span<const std::uint32_t> sizes, std::uint64_t k);

}  // namespace pentimento
