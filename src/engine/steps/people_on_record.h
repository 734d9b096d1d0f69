// Who was published before, as the ledger knows it: by keyed hashes, in the state files of each release.
//
// Two tables cover one release of a person. Beside a second one, or beside a table that has the same people's cells as
// they were collected, whoever holds both can put together what each of them keeps apart. So some releases must not
// share people: the Require functions hold that.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/hash.h"
#include "base/result.h"
#include "engine/bind/bind.h"
#include "ledger/ledger.h"

namespace pentimento {

// The series under the global guarantee that a release belongs to; empty where it is none, or nothing of it is out.
std::string GlobalSeriesOf(const ReleaseRecord& release);

// How many of these people the release's state files name; nothing where they name nobody, because its policy has no id
// column. Of a series under the global guarantee only the latest release has such a file, and it names everybody who
// was ever in the series.
Result<std::optional<std::uint64_t>> CountSharedPeople(Ledger& ledger, const std::string& release,
                                                       std::span<const IdentityHash> people);

// Before anything is read: kRefused where a release on record must not have the same people, and nobody can tell
// whether it has, because it or this one has no id column. `ledger` may be null: nothing is on record.
Status RequireTellable(const BoundPolicy& bound, Ledger* ledger);

// kRefused where somebody is in such a release. `people`: of this release, ascending.
Status RequireOtherPeople(const BoundPolicy& bound, std::span<const IdentityHash> people, Ledger* ledger);

}  // namespace pentimento
