// Brings a policy with guarantees over a join together with the new table and the earlier releases: names become
// columns, labels become intervals of codes, and what cannot be promised is refused here with the reason.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/bind/bind.h"
#include "engine/steps/release_outcome.h"
#include "engine/xy/published_release.h"
#include "io/encode.h"
#include "release/xy_releases.h"
#include "table/code_column.h"

namespace pentimento {

struct BoundJoin {
  XyReleases releases;
  // The columns of the new release that are published as they are and take part, in the order in which
  // ReleaseColumn counts them after the quasi-identifiers: the codes of EncodedInput::values, or, where the column is a
  // quasi-identifier in an earlier release, the codes of that one's taxonomy or numbers.
  std::vector<const CodeColumn*> exact;
  std::vector<std::unique_ptr<const CodeColumn>> recoded;  // owns those of `exact` that EncodedInput does not
  std::vector<bool> is_generalized;                        // by quasi-identifier: it is in X of some guarantee
  Remarks remarks;                                         // what a requirement amounts to, what is not joined
};

// The mistake of a policy that limits what nobody has.
Error LimitOnNobody(const Policy& policy, const LinkabilityLimit& limit, const std::vector<std::string>& value);

// `earlier` in the order in which the policy first names them; that is their order in XyReleases::earlier.
Result<BoundJoin> BindJoin(const BoundPolicy& bound, const EncodedInput& input,
                           std::span<const PublishedRelease> earlier);

}  // namespace pentimento
