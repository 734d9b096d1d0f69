// Makers that start from the whole table and only ever replace a class by classes that keep the rule need the whole
// table to keep it; those that place single rows need every row to be a person.
#pragma once

#include <cstdint>
#include <string_view>

#include "anonymize/limits/signatures.h"
#include "base/result.h"
#include "table/encoded_table.h"

namespace pentimento {

// kBadPolicy where somebody has several rows; kRefused where the table has fewer than k of them, or where a limited
// value is more frequent than its limit. `signatures` may be null: k alone. `method` is the maker's name in the policy.
Status CheckWholeTable(const EncodedTable& table, const Signatures* signatures, std::uint64_t k,
                       std::string_view method);

}  // namespace pentimento
