// Exact fractions for privacy results: 1/3 is 1/3, and 0.29 is 29/100. Results never use floating point.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pentimento {

// A non-negative fraction in lowest terms; den is never 0.
struct Ratio {
  std::uint64_t num = 0;
  std::uint64_t den = 1;

  friend bool operator==(Ratio, Ratio) = default;
};

std::strong_ordering operator<=>(Ratio a, Ratio b);

// Reads "1/3", "0.25" or "1" exactly as written; nothing for anything else, or where 64 bits are too few.
std::optional<Ratio> ParseRatio(std::string_view text);

std::string ToString(Ratio ratio);

}  // namespace pentimento
