// Two tables cover one release of a person: whoever holds two such releases can combine the classes that somebody was
// in, and see what both have in common.
#pragma once

#include "base/result.h"
#include "engine/bind.h"
#include "io/encode.h"
#include "ledger/ledger.h"

namespace pentimento {

// Before anything is read: kRefused where two tables are on record and nobody can tell whether these are other people,
// because the release there or this one has no id column. `ledger` may be null: nothing is on record.
Status RequireTellable(const BoundPolicy& bound, Ledger* ledger);

// kRefused where somebody stands in two tables on record already.
Status RequireOtherPeople(const BoundPolicy& bound, const EncodedInput& input, Ledger* ledger);

}  // namespace pentimento
