// One-to-one matching: what the guarantees over a join are worth to somebody who also knows that every record of the
// smaller release has a partner of its own in the other. It refuses nothing, it tells: see "One-to-one matching" in
// xy_anonymity.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "guarantee/xy/joined_view.h"
#include "guarantee/xy/release_pairing.h"
#include "release/joined_releases.h"

namespace pentimento {

// One requirement, or one limit of it, over the matches that are left.
struct ClaimOneToOne {
  bool is_linkability = false;
  std::size_t claim = 0;   // in JoinedReleases::anonymity or ::linkability
  std::size_t target = 0;  // of a linkability
  std::string found;       // exact: the least anonymity, or the greatest share as a fraction; empty without matches
  std::string required;    // k, or the limit
  std::optional<std::string> violation;   // why it would not hold, in words, without any cell
  std::optional<std::string> not_judged;  // why it could not be told whether it would
};

struct OneToOneFindings {
  std::vector<ReleasePairing> pairings;  // with the releases where pairing can matter
  std::vector<ClaimOneToOne> claims;     // those over a join that loses matches
};

// Each earlier release is paired with the new one by itself: with three at once it cannot be decided in any reasonable
// time, so more than what is found here may follow. An error is a bug of ours.
Result<OneToOneFindings> LookOneToOne(const NewReleaseView& view, const JoinedReleases& releases,
                                      const PairingLimits& limits = {});

}  // namespace pentimento
