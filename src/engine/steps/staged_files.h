// The files in a folder that nobody looks at yet: texts, copies, taxonomies.
#pragma once

#include <filesystem>
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

// The taxonomies of the columns that have one.
Result<std::vector<PublishedFile>> StageTaxonomies(const std::filesystem::path& folder, const BoundPolicy& bound);

// Brings to the disk that these files are there: the folder, and the folders in it.
Status SyncFoldersOf(const std::filesystem::path& folder, std::span<const PublishedFile> files);

}  // namespace pentimento
