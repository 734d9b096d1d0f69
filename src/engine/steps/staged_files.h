// The files in a folder that nobody looks at yet: texts, copies, taxonomies.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/bind/bind.h"
#include "ledger/open_entry.h"

namespace pentimento {

// Writes a new file and brings it to the disk.
Result<PublishedFile> StageText(const std::filesystem::path& folder, const std::string& name, std::string_view text);

// Copies a file byte by byte, and brings the copy to the disk. Only the owner may read it.
Result<PublishedFile> StageCopy(const std::filesystem::path& folder, const std::string& name,
                                const std::filesystem::path& from);

// What every release has beside its tables: the taxonomies of the columns that have one and, last, datapackage.json,
// whose text is made from the files before it. Brings to the disk that all of them are there. Returns `tables` and
// these.
Result<std::vector<PublishedFile>> FinishStaging(
    const std::filesystem::path& folder, const BoundPolicy& bound, std::vector<PublishedFile> tables,
    const std::function<std::string(std::span<const PublishedFile>)>& manifest_of);

}  // namespace pentimento
