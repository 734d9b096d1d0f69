// What (alpha,k)-anonymity promises of a release, with the values of the policy as codes. Sensitive columns are
// numbered in the order of the policy, and so are their values: by the codes of their column, the missing value
// included.
//
// Limits come in a fixed order, so that verify sees whether one got lost: first alpha, one limit for each sensitive
// column with together = false and all of the column's values that are limited; then the policy's own limits in their
// order, each with together = true and one code for each value that it names. A value that the policy names and no row
// has gets a code that no row has, beyond those of the column.
#pragma once

#include <cstdint>
#include <vector>

#include "base/interval.h"
#include "base/ratio.h"

namespace pentimento {

// In no class are these values more frequent than the limit.
struct SensitiveLimit {
  std::uint32_t column = 0;  // of the sensitive ones
  std::vector<Code> values;  // ascending; never empty
  bool together = false;     // the values as one set; otherwise each of them by itself
  Ratio at_most;
};

struct AlphaKClaim {
  std::uint64_t k = 0;  // people who share a bag of sensitive values
  std::vector<SensitiveLimit> limits;
};

}  // namespace pentimento
