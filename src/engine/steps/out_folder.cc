#include "engine/steps/out_folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/run.h"
#include "fmt/core.h"
#include "ledger/file_descriptor.h"
#include "ledger/open_entry.h"

namespace pentimento {
namespace {

Error Trouble(const std::filesystem::path& path, std::string_view what, int error) {
  return {ErrorCode::kStorage, fmt::format("{}: {} ({})", path.string(), what, std::strerror(error))};
}

std::filesystem::path FinalPath(const std::filesystem::path& out, const std::string& release) {
  return (std::filesystem::absolute(out) / release).lexically_normal();
}

// Makes the folder and locks it, or finds that another live process has it. A folder that vanishes in between was just
// published or cleared away by such a process; a new one is made then.
Result<FileDescriptor> MakeAndLock(const std::filesystem::path& staging) {
  using Outcome = FolderLock::Outcome;
  FolderLock lock{Outcome::kGone};
  for (int attempt = 0; attempt < 10 && lock.outcome == Outcome::kGone; ++attempt) {
    if (mkdir(staging.c_str(), 0700) != 0 && errno != EEXIST) return Trouble(staging, "cannot be made", errno);
    lock = LockFolder(staging);
  }
  if (lock.outcome == Outcome::kTrouble) return Trouble(staging, "cannot be locked", lock.error_number);
  if (lock.outcome != Outcome::kTaken) {
    return Error{ErrorCode::kStorage,
                 fmt::format("{}: another pentimento is writing this release right now; wait for it, or choose "
                             "another --out",
                             staging.string())};
  }
  // One that was there before may be open to others.
  if (fchmod(lock.file.get(), 0700) != 0) return Trouble(staging, "cannot be made private", errno);
  return std::move(lock.file);
}

// Reading the umask means setting it. In between, what another thread makes is more private than wanted, never less.
mode_t Umask() {
  const mode_t mask = umask(0077);
  umask(mask);
  return mask;
}

Status RemoveContents(const std::filesystem::path& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    std::filesystem::remove_all(entry.path(), error);
    if (error) break;
  }
  if (error) return Trouble(folder, "what an interrupted run has left cannot be removed", error.value());
  return {};
}

// Renames, and never replaces anything. Some network file systems do not know the flag; there the check comes first.
bool RenameToNew(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL) return false;
  struct stat found;
  if (lstat(to.c_str(), &found) == 0) {
    errno = EEXIST;
    return false;
  }
  return rename(from.c_str(), to.c_str()) == 0;
}

}  // namespace

Status OutFolder::CheckFree(const std::filesystem::path& out, const std::string& release) {
  const std::filesystem::path path = FinalPath(out, release);
  struct stat found;
  if (lstat(path.c_str(), &found) == 0) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{}: is there already, and nothing that is out is ever replaced; choose another --out "
                             "or another release name",
                             path.string())};
  }
  return {};
}

Result<OutFolder> OutFolder::Prepare(const std::filesystem::path& out, const std::string& release) {
  PENTIMENTO_RETURN_IF_ERROR(CheckFree(out, release));
  const std::filesystem::path final_path = FinalPath(out, release);
  if (const int error = MakeFolderDurably(final_path.parent_path(), 0777); error != 0)
    return Trouble(out, "cannot be made", error);
  PENTIMENTO_ASSIGN(FileDescriptor lock, MakeAndLock(StagingPathFor(final_path)));
  OutFolder folder(final_path, std::move(lock));
  PENTIMENTO_RETURN_IF_ERROR(RemoveContents(folder.staging_path()));
  return folder;
}

OutFolder::OutFolder(std::filesystem::path final_path, FileDescriptor lock)
    : final_path_(std::move(final_path)), staging_path_(StagingPathFor(final_path_)), lock_(std::move(lock)) {}

OutFolder::~OutFolder() {
  if (!lock_.valid()) return;
  std::error_code ignored;  // the next run removes what stays
  if (!staging_path_.empty()) std::filesystem::remove_all(staging_path_, ignored);
}

Status OutFolder::MakeVisible() {
  Failpoint("publish-before-rename");
  // Until it is on record the folder is ours alone.
  if (fchmod(lock_.get(), 0755 & ~Umask()) != 0) return Trouble(staging_path_, "cannot be opened to others", errno);
  PENTIMENTO_RETURN_IF_ERROR(SyncFile(lock_, staging_path_));
  if (!RenameToNew(staging_path_, final_path_)) {
    return Trouble(final_path_, errno == EEXIST ? "is there already; nothing was published" : "cannot be made visible",
                   errno);
  }
  staging_path_.clear();
  Failpoint("publish-after-rename");
  return SyncFolder(final_path_.parent_path());
}

}  // namespace pentimento
