#include "ledger/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>

namespace pentimento {

FolderLock LockFolder(const std::filesystem::path& folder) {
  using Outcome = FolderLock::Outcome;
  FileDescriptor file(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.valid() && errno == ENOENT) return {Outcome::kGone};
  if (!file.valid()) return {Outcome::kTrouble, FileDescriptor(), errno};
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return {Outcome::kInUse};
    return {Outcome::kTrouble, FileDescriptor(), errno};
  }
  // Between opening and locking its last holder may have published the folder under its final name, or removed it.
  struct stat locked, named;
  if (fstat(file.get(), &locked) != 0) return {Outcome::kTrouble, FileDescriptor(), errno};
  if (lstat(folder.c_str(), &named) != 0 || locked.st_dev != named.st_dev || locked.st_ino != named.st_ino) {
    return {Outcome::kGone};
  }
  return {Outcome::kTaken, std::move(file)};
}

}  // namespace pentimento
