// Small numbers for keys of which few occur.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/interval.h"

namespace pentimento {

// Numbers the keys that occur from 0 on, ascending as the keys, and puts the number of each row's key into
// `number_of_row`. Returns the keys by number. All keys are below `keys`, which may be far more than there are rows.
std::vector<std::uint64_t> NumberDensely(std::span<const std::uint64_t> key_of_row, std::uint64_t keys,
                                         std::span<Code> number_of_row);

}  // namespace pentimento
