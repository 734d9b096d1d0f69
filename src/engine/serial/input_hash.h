// Tells whether two releases would be made from the same table.
#pragma once

#include <string>

#include "engine/one_row_each.h"
#include "io/encode.h"

namespace pentimento {

// Equal for the same people with the same cells, whatever the order of the rows.
std::string InputHash(const EncodedInput& input, const PeopleOfRows& people);

}  // namespace pentimento
