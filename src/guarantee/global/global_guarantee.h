// The global guarantee: over all releases of a series together nobody was ever linked to a sensitive item with a chance
// above 1/l. See global_guarantee.md for what that means, and guarantee/global/charge.h for the accountant's quicker
// way.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "guarantee/global/exposure.h"
#include "release/global_claim.h"

namespace pentimento {

// No command has the whole history: releases are verified by the accountant, and tests measure it by this one.
// Exact, over the whole history: for every person and item l * prod (n - s) >= (l - 1) * prod n over the releases that
// the person is in. Nothing where that holds; otherwise the person with the smallest number, and of its items the
// first. An error where the claim cannot be given (an item that is not transient), or claim and releases do not fit
// together.
Result<std::optional<GlobalViolation>> FindGlobalViolation(std::span<const ReleaseClasses> history,
                                                           const GlobalClaim& claim);

// For people, in one sentence. `who` is what the ledger knows the person by; releases are called by their names.
std::string DescribeViolation(const GlobalViolation& violation, const GlobalClaim& claim, std::string_view who,
                              std::span<const std::string> release_names);

}  // namespace pentimento
