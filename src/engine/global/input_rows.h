// Which rows of the input take part, where others are left out; and whether two releases would be made from the same
// table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/steps/one_row_each.h"
#include "io/encode.h"

namespace pentimento {

// Only these rows, ascending, are published. The cells of the others go: a published dictionary would list them.
void PublishOnly(EncodedInput& input, std::span<const std::uint32_t> rows);

// Equal for the same people with the same cells, whatever the order of rows and columns, the format of the file and the
// declared domains. The names are those of the quasi-identifiers, in the order of the table.
std::string InputHash(const EncodedInput& input, std::span<const std::string> quasi_identifiers,
                      const PeopleOfRows& people);

}  // namespace pentimento
