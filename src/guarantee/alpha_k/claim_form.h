// Whether a claim is in order, and is what the policy asks for: a limit that got lost on the way must not pass as one
// that holds.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "policy/policy.h"
#include "release/alpha_k_claim.h"
#include "table/code_column.h"

namespace pentimento {

// What is wrong with the claim itself, or nothing: limits name columns that are there, values in order and at least
// one, and fractions.
std::optional<std::string> FindMalformedClaim(const AlphaKClaim& claim, std::size_t sensitive_columns);

// What is wrong, or nothing: the policy asks for (alpha,k)-anonymity once and there is a claim, or neither; the claim
// is well-formed, every sensitive column has a code for every row, and k and all limits are those of the policy, in the
// order that release/alpha_k_claim.h tells. Which values of a column alpha is for, and which codes the names of values
// have, cannot be seen from here.
std::optional<std::string> FindLostAlphaK(std::span<const GuaranteePolicy> guarantees, const AlphaKClaim* claim,
                                          std::size_t rows, std::span<const CodeColumn* const> sensitive);

}  // namespace pentimento
