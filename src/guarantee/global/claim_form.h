// Whether what is to be verified can be given at all, and is what the policy asks for: an item that got lost on the way
// must not pass as one that is protected.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "policy/policy.h"
#include "release/global_claim.h"

namespace pentimento {

// Refuses items that are not transient: the closed form is wrong for them, in both directions.
Status CheckClaim(const GlobalClaim& claim);

// What got lost, or nothing:
// 1. the policy asks for the global guarantee once;
// 2. items name columns that are there;
// 3. each that this policy asks for has at least its l; what only an earlier policy promised may have less, and stands
//    for nothing;
// 4. every set of the policy has an item of its own, and every sensitive column has items.
// Which codes the names of values have cannot be seen from here.
std::optional<std::string> FindLostItems(std::span<const GuaranteePolicy> guarantees, const GlobalClaim& claim,
                                         std::size_t sensitive_columns);

// How messages call an item.
std::string NameOfItem(const GlobalClaim& claim, std::size_t item);

}  // namespace pentimento
