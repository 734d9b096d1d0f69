// How often a value occurs in a class, as an SS table says it: the column `count`. The one reader of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/result.h"
#include "table/values.h"

namespace pentimento {

// By row: a whole number from 1 to 4294967295, in digits and nothing else. Anything else is kBadInput: the table is not
// as it was published.
Result<std::vector<std::uint64_t>> ReadPublishedCounts(const ValueColumn& column, const std::filesystem::path& file);

}  // namespace pentimento
