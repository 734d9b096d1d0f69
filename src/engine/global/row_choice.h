// Some rows of a table: those that take part where others are left out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "io/encode.h"
#include "table/code_column.h"
#include "table/encoded_table.h"

namespace pentimento {

CodeColumn TakeRows(const CodeColumn& column, std::span<const std::uint32_t> rows);
// Without persons: whoever chooses rows knows who they are about.
EncodedTable TakeRows(const EncodedTable& table, std::span<const std::uint32_t> rows);

// Only these rows, ascending, are published. The cells of the others go: a published dictionary would list them.
void PublishOnly(EncodedInput& input, std::span<const std::uint32_t> rows);

}  // namespace pentimento
