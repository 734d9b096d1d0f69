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

// From identity hashes to persons: the sorted run of people for the ledger, and who each row is about.
struct People {
  std::vector<IdentityHash> sorted;          // each person once, ascending
  std::vector<std::uint32_t> person_of_row;  // by row: the number in `sorted`

  // Then rows may be counted instead of people.
  bool one_row_each() const { return sorted.size() == person_of_row.size(); }
};

// `parts` hold one hash per row of the table, in the order of its rows.
People NumberPeople(std::vector<std::vector<IdentityHash>> parts);

struct EncodedTable {
  std::size_t rows = 0;
  std::vector<CodeColumn> quasi_identifiers;  // in the policy's order
  std::optional<Persons> persons;             // nothing: every row is a person of its own
};

}  // namespace pentimento
