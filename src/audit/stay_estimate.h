// An estimate of how sure an attacker can be, by iterative proportional fitting: the unknowns begin even and are scaled
// to one sum after the other until all fit. Doubles, and no proof: nothing is refused for it.
#pragma once

#include <cstdint>

#include "audit/stay_bounds.h"
#include "base/ratio.h"

namespace pentimento {

struct StayEstimate {
  std::uint32_t above_alpha = 0;  // people
  std::uint32_t rounds = 0;
  bool converged = false;  // whether all sums fit up to a thousandth of a person
};

// Exactly, part / whole > bar; whole > 0.
bool IsShareAbove(std::uint32_t part, std::uint32_t whole, Ratio bar);

// Known people whose joint class has a value with an estimated share of more than alpha. The contradicted are left out.
StayEstimate EstimateAbove(const StayBounds& bounds, Ratio alpha, std::uint32_t rounds);

}  // namespace pentimento
