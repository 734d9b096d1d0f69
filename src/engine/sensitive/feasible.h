// Whether limits on sensitive values can be kept at all, asked before anything is made.
#pragma once

#include "base/result.h"
#include "engine/bind.h"
#include "engine/sensitive/bind_limits.h"
#include "io/encode.h"

namespace pentimento {

// kRefused where no release of this table can keep them: some value is too frequent in the whole table, so it is in
// some class, however classes are formed. Says which column and by how much; a value is named only where the policy
// names it.
Status RequireFeasible(const BoundPolicy& bound, const EncodedInput& input, const BoundSensitive& sensitive);

}  // namespace pentimento
