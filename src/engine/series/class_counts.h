// How small the classes of a release are, as the ledger remembers it: a later policy that asks for a larger k is
// refused where what is out already does not keep it.
#pragma once

#include <cstdint>

#include "release/series_change.h"

namespace pentimento {

struct ClassCounts {
  // Cases of the smallest class that a row of the change is in; UINT64_MAX where there are none.
  std::uint64_t smallest = UINT64_MAX;
  // Of the classes whose box nobody had before: the fewest people who make up for it. They have not left; where
  // arrivals are hidden, they came with the first release as well. UINT64_MAX where there are no such classes.
  std::uint64_t fewest_in_new = UINT64_MAX;
};

// Group by group: where groups have equal boxes, a class has more. So neither number is ever too large.
ClassCounts CountClasses(const SeriesChange& change);

}  // namespace pentimento
