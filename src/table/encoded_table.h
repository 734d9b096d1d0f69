// The table as everyone inside sees it: codes, in the order of the input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/hash.h"
#include "table/code_column.h"

namespace pentimento {

// Who the rows are about, where the policy names an id column.
struct Persons {
  std::vector<std::uint32_t> person_of_row;  // dense person numbers, below `count`
  std::uint32_t count = 0;

  bool one_row_each() const { return count == person_of_row.size(); }
};

// From identity hashes to persons: who occurs more than once, and the sorted run of people for the ledger.
struct People {
  std::vector<IdentityHash> sorted;  // each person once, ascending
  std::optional<Persons> persons;    // nothing where every row is another person, so rows may be counted instead
};

// `parts` hold one hash per row of the table, in the order of its rows.
People NumberPeople(std::vector<std::vector<IdentityHash>> parts);

struct EncodedTable {
  std::size_t rows = 0;
  std::vector<CodeColumn> quasi_identifiers;  // in the policy's order
  std::optional<Persons> persons;             // nothing: every row is a person of its own
};

}  // namespace pentimento
