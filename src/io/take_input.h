// Some rows of an input, and what tells whether rows of two inputs are published alike.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/encode.h"

namespace pentimento {

// These rows, ascending, as though the input had held them alone: numbered and put into order as in a table of theirs
// that was read with the same seed. Without people and identities, and without the parts that the input came in.
Result<EncodedInput> TakeInput(EncodedInput input, std::span<const std::uint32_t> rows, const EncodeOptions& options);

// By row, a hash of the sensitive, class and keep cells of these columns, which the input has. Rows of two inputs that
// would be published with the same cells have equal hashes, however each input was read. Where rows differ the hashes
// do, but for one pair in 2^64.
Result<std::vector<std::uint64_t>> HashCells(const EncodedInput& input, const std::set<std::string>& columns);

}  // namespace pentimento
