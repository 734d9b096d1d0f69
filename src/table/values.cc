#include "table/values.h"

#include <limits>

namespace pentimento {

void EmptyCells(ValueColumn& column, const std::vector<bool>& is_emptied) {
  constexpr Code kUnused = std::numeric_limits<Code>::max();
  const std::size_t rows = column.codes.size();
  std::vector<Code> new_code(column.values.size(), kUnused);
  bool has_null = false;
  for (std::size_t row = 0; row < rows; ++row) {
    const Code code = column.codes[row];
    if (is_emptied[row] || code == column.null_code) {
      has_null = true;
    } else {
      new_code[code] = 0;
    }
  }
  std::vector<std::string> kept;
  for (std::size_t code = 0; code < new_code.size(); ++code) {
    if (new_code[code] == kUnused) continue;
    new_code[code] = static_cast<Code>(kept.size());
    kept.push_back(std::move(column.values[code]));
  }
  const auto null_code = static_cast<Code>(kept.size());
  if (has_null) kept.emplace_back();
  CodeColumn codes(kept.size(), rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const Code code = column.codes[row];
    codes.Set(row, is_emptied[row] || code == column.null_code ? null_code : new_code[code]);
  }
  column.values = std::move(kept);
  column.null_code = has_null ? std::optional(null_code) : std::nullopt;
  column.codes = std::move(codes);
}

}  // namespace pentimento
