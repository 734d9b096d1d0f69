// Whether what is published about a row is true: every code of the row lies inside the box of its group.
#pragma once

#include <cstddef>
#include <optional>

#include "release/classes.h"
#include "table/encoded_table.h"

namespace pentimento {

struct FalseCell {
  std::size_t row = 0;
  std::size_t column = 0;
};

// The first cell, by row and then by column, that its box does not cover. The draft is well-formed for the table.
std::optional<FalseCell> FindFalseCell(const EncodedTable& table, const Classes& draft);

}  // namespace pentimento
