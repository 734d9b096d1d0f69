// The files in a folder that nobody looks at yet: texts, copies, taxonomies.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/bind.h"
#include "ledger/open_entry.h"

namespace pentimento {

// Writes a new file. Like the table, it is not synced: what is published is as durable as any copied file.
Result<PublishedFile> StageText(const std::filesystem::path& folder, const std::string& name, std::string_view text);

// Copies a file byte by byte. Only the owner may read the copy.
Result<PublishedFile> StageCopy(const std::filesystem::path& folder, const std::string& name,
                                const std::filesystem::path& from);

// The taxonomies of the columns that have one.
Result<std::vector<PublishedFile>> StageTaxonomies(const std::filesystem::path& folder, const BoundPolicy& bound);

// Brings the files to the disk, for those that the ledger answers for.
Status SyncStaged(const std::filesystem::path& folder, std::span<const PublishedFile> files);

}  // namespace pentimento
