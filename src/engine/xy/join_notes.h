// What a user should know about guarantees over a join before trusting them: what they amount to, and what is left out.
#pragma once

#include <string>
#include <vector>

#include "audit/one_to_one.h"
#include "engine/steps/release_outcome.h"
#include "engine/xy/join_claims.h"
#include "engine/xy/release_columns.h"
#include "policy/policy.h"
#include "release/xy_releases.h"

namespace pentimento {

// `is_generalized`: by quasi-identifier of the new release.
std::vector<std::string> JoinNotes(const Policy& policy, const ReleaseColumns& columns, const CommonColumns& common,
                                   const NamedClaims& named, const std::vector<bool>& is_generalized);

// What one-to-one matching leaves of the guarantees over a join, for people and programs.
struct OneToOneNotes {
  Remarks remarks;   // a warning where matches can be ruled out, or where it is not known whether they can
  std::string json;  // one object; empty where there was nothing to look for
};

// The findings are about these releases, with the default limits.
OneToOneNotes TellOneToOne(const Policy& policy, const XyReleases& releases, const OneToOneFindings& findings);

}  // namespace pentimento
