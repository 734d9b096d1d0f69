// Who comes, who leaves and who is there already, when a batch joins a series.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "engine/incremental/incremental_memory.h"
#include "engine/steps/row_places.h"
#include "policy/policy.h"

namespace pentimento {

struct IncrementalPeople {
  std::vector<std::uint32_t> dropped;    // rows of the batch that a newer row of the same person replaces; ascending
  std::vector<CaseNumber> withdrawn;     // earlier members who leave; ascending
  std::vector<IdentityHash> identities;  // of the newcomers, ascending …
  std::vector<std::uint32_t> rows;       // … and their rows of the batch
};

// A person who is to be removed, and where that is said.
struct Removal {
  IdentityHash identity;
  std::string where;  // "gone.csv: row 3 (the header not counted)"
};

// kBadInput where a person is there twice and the rule does not allow it, or where somebody is to leave who is not
// there.
Result<IncrementalPeople> SortOutPeople(const IncrementalMemory& memory, std::vector<IdentityHash> identity_of_row,
                                        RepeatedRule rule, std::span<const Removal> removals, const RowPlaces& places);

}  // namespace pentimento
