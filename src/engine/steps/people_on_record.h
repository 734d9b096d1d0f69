// Who was published before, as the ledger knows it: by keyed hashes, in the state files of each release.
//
// Two tables cover one release of a person: beside a release that shows some of the same columns, whoever holds both
// can put together what each of them keeps apart. So some releases must not share people: the Require functions hold
// that.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/hash.h"
#include "base/result.h"
#include "engine/bind/bind.h"
#include "engine/steps/forgotten_release.h"
#include "ledger/ledger.h"

namespace pentimento {

// The series under the global guarantee that a release belongs to; empty where it is none, or nothing of it is out.
std::string GlobalSeriesOf(const ReleaseRecord& release);

// How many of these people the release's state files name; nothing where they name nobody, because its policy has no id
// column. Of a series under the global guarantee only the latest release has such a file, and it names everybody who
// was ever in the series.
Result<std::optional<std::uint64_t>> CountSharedPeople(Ledger& ledger, const std::string& release,
                                                       std::span<const IdentityHash> people);

// Before anything is read: kRefused where a release that is out must not have the same people (shown_columns.h), and
// nobody can tell whether it has: it or this one names no id, it was imported, or it is in --out and not on record.
// Unknown is not none; what helps is the steward's word, other_people. `ledger` may be null: nothing is on record.
Status RequireTellable(const BoundPolicy& bound, Ledger* ledger, std::span<const UnrecordedRelease> unrecorded);

// kRefused where somebody is in such a release, whatever the steward says; and where it shares nobody with this one,
// but names people by another column. `people`: of this release, ascending.
Status RequireOtherPeople(const BoundPolicy& bound, std::span<const IdentityHash> people, Ledger* ledger);

}  // namespace pentimento
