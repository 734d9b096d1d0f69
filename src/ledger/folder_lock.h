// The lock on a staging folder: whoever holds it is alive and writing there. The system drops it when the process ends,
// however it ends.
#pragma once

#include <filesystem>

#include "ledger/file_descriptor.h"

namespace pentimento {

struct FolderLock {
  enum class Outcome {
    kTaken,    // `file` holds the lock, and `folder` still names what was locked
    kInUse,    // another process, or another part of this one, holds it
    kGone,     // there is no such folder, or it was removed or renamed while it was being locked
    kTrouble,  // `error_number` says why; a link and a file are no folder
  };
  Outcome outcome;
  FileDescriptor file = FileDescriptor();
  int error_number = 0;
};

// Never waits, never follows a link.
FolderLock LockFolder(const std::filesystem::path& folder);

}  // namespace pentimento
