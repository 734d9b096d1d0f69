#include "guarantee/alpha_k/chance_of_ever.h"

#include <algorithm>
#include <numeric>

#include "base/big_natural.h"

namespace pentimento {
namespace {

__extension__ using Wide = unsigned __int128;

// The chance of never having the value is a product of fractions. C(n-s, r) / C(n, r) = C(n-r, s) / C(n, s), so the
// shorter of both products will do: r or s factors (n - larger - i) / (n - i). Calls each(num, den) until it says no.
template <typename Each>
bool ForEachFactor(std::span<const DrawsFromClass> draws, const Each& each) {
  for (const DrawsFromClass& draw : draws) {
    const std::uint64_t factors = std::min(draw.with_value, draw.drawn);
    const std::uint64_t larger = std::max(draw.with_value, draw.drawn);
    for (std::uint64_t i = 0; i < factors; ++i) {
      // More drawn than there are rows without the value: one of them has it for sure.
      const std::uint64_t left = draw.rows - larger;
      if (!each(left > i ? left - i : 0, draw.rows - i)) return false;
    }
  }
  return true;
}

enum class Bounds { kHold, kBroken, kOpen };

// Bounds for the chance of never having the value as multiples of 2^-63: rounded down, and up.
Bounds CompareBounds(std::span<const DrawsFromClass> draws, Ratio limit) {
  constexpr std::uint64_t kOne = std::uint64_t{1} << 63;
  const Wide required = Wide{limit.den - limit.num} * kOne;
  std::uint64_t at_least = kOne;
  std::uint64_t at_most = kOne;
  const bool may_hold = ForEachFactor(draws, [&](std::uint64_t num, std::uint64_t den) {
    at_least = static_cast<std::uint64_t>(Wide{at_least} * num / den);
    at_most = static_cast<std::uint64_t>((Wide{at_most} * num + den - 1) / den);
    return Wide{limit.den} * at_most >= required;
  });
  if (!may_hold) return Bounds::kBroken;
  return Wide{limit.den} * at_least >= required ? Bounds::kHold : Bounds::kOpen;
}

}  // namespace

bool ChanceOfEverIsAtMostInFull(std::span<const DrawsFromClass> draws, Ratio limit) {
  if (limit.num >= limit.den) return true;
  BigNatural required(limit.den - limit.num);
  BigNatural never(limit.den);
  ForEachFactor(draws, [&](std::uint64_t num, std::uint64_t den) {
    required *= den;
    never *= num;
    return true;
  });
  return never >= required;
}

bool ChanceOfEverIsAtMost(std::span<const DrawsFromClass> draws, Ratio limit) {
  if (limit.num >= limit.den) return true;
  const Bounds bounds = CompareBounds(draws, limit);
  return bounds == Bounds::kOpen ? ChanceOfEverIsAtMostInFull(draws, limit) : bounds == Bounds::kHold;
}

std::optional<Ratio> ChanceOfEver(std::span<const DrawsFromClass> draws) {
  Ratio never{1, 1};
  const bool fits = ForEachFactor(draws, [&](std::uint64_t num, std::uint64_t den) {
    // Reduced before multiplying, each with each, so that what fits at the end fits on the way.
    const std::uint64_t own = std::gcd(num, den);
    num /= own;
    den /= own;
    const std::uint64_t left = std::gcd(never.num, den);
    const std::uint64_t right = std::gcd(num, never.den);
    const Wide new_num = Wide{never.num / left} * (num / right);
    const Wide new_den = Wide{never.den / right} * (den / left);
    never = {static_cast<std::uint64_t>(new_num), static_cast<std::uint64_t>(new_den)};
    return (new_num | new_den) >> 64 == 0;
  });
  if (!fits) return std::nullopt;
  // In lowest terms, because `never` is.
  return Ratio{never.den - never.num, never.den};
}

}  // namespace pentimento
