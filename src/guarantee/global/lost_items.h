// Whether the items that are to be verified are what the policy asks for: one that got lost on the way must not pass as
// one that is protected.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "policy/policy.h"
#include "release/global_claim.h"

namespace pentimento {

// What is wrong, or nothing: the policy asks for the global guarantee once; items name columns that are there; each
// that this policy asks for has at least its l; every set of the policy has an item of its own; and every sensitive
// column has items. What only an earlier policy promised may have less, and stands for nothing. Which codes the names
// of values have cannot be seen from here.
std::optional<std::string> FindLostItems(std::span<const GuaranteePolicy> guarantees, const GlobalClaim& claim,
                                         std::size_t sensitive_columns);

}  // namespace pentimento
