// How intervals of a numeric range are written: "[a,b)", at the end of the range "[a,b]", one point as the
// plain number.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/decimal.h"
#include "base/interval.h"
#include "taxonomy/domain.h"

namespace pentimento {

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

}  // namespace pentimento
