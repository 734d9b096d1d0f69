// Some rows of a table, as a table of their own.
#pragma once

#include <cstdint>
#include <span>

#include "table/code_column.h"
#include "table/encoded_table.h"

namespace pentimento {

CodeColumn TakeRows(const CodeColumn& column, std::span<const std::uint32_t> rows);
// Without persons: whoever chooses rows knows who they are about.
EncodedTable TakeRows(const EncodedTable& table, std::span<const std::uint32_t> rows);

}  // namespace pentimento
