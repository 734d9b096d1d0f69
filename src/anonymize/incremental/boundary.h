// In which columns a group has a boundary that enough people stand on either side of, in a quick look. Most groups that
// newcomers join have none, and to find that out is a small part of looking for the best cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>

namespace pentimento {

inline constexpr std::size_t kBoundaryLanes = 8;

// A bit per column.
using ColumnSet = std::uint32_t;
inline constexpr ColumnSet kUnknownColumns = ~ColumnSet{0};

// The columns that have a boundary with k of the rows on either side. The parts of any cut are runs of codes with k
// rows each, so without such a boundary there is none, along a taxonomy or otherwise; with one there may be. Stops as
// soon as one of the columns `enough` has one. `codes`: row after row, and room for kBoundaryLanes more to be read
// after them. kUnknownColumns where the answer would not be quick.
template <typename Lane>
ColumnSet ColumnsWithBoundary(const Lane* codes, std::size_t rows, std::size_t columns, std::uint64_t k,
                              ColumnSet enough) {
  if constexpr (!std::is_same_v<Lane, std::uint16_t>) return kUnknownColumns;
  constexpr std::size_t kMostRows = std::numeric_limits<std::uint16_t>::max();
  if (columns == 0 || columns > kBoundaryLanes || rows == 0 || rows > kMostRows || k > kMostRows)
    return kUnknownColumns;

  // All columns at once in one register; lanes behind the last column stay [0, 0].
  typedef std::uint16_t Lanes __attribute__((vector_size(kBoundaryLanes * sizeof(std::uint16_t))));
  const auto load = [&](std::size_t row) {
    Lanes lanes;
    std::memcpy(&lanes, codes + row * columns, sizeof lanes);
    return lanes;
  };
  const auto any = [](Lanes mask) {
    std::uint64_t halves[2];
    std::memcpy(halves, &mask, sizeof halves);
    return (halves[0] | halves[1]) != 0;
  };
  Lanes lo = load(0);
  Lanes hi = lo;
  for (std::size_t row = 1; row < rows; ++row) {
    const Lanes lanes = load(row);
    lo = lanes < lo ? lanes : lo;
    hi = lanes > hi ? lanes : hi;
  }
  for (std::size_t c = columns; c < kBoundaryLanes; ++c) lo[c] = hi[c] = 0;

  const Lanes bit_of_lane = {1, 2, 4, 8, 16, 32, 64, 128};
  const Lanes enough_lanes = (bit_of_lane & static_cast<std::uint16_t>(enough)) != 0;
  const Lanes wanted = Lanes{} + static_cast<std::uint16_t>(k);
  const Lanes everybody = Lanes{} + static_cast<std::uint16_t>(rows);
  Lanes found{};
  // Boundaries that are still possible lie above lo, up to hi: halved until one is found or none is left.
  while (any(static_cast<Lanes>(lo < hi)) && !any(found & enough_lanes)) {
    const auto is_open = static_cast<Lanes>(lo < hi);
    const Lanes boundary = lo + (hi - lo) / 2 + 1;
    Lanes below{};
    for (std::size_t row = 0; row < rows; ++row) below -= static_cast<Lanes>(load(row) < boundary);
    const auto few_below = static_cast<Lanes>(below < wanted);
    const auto few_above = static_cast<Lanes>(everybody - below < wanted);
    const Lanes is_found = is_open & ~few_below & ~few_above;
    found |= is_found;
    lo = (is_open & few_below) != 0 ? boundary : lo;
    hi = (is_open & ~few_below) != 0 ? boundary - 1 : hi;
    lo = is_found != 0 ? hi : lo;
  }
  ColumnSet set = 0;
  for (std::size_t c = 0; c < columns; ++c) set |= found[c] != 0 ? ColumnSet{1} << c : 0;
  return set;
}

}  // namespace pentimento
