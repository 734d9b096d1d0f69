// A policy that continues a series, brought into the form that the series has: codes and boxes of all its releases must
// mean the same, however the policy and its files are written down.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/bind/bind.h"
#include "engine/incremental/incremental_about.h"
#include "engine/incremental/incremental_memory.h"
#include "io/encode.h"
#include "taxonomy/domain.h"

namespace pentimento {

// Quasi-identifiers are put into the order of the series, in the places that the policy has for them. A taxonomy whose
// lines or values are in another order, or whose labels above the leaves have other names, and which is otherwise
// the same, takes the order of the series, if one of its releases still lies where it was published. What cannot be
// brought into form is left as it is, and refused by FindBreak; kBadPolicy where it can be said better here. A new
// series is followed by anything.
Status FollowIncremental(const IncrementalMemory& series, BoundPolicy& bound,
                         const IncrementalKAnonymityPolicy& guarantee);

// kBadPolicy with the place in the policy, the reason, and what to do.
Error CannotContinue(const Policy& policy, const IncrementalKAnonymityPolicy& guarantee, const IncrementalBreak& found);

// The domains of a batch as the series began with them. Numbers need a grid: the codes of a wide column, which the
// reader has numbered by rank, become places on it. A column without missing values in the first release has no place
// for them later. `earlier`: the releases before, empty for the first.
Result<std::vector<Domain>> FixDomains(EncodedInput& input, const BoundPolicy& bound,
                                       std::span<const IncrementalAbout> earlier);

}  // namespace pentimento
