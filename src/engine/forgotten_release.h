// A release of a series that stands among the published ones and is not on record: the ledger was set back to an older
// backup, or is not the one of this series. To go on would count what that release told as nothing.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "ledger/ledger.h"
#include "policy/policy.h"

namespace pentimento {

// kCorruptLedger where a folder in `out` says that it is a release of the policy's series and the ledger does not know
// it. `ledger` may be null: a dry run before there is one. Folders that are no releases of ours are passed over.
Status RequireNoneForgotten(const Policy& policy, const std::filesystem::path& out, Ledger* ledger);

}  // namespace pentimento
