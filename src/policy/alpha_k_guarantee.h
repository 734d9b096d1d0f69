// The guarantee about sensitive values in one release: alpha-k-anonymity.
#pragma once

#include "policy/columns.h"
#include "policy/document.h"
#include "policy/policy.h"
#include "policy/reader.h"

namespace pentimento::policy_file {

// `guarantee` is one [[guarantee]] table that has only keys of its type.
Result<GuaranteePolicy> ReadAlphaKAnonymity(const Source& source, const TableReader& guarantee,
                                            const ThisRelease& here);

}  // namespace pentimento::policy_file
