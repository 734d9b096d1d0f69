// The [[impossible]] tables: common sense about two releases, by which somebody who joins them rules matches out.
#pragma once

#include <span>
#include <vector>

#include "policy/columns.h"
#include "policy/document.h"
#include "policy/policy.h"
#include "policy/reader.h"

namespace pentimento::policy_file {

// `policy` is the whole file. A pair that no guarantee would ever look at is an error: it would have no effect.
Result<std::vector<ImpossiblePolicy>> ReadImpossible(const Source& source, const TableReader& policy,
                                                     const ThisRelease& here,
                                                     std::span<const GuaranteePolicy> guarantees);

}  // namespace pentimento::policy_file
