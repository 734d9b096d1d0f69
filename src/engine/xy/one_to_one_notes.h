// What one-to-one matching leaves of the guarantees over a join, for people and programs.
#pragma once

#include <string>

#include "engine/steps/remarks.h"
#include "guarantee/xy/one_to_one.h"
#include "policy/policy.h"
#include "release/joined_releases.h"

namespace pentimento {

struct OneToOneNotes {
  Remarks remarks;   // a warning where matches can be ruled out, or where it is not known whether they can
  std::string json;  // one object; empty where there was nothing to look for
};

// The findings are about these releases, with the default limits.
OneToOneNotes TellOneToOne(const Policy& policy, const JoinedReleases& releases, const OneToOneFindings& findings);

}  // namespace pentimento
