#include "ledger/file_descriptor.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "fmt/core.h"

namespace pentimento {
namespace {

std::string_view WhatToDo(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return " Free some space there and run again.";
    case EACCES:
    case EPERM:
      return " Run as the owner of the ledger.";
    case EROFS:
      return " Use a ledger on a disk that can be written.";
    default:
      return "";
  }
}

bool IsWrittenPastCache(const FileDescriptor& file) { return (fcntl(file.get(), F_GETFL) & O_DIRECT) != 0; }

}  // namespace

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

FileDescriptor::~FileDescriptor() {
  if (number_ >= 0) close(number_);
}

Error StorageError(const std::filesystem::path& path, std::string_view done, int error_number) {
  return Error{ErrorCode::kStorage, fmt::format("{}: cannot be {}: {}.{}", path.string(), done,
                                                std::generic_category().message(error_number), WhatToDo(error_number))};
}

Result<FileDescriptor> CreatePrivateFile(const std::filesystem::path& path, WriteWay way) {
  FileDescriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.valid()) return StorageError(path, "created", errno);
  // Asked of the open file: refused at its creation, the file might have been created all the same.
  if (way == WriteWay::kPastCache) (void)fcntl(file.get(), F_SETFL, O_DIRECT);
  return file;
}

bool UseCache(const FileDescriptor& file) { return fcntl(file.get(), F_SETFL, 0) == 0; }

Status WriteAll(const FileDescriptor& file, std::span<const std::byte> bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    // Some file systems let a file be opened for writing past the cache and refuse the first write.
    if (written < 0 && errno == EINVAL && IsWrittenPastCache(file) && UseCache(file)) continue;
    if (written < 0) return StorageError(path, "written", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Status SyncFile(const FileDescriptor& file, const std::filesystem::path& path) {
  if (fsync(file.get()) != 0) return StorageError(path, "brought to the disk", errno);
  return {};
}

Status SyncFolder(const std::filesystem::path& folder) {
  const FileDescriptor file(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!file.valid()) return StorageError(folder, "opened", errno);
  return SyncFile(file, folder);
}

int MakeFolderDurably(const std::filesystem::path& folder, unsigned mode) {
  constexpr unsigned kUsualMode = 0777;
  const std::filesystem::path around = folder.parent_path();
  if (mkdir(folder.c_str(), mode) != 0) {
    if (errno == EEXIST) return 0;
    if (errno != ENOENT || around.empty() || around == folder) return errno;
    if (const int error = MakeFolderDurably(around, kUsualMode); error != 0) return error;
    if (mkdir(folder.c_str(), mode) != 0 && errno != EEXIST) return errno;
  }
  const FileDescriptor file(open(around.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return file.valid() && fsync(file.get()) == 0 ? 0 : errno;
}

Status RenameDurably(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) return StorageError(to, "put in place", errno);
  return SyncFolder(to.parent_path());
}

}  // namespace pentimento
