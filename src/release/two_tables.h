// A release in two tables: the quasi-identifiers as they are, each row with the number of its class, and for each class
// how often which sensitive values occur in it. Nothing else connects the two. What a maker hands to verify, and all
// that a judge of this form believes about the sensitive values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/interval.h"
#include "release/grouping.h"

namespace pentimento {

// One SS table: entries (class, value, count). Where it has several columns its values are combinations.
struct SensitiveCounts {
  std::vector<std::uint32_t> columns;       // of the sensitive ones, ascending
  std::vector<ClassNumber> class_of_entry;  // ascending
  std::vector<Code> values;                 // columns.size() per entry, ascending inside a class, no two alike
  std::vector<std::uint64_t> count;         // by entry; never 0

  std::size_t entries() const { return count.size(); }
};

struct TwoTables {
  std::uint32_t classes = 0;
  std::vector<ClassNumber> class_of_row;   // NSS: by row of the input
  std::vector<SensitiveCounts> sensitive;  // SS: every sensitive column is in exactly one of them
};

}  // namespace pentimento
