// A release that stands among the published ones and is not on record: the ledger was set back to an older backup, has
// lost its newest entries, or is not the one that published it. To go on with its series would count what that release
// told as nothing.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "ledger/ledger.h"
#include "policy/policy.h"

namespace pentimento {

// kCorruptLedger where a folder in `out` says that it is a release of the policy's series and the ledger does not know
// it. `ledger` may be null: a dry run before there is one. Folders that are no releases of ours are passed over. What
// lies in `out` is not trusted: a datapackage.json that is no regular file of a bounded size, or cannot be read, is not
// read, and the release goes on; that is what the notes that come back tell.
Result<std::vector<std::string>> RequireNoneForgotten(const Policy& policy, const std::filesystem::path& out,
                                                      Ledger* ledger);

// The folders in `out` that are releases of ours, of a series or not, and that the ledger has on record neither as
// published nor as begun; in the order of their names.
Result<std::vector<std::filesystem::path>> FindUnrecorded(const std::filesystem::path& out, Ledger& ledger);

}  // namespace pentimento
