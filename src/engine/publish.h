// One release, from the policy to the ledger.
#pragma once

#include "base/result.h"
#include "engine/steps/release_outcome.h"
#include "policy/policy.h"

namespace pentimento {

Result<ReleaseOutcome> PublishRelease(Policy policy, const ReleaseOptions& options);

}  // namespace pentimento
