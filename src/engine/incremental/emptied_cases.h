// Which cases of a series are published with empty cells, because their people have left or have another case now.
//
// 1. A case that a newer one of the same person replaces is emptied at once: what it said is no longer true.
// 2. Any other case that leaves is emptied with the first release from then on that does not keep leavers.
// 3. What was emptied once stays empty, whatever a later policy says.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/incremental/incremental_memory.h"

namespace pentimento {

struct EmptiedCase {
  CaseNumber member = 0;
  std::uint32_t release = 0;  // of the series, counted from 0, with which its cells became empty
};

// Ascending by member. `who` leaves with the release that is made now.
std::vector<EmptiedCase> FindEmptied(const IncrementalMemory& series, const IncrementalPeople& who, bool keeps_leavers);

}  // namespace pentimento
