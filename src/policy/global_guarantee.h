// global-guarantee, as it is written in a policy.
#pragma once

#include <span>

#include "base/result.h"
#include "policy/columns.h"
#include "policy/policy.h"
#include "policy/reader.h"

namespace pentimento::policy_file {

Result<GuaranteePolicy> ReadGlobalGuarantee(const Source& source, const TableReader& guarantee,
                                            const ThisRelease& here);

// 'transient' needs global-guarantee, and lists only values that are protected. Comes after columns and guarantees are
// read: `columns` has an entry for each one of the file, `policy`, in its order.
Status CheckTransient(const Source& source, const TableReader& policy, std::span<const ColumnPolicy> columns,
                      std::span<const GuaranteePolicy> guarantees);

}  // namespace pentimento::policy_file
