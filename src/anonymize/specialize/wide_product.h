// Comparing fractions of counts that fill 128 bits, exactly.
#pragma once

#include <cstdint>

#include "base/ratio.h"

namespace pentimento {

__extension__ using Wide = unsigned __int128;

// part / whole <= limit.
inline bool IsAtMost(Wide part, Wide whole, Ratio limit) {
  // Products of 192 bits: the upper 64 and the lower 128.
  struct Product {
    Wide upper;
    std::uint64_t lower;
  };
  const auto times = [](Wide a, std::uint64_t b) {
    const Wide low = static_cast<Wide>(static_cast<std::uint64_t>(a)) * b;
    const Wide high = static_cast<Wide>(static_cast<std::uint64_t>(a >> 64)) * b;
    return Product{high + (low >> 64), static_cast<std::uint64_t>(low)};
  };
  const Product left = times(part, limit.den);
  const Product right = times(whole, limit.num);
  return left.upper != right.upper ? left.upper < right.upper : left.lower <= right.lower;
}

}  // namespace pentimento
