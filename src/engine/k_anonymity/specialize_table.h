// A table by itself, made by top-down specialization: the paper's own k-anonymization. And what a specialization should
// stay good for, which the makers of joined releases ask as well.
#pragma once

#include "anonymize/specialize/specialize.h"
#include "base/result.h"
#include "engine/bind/bind.h"
#include "io/encode.h"
#include "policy/policy.h"
#include "table/code_column.h"

namespace pentimento {

struct Purpose {
  Utility utility = Utility::kDistortion;
  const CodeColumn* classes = nullptr;  // the one column with the role class; nothing where there are none or several
};

// What the policy says, or class where one column has that role, otherwise distortion. Points into the input.
Purpose PurposeOf(const BoundPolicy& bound, const EncodedInput& input);

// Every quasi-identifier is generalized until k people share each combination, and none can be specialized further.
Result<Specialized> SpecializeTable(const BoundPolicy& bound, const EncodedInput& input);

}  // namespace pentimento
