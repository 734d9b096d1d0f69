// What a policy says of other releases about the same people: the guarantee `history`, and the keys `overlap` and
// `other_people`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "policy/columns.h"
#include "policy/document.h"
#include "policy/policy.h"
#include "policy/reader.h"

namespace pentimento::policy_file {

// `guarantee` is one [[guarantee]] table that has only keys of its type.
Result<GuaranteePolicy> ReadHistory(const Source& source, const TableReader& guarantee, const ThisRelease& here);

// Nothing where the policy does not say. `policy` is the whole file, here and below.
Result<std::optional<OverlapRule>> ReadOverlapRule(const Source& source, const TableReader& policy);

// The releases that are about other people, by the steward's word.
Result<std::vector<std::string>> ReadOtherPeople(const Source& source, const TableReader& policy,
                                                 const ThisRelease& here);

}  // namespace pentimento::policy_file
