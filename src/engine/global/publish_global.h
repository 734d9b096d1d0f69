// One release of a series under the global guarantee, from the policy to the ledger.
#pragma once

#include "base/result.h"
#include "engine/bind/bind.h"
#include "engine/steps/release_memory.h"
#include "engine/steps/release_outcome.h"

namespace pentimento {

Result<ReleaseOutcome> PublishGlobalRelease(BoundPolicy bound, const GlobalGuaranteePolicy& guarantee,
                                            const ReleaseOptions& options, ReleaseMemory memory);

}  // namespace pentimento
