// Releases that are among the published ones and not on record: the ledger was set back to an older backup, has lost
// its newest entries, or is not the one that published them. To go on with their series would count what they told as
// nothing; what they tell together with any other release, nobody measures.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/published/manifest.h"
#include "ledger/ledger.h"
#include "policy/policy.h"

namespace pentimento {

struct UnrecordedRelease {
  std::filesystem::path folder;
  ManifestHead head;  // what it says of itself
};

struct UnrecordedReleases {
  std::vector<UnrecordedRelease> releases;  // in the order of their folders
  std::vector<std::string> notes;           // what could not be looked at
};

// The folders in `out` that are releases of ours and that the ledger has on record neither as published nor as begun.
// `ledger` may be null: a dry run before there is one. Folders that are no releases of ours are passed over. What lies
// in `out` is not trusted: a datapackage.json that is no regular file of a bounded size, or cannot be read, is not
// read, and the release goes on; that is what the notes tell.
Result<UnrecordedReleases> FindUnrecorded(const std::filesystem::path& out, Ledger* ledger);

// kCorruptLedger where one of these is of the policy's series.
Status RequireNoneForgotten(const Policy& policy, const std::vector<UnrecordedRelease>& unrecorded);

}  // namespace pentimento
