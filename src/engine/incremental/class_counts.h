// How small the classes of a release are, as the ledger remembers it: a later policy that asks for a larger k is
// refused where what is out already does not keep it.
#pragma once

#include <cstdint>

#include "release/incremental_change.h"

namespace pentimento {

struct ClassCounts {
  // Cases of the smallest class that a row of the change is in; UINT64_MAX where there are none.
  std::uint64_t smallest = UINT64_MAX;
  // Of the classes whose box nobody had before: the fewest people who make up for it. They have not left; where
  // arrivals are hidden, they came with the earliest release among the cases of the class as well. UINT64_MAX where
  // there are no such classes.
  std::uint64_t fewest_in_new = UINT64_MAX;
  // Newcomers in classes with fewer than k people who have not left: the empty rows of the others hide them from nobody
  // who sees that they are empty. Classes with cases that are no row of the change are not looked at.
  std::uint64_t newcomers_among_few = 0;
};

// Group by group: where groups have equal boxes, a class has more. So neither of the first two is ever too large, and
// the third never too small.
ClassCounts CountClasses(const IncrementalChange& change, std::uint64_t k);

}  // namespace pentimento
