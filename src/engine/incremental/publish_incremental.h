// One release of a growing series, from the policy to the ledger.
#pragma once

#include "base/result.h"
#include "engine/bind/bind.h"
#include "engine/steps/release_memory.h"
#include "engine/steps/release_outcome.h"

namespace pentimento {

// `guarantee` is the policy's incremental guarantee.
Result<ReleaseOutcome> PublishIncrementalRelease(BoundPolicy bound, const IncrementalKAnonymityPolicy& guarantee,
                                                 const ReleaseOptions& options, ReleaseMemory memory);

}  // namespace pentimento
