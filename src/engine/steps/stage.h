// Writing a verified release into a folder that nobody looks at yet.
//
// 1. `folder` is empty before. After an error it may hold anything, and is not published.
// 2. datapackage.json comes last, here and in what is returned: it names the other files.
// 3. What cannot be made again is on the disk when these functions return; ARCHITECTURE.md lists it under Durability.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/bind/bind.h"
#include "engine/published/datapackage.h"
#include "io/encode.h"
#include "ledger/open_entry.h"
#include "release/verified_release.h"

namespace pentimento {

// The table, the public taxonomies and datapackage.json.
Result<std::vector<PublishedFile>> StageRelease(const std::filesystem::path& folder, const BoundPolicy& bound,
                                                const PackageWords& words, const EncodedInput& input,
                                                const VerifiedRelease& release,
                                                const IncrementalPart* series = nullptr);

// NSS, the SS tables, the public taxonomies and datapackage.json.
Result<std::vector<PublishedFile>> StageTwoTables(const std::filesystem::path& folder, const BoundPolicy& bound,
                                                  const PackageWords& words, const EncodedInput& input,
                                                  std::span<const ValueColumn* const> sensitive,
                                                  const VerifiedRelease& release);

using ShowRows = std::function<Status(ArrowArrayStream rows)>;
// Hands over the rows that would be written, in their order; of two tables those of NSS.
Status ShowRelease(const BoundPolicy& bound, const EncodedInput& input, const VerifiedRelease& release,
                   const ShowRows& show);

// What every release has beside its tables: the taxonomies of the columns that have one and, last, datapackage.json,
// whose text is made from the files before it. Brings to the disk that all of them are there. Returns `tables` and
// these.
Result<std::vector<PublishedFile>> FinishStaging(
    const std::filesystem::path& folder, const BoundPolicy& bound, std::vector<PublishedFile> tables,
    const std::function<std::string(std::span<const PublishedFile>)>& manifest_of);

// Copies a file byte by byte, and brings the copy to the disk. Only the owner may read it.
Result<PublishedFile> StageCopy(const std::filesystem::path& folder, const std::string& name,
                                const std::filesystem::path& from);

}  // namespace pentimento
