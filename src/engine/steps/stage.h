// Writing a verified release into a folder that nobody looks at yet.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/bind/bind.h"
#include "engine/published/incremental_part.h"
#include "io/encode.h"
#include "ledger/open_entry.h"
#include "release/verified_release.h"

namespace pentimento {

// Writes the table, the public taxonomies and datapackage.json into `folder`, which is empty. Returns the files,
// datapackage.json last.
Result<std::vector<PublishedFile>> StageRelease(const std::filesystem::path& folder, const BoundPolicy& bound,
                                                const EncodedInput& input, const VerifiedRelease& release,
                                                const IncrementalPart* series = nullptr);

}  // namespace pentimento
