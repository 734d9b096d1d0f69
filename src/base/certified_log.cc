#include "base/certified_log.h"

#include "base/check.h"

namespace pentimento {

// ln(a/b) = 2 (z + z^3/3 + z^5/5 + ...) with z = (a-b)/(a+b), here at most 1/3. Every division rounds down, so the sum
// is a lower bound. A power of z is short of the truth by less than 1.5 units: the step z^(2i+1) -> z^(2i+3) takes a
// shortfall e to at most e/9 + 1/3 + 1. A summand is then short by less than 2.5 units, there are at most 31 of them
// before a power becomes 0 (9^-30 < 2^-95), and what follows is less than 2 units: together, and doubled, less than
// 2^8.
LogBounds BoundLog(std::uint64_t larger, std::uint64_t smaller) {
  Check(smaller > 0 && smaller <= larger && larger <= 2 * smaller && larger <= std::uint64_t{1} << 32,
        "a logarithm outside of its range");
  if (smaller == larger) return {};
  const std::uint64_t difference = larger - smaller;  // below 2^32, so no product below leaves 128 bits
  const std::uint64_t sum = larger + smaller;
  FineLog power = (FineLog{difference} << kFineLogBits) / sum;
  FineLog total = 0;
  for (std::uint64_t odd = 1; power != 0; odd += 2) {
    total += power / odd;
    power = power * difference / sum;
    power = power * difference / sum;
  }
  return {2 * total, 2 * total + 256};
}

}  // namespace pentimento
