// From classes of rows to the two tables that are published.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "release/classes.h"
#include "release/draft.h"
#include "table/code_column.h"

namespace pentimento {

// Numbers the classes by a random permutation, so that a number tells nothing of how the class was found, and counts
// the sensitive values of each. `tables`: the sensitive columns of each SS table, ascending.
Draft CountClasses(Classes grouping, std::span<const CodeColumn* const> sensitive,
                   const std::vector<std::vector<std::uint32_t>>& tables, const Seed& seed);

}  // namespace pentimento
