// Fractions above 0 and at most 1: how sure anybody may be, how frequent a value may be.
#pragma once

#include <string_view>

#include "base/ratio.h"
#include "base/result.h"
#include "policy/document.h"

namespace pentimento::policy_file {

// What messages say: "alpha", "for example alpha = \"1/3\"".
struct FractionPlace {
  std::string_view name;
  std::string_view example;
};

// A text like "1/4" or "0.25", or a number; exactly as it is written.
Result<Ratio> ReadFraction(const Source& source, const Value& value, const FractionPlace& place);

}  // namespace pentimento::policy_file
