// Two tables cover one release of a person: whoever holds two such releases can combine the classes that somebody was
// in, and see what both have in common. Only the releases of one series under the global guarantee may share people:
// its account covers them all.
#pragma once

#include <span>
#include <string>

#include "base/hash.h"
#include "base/result.h"
#include "engine/bind.h"
#include "ledger/ledger.h"

namespace pentimento {

// Before anything is read: kRefused where two tables are on record and nobody can tell whether these are other people,
// because the release there or this one has no id column. `ledger` may be null: nothing is on record. `series`: under
// the global guarantee, whose own releases do not matter; empty for any other release.
Status RequireTellable(const BoundPolicy& bound, Ledger* ledger, const std::string& series = {});

// kRefused where one of these people, ascending, stands in two tables on record already.
Status RequireOtherPeople(const BoundPolicy& bound, std::span<const IdentityHash> these, Ledger* ledger,
                          const std::string& series = {});

}  // namespace pentimento
