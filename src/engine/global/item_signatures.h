// What a maker needs to know of who holds what: rows that hold the same items have the same signature.
#pragma once

#include <cstddef>
#include <span>

#include "anonymize/limits/signatures.h"
#include "release/global_claim.h"
#include "table/code_column.h"

namespace pentimento {

// Every item of the claim is an item of the signatures, in its order, whether or not anybody has it, limited by nothing
// but budgets. Signatures are numbered by the items they hold, so that the order of rows and the numbers of values
// change nothing.
Signatures SignaturesOfItems(const GlobalClaim& claim, std::size_t rows, std::span<const CodeColumn* const> sensitive,
                             std::span<const Code> value_counts);

}  // namespace pentimento
