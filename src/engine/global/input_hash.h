// Tells whether two releases would be made from the same table.
#pragma once

#include <span>
#include <string>

#include "engine/steps/one_row_each.h"
#include "io/encode.h"

namespace pentimento {

// Equal for the same people with the same cells, whatever the order of rows and columns, the format of the file and the
// declared domains. The names are those of the quasi-identifiers, in the order of the table.
std::string InputHash(const EncodedInput& input, std::span<const std::string> quasi_identifiers,
                      const PeopleOfRows& people);

}  // namespace pentimento
