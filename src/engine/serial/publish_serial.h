// One release of a series under the global guarantee, from the policy to the ledger.
#pragma once

#include "base/result.h"
#include "engine/bind.h"
#include "engine/publish.h"
#include "engine/release_memory.h"

namespace pentimento {

Result<ReleaseOutcome> PublishSerialRelease(BoundPolicy bound, const GlobalGuaranteePolicy& guarantee,
                                            const ReleaseOptions& options, ReleaseMemory memory);

}  // namespace pentimento
