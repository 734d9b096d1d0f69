// How intervals of codes are written and read back: ranges of numbers, and sets of neighbouring leaves.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/decimal.h"
#include "base/interval.h"
#include "taxonomy/domain.h"
#include "taxonomy/taxonomy.h"

namespace pentimento {

// "[a,b)", at the end of the range "[a,b]", one point as the plain number.
std::string WriteIntervalLabel(const NumericRange& range, Interval codes);

// The numbers of a label, before anybody knows the range that they are points of.
struct IntervalNumbers {
  Decimal lo;
  Decimal hi;
  bool is_half_open = false;  // "[lo,hi)": hi is past the last number
};
// "17", "[17,25)", "[17,25]" and nothing else: the only parser of such labels.
std::optional<IntervalNumbers> ParseIntervalNumbers(std::string_view label);

// Reads what WriteIntervalLabel writes, and any other spelling of the same kind whose ends are points of the
// range, such as "[3,5]" in the middle of it; nothing for anything else.
std::optional<Interval> ParseIntervalLabel(const NumericRange& range, std::string_view label);

// How sets of neighbouring leaves are written: the fewest labels that name them, "{a|b}". One label that names
// them all stands alone, as the taxonomy has it.
//
// Never the root's label: where the leaves are all of them, its children are named, because "*" may also stand
// for a missing value.
std::string WriteSetLabel(const Taxonomy& taxonomy, Interval leaves);

// Reads a label in braces: at least two labels, in any order, of nodes that lie side by side; nothing for
// anything else.
std::optional<Interval> ParseSetLabel(const Taxonomy& taxonomy, std::string_view label);

}  // namespace pentimento
