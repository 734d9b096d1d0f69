// Natural numbers of any size, for results whose products outgrow every fixed width. They multiply and compare, which
// is all that a comparison of fractions needs.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

namespace pentimento {

class BigNatural {
 public:
  explicit BigNatural(std::uint64_t value);

  BigNatural& operator*=(std::uint64_t factor);

  friend bool operator==(const BigNatural&, const BigNatural&) = default;
  friend std::strong_ordering operator<=>(const BigNatural& a, const BigNatural& b);

 private:
  std::vector<std::uint64_t> digits_;  // of 64 bits, the lowest first; the last one is not 0, so zero has none
};

}  // namespace pentimento
