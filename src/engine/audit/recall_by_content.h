// Releases on record of which the ledger does not say who is in which class, told by what they hold: imports, releases
// of a policy without an id, and those of an earlier version.
//
// 1. A release is about the people of this table if its rows can only be theirs: everybody is in just one class of it,
//    every class has as many rows as people, and the same values of each sensitive column that both show.
// 2. Whatever fits less well stays unknown: a release of more people or of fewer, labels that nobody understands, a
//    quasi-identifier that the input lacks, people with several rows, one class for everybody.
#pragma once

#include "base/hash.h"
#include "base/result.h"
#include "engine/bind/bind.h"
#include "engine/composition/earlier_releases.h"
#include "io/encode.h"
#include "ledger/ledger.h"

namespace pentimento {

// Moves releases from `earlier.unknown` to those that are about the people of this table. Where the policy names no id
// people are numbered by their rows.
// REQUIRES: `earlier` was recalled for the people of `input`, in its order.
Status RecallByContent(Ledger& ledger, const BoundPolicy& bound, const EncodedInput& input, RecalledReleases& earlier);

}  // namespace pentimento
