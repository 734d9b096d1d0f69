// The joins that the claims of a release are about, one JoinClaim each, as small as they can be asked.
#pragma once

#include <vector>

#include "anonymize/specialize/collapsed_records.h"
#include "anonymize/specialize/earlier_join.h"
#include "release/xy_releases.h"

namespace pentimento {

// A claim against several releases is a claim for every selection of them that has all its columns. Where X holds all
// join columns of the new release and Y is in it, too, records of one value on X match the same or nothing, so what
// they meet is what they are: then the join is left out.
std::vector<JoinClaim> JoinsOfClaims(const XyReleases& releases, const NewRelease& table);

}  // namespace pentimento
