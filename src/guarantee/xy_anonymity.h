// (X,Y)-anonymity over the join of a new release with earlier ones: see xy_anonymity.md for what is promised and why
// the join need not be built.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "guarantee/join/wide_count.h"
#include "guarantee/joined_view.h"
#include "release/joined_releases.h"

namespace pentimento {

// A_Y(X): the smallest number of different values on Y that some value on X meets.
struct LeastAnonymity {
  WideCount values = 0;  // kUncountable: more than 128 bits can hold, and so more than any k
  MatchWitness witness;  // of the value on X
};

// Exact. Nothing for an empty join; an error where nothing can be proved, or the claim and the releases do not fit.
Result<std::optional<LeastAnonymity>> FindLeastAnonymity(const NewReleaseView& view, const JoinedReleases& releases,
                                                         const XyAnonymityClaim& claim,
                                                         CountingPath path = CountingPath::kReduced);

// Why the claim does not hold, or nothing. In words, for people; names rows and records by number, never a value. The
// draft is well-formed (well_formed.h).
std::optional<std::string> FindXyAnonymityViolation(const NewReleaseView& view, const JoinedReleases& releases,
                                                    const XyAnonymityClaim& claim);

// The same from the numbers.
std::optional<std::string> DescribeViolation(const std::optional<LeastAnonymity>& least, const JoinedReleases& releases,
                                             const XyAnonymityClaim& claim);

}  // namespace pentimento
