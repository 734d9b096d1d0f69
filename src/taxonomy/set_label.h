// How sets of neighbouring leaves are written: the fewest labels that name them, "{a|b}". One label that names
// them all stands alone, as the taxonomy has it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/interval.h"
#include "taxonomy/taxonomy.h"

namespace pentimento {

// Never the root's label: where the leaves are all of them, its children are named, because "*" may also stand
// for a missing value.
std::string WriteSetLabel(const Taxonomy& taxonomy, Interval leaves);

// Reads a label in braces: at least two labels, in any order, of nodes that lie side by side; nothing for
// anything else.
std::optional<Interval> ParseSetLabel(const Taxonomy& taxonomy, std::string_view label);

}  // namespace pentimento
