// What a process that was killed has left on disk, and cleaning up after it. Nothing here touches the database.
#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>

#include "base/result.h"
#include "ledger/open_entry.h"

namespace pentimento {

enum class OnDisk {
  kPublished,  // the folder is visible, with the manifest on record
  kChanged,    // it became visible and was changed since
  kNothing,    // it never became visible
};

// Where an opened release has got to. kStorage where that cannot be told, because the folder it was to appear in
// cannot be reached: calling it abandoned might forget something that is out.
Result<OnDisk> LookForRelease(const OpenEntry& entry);

// Removes the release's staging folder, if it is there. False where somebody is writing in it: a process with another
// ledger may have taken over the name and the folder since, so what is locked is left alone.
Result<bool> RemoveStaging(const OpenEntry& entry);

// Removes every file in the state folder that is not named; returns how many.
Result<std::size_t> RemoveUnnamedStateFiles(const std::filesystem::path& state_folder,
                                            const std::set<std::string>& named);

}  // namespace pentimento
