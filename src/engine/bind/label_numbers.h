// The numbers in the label of a numeric quasi-identifier, for those who do not know its domain yet.
#pragma once

#include <string_view>
#include <vector>

#include "base/decimal.h"

namespace pentimento {

// The end of a half-open interval is past the last value that the label covers.
struct LabelNumber {
  Decimal number;
  bool past_the_end = false;
};

// "[17,25)" holds two numbers, "17" one; what is no number is passed over.
std::vector<LabelNumber> NumbersIn(std::string_view label);

}  // namespace pentimento
