// Columns that are published as they are but verified by equality (sensitive, class): codes plus the distinct values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "table/code_column.h"

namespace pentimento {

// The physical form of a published cell: an Arrow format string with its width, so that values keep their type.
struct CellType {
  std::string arrow_format = "u";  // "u" for text, "z" for bytes; otherwise the format of a fixed-width type
  int width = 0;                   // bytes per cell; 0 for text

  bool is_text() const { return width == 0; }
  friend bool operator==(const CellType&, const CellType&) = default;
};

// Values are sorted by their bytes, so their order says nothing about the order of the rows.
struct ValueColumn {
  std::string name;
  CellType type;
  std::vector<std::string> values;  // the bytes of each distinct value; a boolean is one byte
  std::optional<Code> null_code;    // the code of "no value", when it occurs; its entry in `values` is empty
  CodeColumn codes;
};

// Takes the values of some rows away: they become "no value", and values that nobody else has are forgotten, because a
// published dictionary lists all of them.
void EmptyCells(ValueColumn& column, const std::vector<bool>& is_emptied);

}  // namespace pentimento
