// (X,Y)-linkability over the join of a new release with earlier ones: see xy_linkability.md for what is promised and
// why the join need not be built.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/result.h"
#include "guarantee/xy/wide_count.h"
#include "guarantee/xy/xy_view.h"
#include "release/xy_releases.h"

namespace pentimento {

// L_Y(X): the greatest share of the join's rows with some value on X that have one and the same value on Y, or one of
// the listed values.
struct GreatestLinkability {
  WideCount with_both = 0;  // a(x,y)
  WideCount with_x = 1;     // a(x)
  MatchWitness witness;     // of the value on X, and on Y unless with_both is 0
};

// Exact, for one target of the claim, of the one join with all releases that it is against, and of the rows in it.
// Nothing for an empty join; an error where nothing can be proved, or the claim and the releases do not fit.
Result<std::optional<GreatestLinkability>> FindGreatestLinkability(const NewReleaseView& view,
                                                                   const XyReleases& releases,
                                                                   const XyLinkabilityClaim& claim, std::size_t target,
                                                                   CountingPath path = CountingPath::kReduced);

// Why the claim does not hold, or nothing: for each target over every join that it is about (every_join.h), of the
// rows in it and of those outside. The draft is well-formed (one_table_form.h).
std::optional<XyViolation> FindXyLinkabilityViolation(const NewReleaseView& view, const XyReleases& releases,
                                                      const XyLinkabilityClaim& claim);

// From the numbers of one target over one join: why it does not hold there.
std::optional<std::string> DescribeViolation(const std::optional<GreatestLinkability>& greatest,
                                             const XyReleases& releases, const LinkabilityTarget& limit);

}  // namespace pentimento
