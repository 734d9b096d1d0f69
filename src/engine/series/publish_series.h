// One release of a growing series, from the policy to the ledger.
#pragma once

#include "base/result.h"
#include "engine/bind.h"
#include "engine/publish.h"
#include "engine/release_memory.h"

namespace pentimento {

// `guarantee` is the policy's incremental guarantee.
Result<ReleaseOutcome> PublishSeriesRelease(BoundPolicy bound, const IncrementalKAnonymityPolicy& guarantee,
                                            const ReleaseOptions& options, ReleaseMemory memory);

}  // namespace pentimento
