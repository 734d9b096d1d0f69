// The values of columns, for building taxonomies.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "taxonomy/build_tree.h"

namespace pentimento {

struct CountedValues {
  std::vector<std::string> values;   // different ones, sorted
  std::uint64_t once = 0;            // how many of them occur once
  std::vector<std::string> missing;  // texts that were left out because they say that nothing is known
};

// The values of a table's column, without blanks around them; with an empty `column` the file is a list with one value
// per line. Empty ones are left out, and those that are in `missing`.
Result<CountedValues> CountValues(const std::filesystem::path& file, const std::string& column,
                                  std::span<const std::string> missing);

// The smallest and the largest of them, which must be whole numbers.
Result<std::pair<std::int64_t, std::int64_t>> WholeNumberRange(const std::filesystem::path& file,
                                                               const std::vector<std::string>& values);
// Of days written like 2026-11-19: the first day of the earliest year, the last one of the latest.
Result<std::pair<std::string, std::string>> YearRange(const std::filesystem::path& file,
                                                      const std::vector<std::string>& values);

// What the columns, leaf first, hold together, each combination once. What is in `missing` is an empty text.
Result<std::vector<TreeRow>> ReadTreeRows(const std::filesystem::path& file, const std::vector<std::string>& columns,
                                          std::span<const std::string> missing);

}  // namespace pentimento
