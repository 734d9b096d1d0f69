// The order in which recoding pulls rows back, drawn from a secret key and from the rows themselves.
//
// 1. The same rows under the same key have the same order, in whatever order the input has them: a table that is
//    published again has the same classes again, so that nobody learns more by laying its releases side by side.
// 2. A table that differs in a single row has another order, and so has another key: who was pulled back in one release
//    tells nothing of another.
// 3. Rows with equal quasi-identifier, sensitive and class cells follow each other as in the input.
#pragma once

#include <cstdint>
#include <vector>

#include "base/hash.h"
#include "io/encode.h"

namespace pentimento {

// Row numbers. `keyed`: with the ledger's key.
std::vector<std::uint32_t> DrawOrder(const EncodedInput& input, const IdentityHasher& keyed);

}  // namespace pentimento
