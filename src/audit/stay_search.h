// The tightest bounds, by search: unknowns that are not yet fixed fall into components that share no sum with an open
// unknown. Where a component is small, its worlds are searched for the least and the most of each of its unknowns.
#pragma once

#include <cstdint>
#include <vector>

#include "audit/stay_bounds.h"

namespace pentimento {

struct StaySearchLimits {
  std::uint32_t unknowns = 256;      // components with more are not searched
  std::uint32_t nodes = 4'000;       // of the search tree, for one component
  std::uint64_t work = 100'000'000;  // unknowns of sums looked at, for all components
};

// Tightens the bounds of small components, and says of each joint class whether its bounds are the tightest ones: each
// is reached in some world. A component without a world contradicts whoever it is linked to.
std::vector<std::uint8_t> SearchSmallComponents(StayBounds& bounds, const StaySearchLimits& limits);

}  // namespace pentimento
