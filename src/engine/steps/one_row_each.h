// Who the rows of a table are about, where a person has one row.
#pragma once

#include <cstdint>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "engine/steps/row_places.h"
#include "policy/policy.h"

namespace pentimento {

struct PeopleOfRows {
  std::vector<IdentityHash> identities;  // ascending, each once
  std::vector<std::uint32_t> rows;       // theirs
  std::vector<std::uint32_t> dropped;    // rows that a newer row of the same person replaces; ascending
};

// kBadInput where a person is there twice and the rule does not allow it.
Result<PeopleOfRows> RequireOneRowEach(std::vector<IdentityHash> identity_of_row, RepeatedRule rule,
                                       const RowPlaces& places);

}  // namespace pentimento
