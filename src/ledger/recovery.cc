#include "ledger/recovery.h"

#include <algorithm>
#include <system_error>

#include "base/hash.h"
#include "base/run.h"
#include "fmt/core.h"
#include "ledger/file_descriptor.h"

namespace pentimento {
namespace {

namespace fs = std::filesystem;

// Whether something is there, not following links; an error only where that cannot be told.
Result<bool> IsThere(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (status.type() == fs::file_type::not_found) return false;
  if (error) return StorageError(path, "looked at", error.value());
  return true;
}

Result<bool> HasManifestOnRecord(const OpenEntry& entry) {
  const auto manifest = std::find_if(entry.files.begin(), entry.files.end(),
                                     [](const PublishedFile& file) { return file.name == kManifestName; });
  if (manifest == entry.files.end()) return false;
  PENTIMENTO_ASSIGN(const bool there, IsThere(entry.final_path / kManifestName));
  // What we publish is a file, and no link, folder or pipe of that name.
  std::error_code ignored;
  if (!there || !fs::is_regular_file(fs::symlink_status(entry.final_path / kManifestName, ignored))) return false;
  PENTIMENTO_ASSIGN(const Sha256 hash, HashFile(entry.final_path / kManifestName));
  return ToHex(hash) == manifest->sha256;
}

}  // namespace

Result<OnDisk> LookForRelease(const OpenEntry& entry) {
  std::error_code error;
  if (!fs::is_directory(entry.final_path.parent_path(), error)) {
    return Error{
        ErrorCode::kStorage,
        fmt::format("the release \"{}\" was being published when its process stopped, and the folder {} cannot be "
                    "reached to see whether it is out. Make it reachable again; if it is gone for good, create an "
                    "empty folder there.",
                    entry.release, entry.final_path.parent_path().string())};
  }
  PENTIMENTO_ASSIGN(const bool visible, IsThere(entry.final_path));
  if (!visible) return OnDisk::kNothing;
  PENTIMENTO_ASSIGN(const bool on_record, HasManifestOnRecord(entry));
  if (on_record) return OnDisk::kPublished;
  // Publishing renames the staging folder. Where that is gone, what is visible was ours; where it is not, it never was.
  PENTIMENTO_ASSIGN(const bool staged, IsThere(StagingPathFor(entry.final_path)));
  return staged ? OnDisk::kNothing : OnDisk::kChanged;
}

Result<bool> RemoveStaging(const OpenEntry& entry) {
  const fs::path staging = StagingPathFor(entry.final_path);
  std::error_code error;
  // A link or a file of that name is nothing we made.
  if (fs::symlink_status(staging, error).type() != fs::file_type::directory) return true;
  const FolderLock lock = LockFolder(staging);
  if (lock.outcome == FolderLock::Outcome::kTrouble) return StorageError(staging, "locked", lock.error_number);
  if (lock.outcome != FolderLock::Outcome::kTaken) return lock.outcome == FolderLock::Outcome::kGone;
  fs::remove_all(staging, error);
  if (error) return StorageError(staging, "removed", error.value());
  Failpoint("staging-removed");
  return true;
}

Result<std::size_t> RemoveUnnamedStateFiles(const fs::path& state_folder, const std::set<std::string>& named) {
  std::error_code error;
  fs::directory_iterator place(state_folder, error);
  std::size_t removed = 0;
  for (; !error && place != fs::directory_iterator(); place.increment(error)) {
    if (place->symlink_status().type() == fs::file_type::directory) continue;
    if (named.contains(place->path().filename().string())) continue;
    if (!fs::remove(place->path(), error) || error) return StorageError(place->path(), "removed", error.value());
    ++removed;
  }
  if (error) return StorageError(state_folder, "read", error.value());
  return removed;
}

}  // namespace pentimento
