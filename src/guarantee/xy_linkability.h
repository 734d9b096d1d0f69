// (X,Y)-linkability over the join of a new release with earlier ones: see xy_linkability.md for what is promised and
// why the join need not be built.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/result.h"
#include "guarantee/join/wide_count.h"
#include "guarantee/joined_view.h"
#include "release/joined_releases.h"

namespace pentimento {

// L_Y(X): the greatest share of the join's rows with some value on X that have one and the same value on Y, or one of
// the listed values.
struct GreatestLinkability {
  WideCount with_both = 0;  // a(x,y)
  WideCount with_x = 1;     // a(x)
  MatchWitness witness;     // of the value on X, and on Y unless with_both is 0
};

// Exact, for one target of the claim. Nothing for an empty join; an error where nothing can be proved, or the claim and
// the releases do not fit.
Result<std::optional<GreatestLinkability>> FindGreatestLinkability(const NewReleaseView& view,
                                                                   const JoinedReleases& releases,
                                                                   const XyLinkabilityClaim& claim, std::size_t target,
                                                                   CountingPath path = CountingPath::kReduced);

// Why the claim does not hold, or nothing. In words, for people; names rows and records by number, never a value. The
// draft is well-formed (well_formed.h).
std::optional<std::string> FindXyLinkabilityViolation(const NewReleaseView& view, const JoinedReleases& releases,
                                                      const XyLinkabilityClaim& claim);

// The same from the numbers of one target.
std::optional<std::string> DescribeViolation(const std::optional<GreatestLinkability>& greatest,
                                             const JoinedReleases& releases, const LinkabilityTarget& limit);

}  // namespace pentimento
