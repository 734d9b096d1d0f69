// Fractions above 0 and at most 1: how sure anybody may be, how frequent a value may be, how much is spent at once. And
// factors, which are at least 1.
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
  // What is wrong with 0, and with more than 1.
  std::string_view zero = "which only a release without the value could keep";
  std::string_view above_one = "nobody is surer than 1";
};

// A text like "1/4" or "0.25", or a number; exactly as it is written.
Result<Ratio> ReadFraction(const Source& source, const Value& value, const FractionPlace& place);

// The same from 1 to 1,000,000: a number, or a text like "7/2". Of the place only name and example are needed.
Result<Ratio> ReadFactor(const Source& source, const Value& value, const FractionPlace& place);

}  // namespace pentimento::policy_file
