// What would be published, before it is verified: what a maker hands to Verify, and all that a verifier believes about
// the sensitive values.
//
// In one table every row is published with the box of its class. In two tables (NSS and SS) the quasi-identifiers are
// published as they are, each row with the number of its class, and beside them how often which sensitive values occur
// in each class. Nothing else connects the two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/interval.h"
#include "release/classes.h"

namespace pentimento {

// One SS table: entries (class, value, count). Where it has several columns its values are combinations.
struct SensitiveCounts {
  std::vector<std::uint32_t> columns;       // of the sensitive ones, ascending
  std::vector<ClassNumber> class_of_entry;  // ascending
  std::vector<Code> values;                 // columns.size() per entry, ascending inside a class, no two alike
  std::vector<std::uint64_t> count;         // by entry; never 0

  std::size_t entries() const { return count.size(); }
};

struct Draft {
  Classes classes;  // in two tables without boxes
  std::vector<SensitiveCounts> sensitive =
      {};  // SS: every sensitive column is in exactly one of them; empty: one table

  bool is_two_tables() const { return !sensitive.empty(); }
};

}  // namespace pentimento
