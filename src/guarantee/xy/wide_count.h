// Counts of a join are products of the record counts of its releases: 128 bits, and honest where that is too few.
#pragma once

#include <array>
#include <compare>
#include <cstdint>

namespace pentimento {

__extension__ using WideCount = unsigned __int128;

// Stands for every count that does not fit, and stays what it is under adding and multiplying.
inline constexpr WideCount kUncountable = ~WideCount{0};

inline WideCount AddCounts(WideCount a, WideCount b) {
  const WideCount sum = a + b;
  return sum < a ? kUncountable : sum;
}

inline WideCount MultiplyCounts(WideCount a, WideCount b) {
  // Nearly always: 64 bits each, and no overflow to look for.
  if (((a | b) >> 64) == 0) return a * b;
  WideCount product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kUncountable : product;
}

// den is never 0.
struct WideFraction {
  WideCount num = 0;
  WideCount den = 1;
};

// All 256 bits of a product, the high half first: long multiplication in digits of 64 bits.
inline std::array<WideCount, 2> FullProduct(WideCount a, WideCount b) {
  constexpr WideCount kDigit = ~std::uint64_t{0};
  const WideCount low = (a & kDigit) * (b & kDigit);
  const WideCount left = (a >> 64) * (b & kDigit) + (low >> 64);
  const WideCount right = (a & kDigit) * (b >> 64) + (left & kDigit);
  return {(a >> 64) * (b >> 64) + (left >> 64) + (right >> 64), (right << 64) | (low & kDigit)};
}

inline std::strong_ordering operator<=>(WideFraction a, WideFraction b) {
  if (((a.num | a.den | b.num | b.den) >> 64) == 0) return a.num * b.den <=> b.num * a.den;
  const auto left = FullProduct(a.num, b.den);
  const auto right = FullProduct(b.num, a.den);
  return left[0] != right[0] ? left[0] <=> right[0] : left[1] <=> right[1];
}

}  // namespace pentimento
