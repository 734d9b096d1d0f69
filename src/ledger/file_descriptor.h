// An open file of the system, and the few durable operations the ledger needs: after a power cut each of them has
// either happened or not.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace pentimento {

class FileDescriptor {
 public:
  explicit FileDescriptor(int number = -1) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileDescriptor();

  int get() const { return number_; }
  bool valid() const { return number_ >= 0; }

 private:
  int number_;
};

// "PATH: cannot be DONE: why. What to do." as a kStorage error, from the value of errno.
Error StorageError(const std::filesystem::path& path, std::string_view done, int error_number);

// The way of what is written. Past the system's cache it costs neither memory nor a copy: for large files that nobody
// reads soon.
enum class WriteWay { kThroughCache, kPastCache };
// What a writer past the cache keeps to, in memory and in the file: addresses, places and sizes are multiples of it.
inline constexpr std::size_t kPastCacheAlignment = 4096;

// Creates a file of mode 0600 that must not exist yet. Where the file system knows no way past the cache, it is written
// through it.
Result<FileDescriptor> CreatePrivateFile(const std::filesystem::path& path, WriteWay way = WriteWay::kThroughCache);
// From now on the file is written through the cache, and whatever is written may have any size. False where the system
// does not let us.
bool UseCache(const FileDescriptor& file);

Status WriteAll(const FileDescriptor& file, std::span<const std::byte> bytes, const std::filesystem::path& path);
Status SyncFile(const FileDescriptor& file, const std::filesystem::path& path);
Status SyncFolder(const std::filesystem::path& folder);

// Makes the folder with this mode (less the umask) where it is not there, and with the usual one the folders around it
// that are not there. What is made is in a folder that was synced afterwards. Returns the value of errno, or 0.
[[nodiscard]] int MakeFolderDurably(const std::filesystem::path& folder, unsigned mode);

// Renames within one folder and syncs that folder.
Status RenameDurably(const std::filesystem::path& from, const std::filesystem::path& to);

// The lock on a staging folder: whoever holds it is alive and writing there. The system drops it when the process ends,
// however it ends.
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
