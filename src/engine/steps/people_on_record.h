// Who was published before, as the ledger knows it: by keyed hashes, in the state files of each release.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/hash.h"
#include "base/result.h"
#include "ledger/ledger.h"

namespace pentimento {

// The series under the global guarantee that a release belongs to; empty where it is none, or nothing of it is out.
std::string GlobalSeriesOf(const ReleaseRecord& release);

// How many of these people the release's state files name; nothing where they name nobody, because its policy has no id
// column. Of a series under the global guarantee only the latest release has such a file, and it names everybody who
// was ever in the series.
Result<std::optional<std::uint64_t>> CountSharedPeople(Ledger& ledger, const std::string& release,
                                                       std::span<const IdentityHash> people);

}  // namespace pentimento
