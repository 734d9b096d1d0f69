// Writing a verified release in two tables into a folder that nobody looks at yet.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "base/result.h"
#include "engine/bind/bind.h"
#include "io/encode.h"
#include "ledger/open_entry.h"
#include "release/verified_release.h"

namespace pentimento {

// Writes NSS, the SS tables, the public taxonomies and datapackage.json into `folder`, which is empty. Returns the
// files, datapackage.json last.
Result<std::vector<PublishedFile>> StageTwoTables(const std::filesystem::path& folder, const BoundPolicy& bound,
                                                  const EncodedInput& input,
                                                  std::span<const ValueColumn* const> sensitive,
                                                  const VerifiedRelease& release);

}  // namespace pentimento
