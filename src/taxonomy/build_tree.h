// More builders of taxonomies (build.h): trees out of several columns, out of another taxonomy, of days, and the codes
// that could occur beside those that do. Messages hold no values: they name places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "taxonomy/taxonomy.h"

namespace pentimento {

// The labels of one row of a table, leaf first, without the root; an empty one: that level is missing there.
struct TreeRow {
  std::vector<std::string> labels;
  std::size_t row = 0;  // for messages, from 1
};

// One line for each leaf; all lines have as many labels as the longest. `levels` names the columns, leaf first. Rows
// without a leaf are left out; equal rows count once. A value with two different values above it is kBadInput.
Result<std::string> BuildTreeTaxonomy(std::span<const TreeRow> rows, std::span<const std::string> levels);

// The same taxonomy with these values, which it does not have, right below its root. An error, without a reason for
// people, where one of them is an inner node already, or cannot be a label.
Result<Taxonomy> WithLeaves(const Taxonomy& taxonomy, std::span<const std::string> values);

// Every code of the form that all values have: as many characters, and at each place any digit where one of them has a
// digit, any capital or small letter where one of them has such a letter, and what else is there. kUsage where they
// have no one length, or where that would be more than `most` codes.
Result<std::vector<std::string>> AllCodesLike(std::span<const std::string> values, std::size_t most);

// Every day from one to the other below the given steps: "month", "quarter", "year", "decade", the smallest first:
// 2026-11-19;2026-11;2026-Q4;2026;*
Result<std::string> BuildDateTaxonomy(std::string_view first, std::string_view last,
                                      std::span<const std::string> steps);

}  // namespace pentimento
