// The [[guarantee]] tables: what the release must promise.
#pragma once

#include <vector>

#include "policy/document.h"
#include "policy/policy.h"
#include "policy/reader.h"

namespace pentimento::policy_file {

// A guarantee that this version cannot check is an error: a release never promises less than its policy says.
Result<std::vector<GuaranteePolicy>> ReadGuarantees(const Source& source, const TableReader& policy);

}  // namespace pentimento::policy_file
