// What a release and everything on record about the same people tell together: measured with every release, and refused
// where a promise would not survive.
//
// A promise of k is measured by crowds: the attacker does not know who is in which release. Joint classes, for whoever
// does, are told beside it. A limit on sensitive values is measured by what holds in every world that the releases
// leave, if values stay. Values under the global guarantee change, so its releases take no part in that; a release
// outside of its series that shows a column on its account breaks it, because nobody charges for it.
#pragma once

#include <optional>
#include <string>

#include "base/hash.h"
#include "base/result.h"
#include "engine/bind/bind.h"
#include "engine/composition/earlier_releases.h"
#include "engine/steps/own_classes.h"
#include "engine/steps/release_outcome.h"

namespace pentimento {

// Nothing where `earlier` is empty: no other release is on record. kRefused, with the releases it takes and what would
// help, where a promise is broken and the policy says overlap = "refuse", or says nothing and one of these releases
// promises more than one release or limits sensitive values. `hasher`: of the ledger. `earlier`: recalled for the
// people of `own`.
Result<std::optional<CompositionOutcome>> ComposeWithRecord(const BoundPolicy& bound, const IdentityHasher& hasher,
                                                            const std::string& promise_json, const OwnClasses& own,
                                                            RecalledReleases earlier);

}  // namespace pentimento
