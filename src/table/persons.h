// From identity hashes to persons: who occurs more than once, and the sorted run of people for the ledger.
#pragma once

#include <optional>
#include <vector>

#include "base/hash.h"
#include "table/encoded_table.h"

namespace pentimento {

struct People {
  std::vector<IdentityHash> sorted;  // each person once, ascending
  std::optional<Persons> persons;    // nothing where every row is another person, so rows may be counted instead
};

// `parts` hold one hash per row of the table, in the order of its rows.
People NumberPeople(std::vector<std::vector<IdentityHash>> parts);

}  // namespace pentimento
