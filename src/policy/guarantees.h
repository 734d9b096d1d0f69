// The [[guarantee]] tables: what the release must promise.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/columns.h"
#include "policy/document.h"
#include "policy/policy.h"
#include "policy/reader.h"

namespace pentimento::policy_file {

// A guarantee that this version cannot check is an error: a release never promises less than its policy says.
// `policy` is the whole file.
Result<std::vector<GuaranteePolicy>> ReadGuarantees(const Source& source, const TableReader& policy,
                                                    const ThisRelease& here);

// The k of one [[guarantee]] table.
Result<std::uint64_t> ReadK(const Source& source, const TableReader& guarantee);

}  // namespace pentimento::policy_file
