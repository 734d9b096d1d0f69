// One release, from the policy to the ledger.
#pragma once

#include <functional>
#include <optional>

#include "base/random.h"
#include "base/result.h"
#include "engine/steps/release_outcome.h"
#include "io/arrow_c_data.h"
#include "policy/policy.h"

namespace pentimento {

// For faces that look at a release before it is out.
struct ReleaseHooks {
  // Asked before anything is on record or visible: an error ends the run, and nothing is published.
  std::function<Status(const ReleaseOutcome& outcome)> approve = nullptr;
  // Of a dry run: takes over the rows as they would be published; of two tables those of NSS. Not called for a growing
  // series, whose older rows are in the ledger.
  std::function<Status(ArrowArrayStream rows)> show = nullptr;
  // Drawn for a dry run, and again for the release that it showed. Without it, each run has its own.
  std::optional<Seed> drawn_seed = std::nullopt;
};

Result<ReleaseOutcome> PublishRelease(Policy policy, const ReleaseOptions& options, const ReleaseHooks& hooks = {});

}  // namespace pentimento
