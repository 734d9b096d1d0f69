// Two tables cover one release of a person. Beside a second one, or beside a table that has the same people's cells as
// they were collected, whoever holds both can put together what each of them keeps apart.
#pragma once

#include <span>

#include "base/hash.h"
#include "base/result.h"
#include "engine/bind/bind.h"
#include "ledger/ledger.h"

namespace pentimento {

// Before anything is read: kRefused where a release on record must not have the same people, and nobody can tell
// whether it has, because it or this one has no id column. `ledger` may be null: nothing is on record.
Status RequireTellable(const BoundPolicy& bound, Ledger* ledger);

// kRefused where somebody stands in such a release. `people`: of this release, ascending.
Status RequireOtherPeople(const BoundPolicy& bound, std::span<const IdentityHash> people, Ledger* ledger);

}  // namespace pentimento
