// The guarantees over a join with earlier releases: xy-anonymity and xy-linkability.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "policy/columns.h"
#include "policy/document.h"
#include "policy/policy.h"
#include "policy/reader.h"

namespace pentimento::policy_file {

// `guarantee` is one [[guarantee]] table that has only keys of its type.
Result<GuaranteePolicy> ReadXyAnonymity(const Source& source, const TableReader& guarantee, const ThisRelease& here);
Result<GuaranteePolicy> ReadXyLinkability(const Source& source, const TableReader& guarantee, const ThisRelease& here);

// Which earlier releases each guarantee of these two types is against; nothing where the policy asks for none of them.
std::vector<std::span<const std::string>> JoinsOf(std::span<const GuaranteePolicy> guarantees);

}  // namespace pentimento::policy_file
