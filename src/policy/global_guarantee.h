// global-guarantee, as it is written in a policy.
#pragma once

#include <span>

#include "base/result.h"
#include "policy/column_names.h"
#include "policy/policy.h"
#include "policy/reader.h"

namespace pentimento::policy_file {

Result<GuaranteePolicy> ReadGlobalGuarantee(const Source& source, const TableReader& guarantee,
                                            const ThisRelease& here);

// Nothing where none is asked for.
const GlobalGuaranteePolicy* FindGlobal(std::span<const GuaranteePolicy> guarantees);

}  // namespace pentimento::policy_file
