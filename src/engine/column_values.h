// The values of one column, for building taxonomies.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace pentimento {

// The distinct values of a table's column, sorted, without empty ones; with an empty `column` the file is a list with
// one value per line.
Result<std::vector<std::string>> DistinctValues(const std::filesystem::path& file, const std::string& column);
// The smallest and the largest of them, which must be whole numbers.
Result<std::pair<std::int64_t, std::int64_t>> WholeNumberRange(const std::filesystem::path& file,
                                                               const std::string& column);

}  // namespace pentimento
