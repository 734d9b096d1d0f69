// The one idea of the data model: every quasi-identifier value is a dense code, numbered so that every
// generalized value is an interval of codes. Nesting, overlap and inference are interval arithmetic.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <vector>

namespace pentimento {

using Code = std::uint32_t;

// Both ends are included; lo <= hi always holds.
struct Interval {
  Code lo = 0;
  Code hi = 0;

  std::uint64_t size() const { return std::uint64_t{hi} - lo + 1; }
  bool Contains(Code code) const { return lo <= code && code <= hi; }
  bool Contains(Interval other) const { return lo <= other.lo && other.hi <= hi; }
  bool Intersects(Interval other) const { return lo <= other.hi && other.lo <= hi; }
  friend auto operator<=>(Interval, Interval) = default;
};

// One interval per quasi-identifier, in the order of the table's quasi-identifiers.
using Box = std::vector<Interval>;

}  // namespace pentimento
