// (X,Y)-anonymity over the join of a new release with earlier ones: see xy_anonymity.md for what is promised and why
// the join need not be built.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "guarantee/xy/wide_count.h"
#include "guarantee/xy/xy_view.h"
#include "release/xy_releases.h"

namespace pentimento {

// A_Y(X): the smallest number of different values on Y that some value on X meets.
struct LeastAnonymity {
  WideCount values = 0;  // kUncountable: more than 128 bits can hold, and so more than any k
  MatchWitness witness;  // of the value on X
};

// Of the one join with all releases that the claim is against, and of the rows in it. Exact. Nothing for an empty join;
// an error where nothing can be proved, or the claim and the releases do not fit.
Result<std::optional<LeastAnonymity>> FindLeastAnonymity(const NewReleaseView& view, const XyReleases& releases,
                                                         const XyAnonymityClaim& claim,
                                                         CountingPath path = CountingPath::kReduced);

// Why the claim does not hold, or nothing: over every join that it is about (every_join.h), of the rows in it and
// of those outside. The draft is well-formed (one_table_form.h).
std::optional<XyViolation> FindXyAnonymityViolation(const NewReleaseView& view, const XyReleases& releases,
                                                    const XyAnonymityClaim& claim);

// From the numbers of one join: why it does not hold there.
std::optional<std::string> DescribeViolation(const std::optional<LeastAnonymity>& least, const XyReleases& releases,
                                             const XyAnonymityClaim& claim);

}  // namespace pentimento
