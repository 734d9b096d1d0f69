// What a release would lose at other k: dry runs of one policy, side by side.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/steps/release_outcome.h"
#include "policy/policy.h"

namespace pentimento {

// "k=5,10,20": different numbers of at least 2, ascending.
Result<std::vector<std::uint64_t>> ParseTries(const std::string& text);

// Prints a table with a line for each k, which every guarantee of the policy with a k gets. Exit code 1 where none of
// them could be published.
int TryRelease(const Policy& policy, const ReleaseOptions& options, const std::vector<std::uint64_t>& tries, bool json);

}  // namespace pentimento
