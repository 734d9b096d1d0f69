#include "ledger/ledger_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <span>
#include <string>
#include <system_error>

#include "base/run.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

bool Exists(const std::filesystem::path& path) {
  struct stat status;
  return lstat(path.c_str(), &status) == 0;
}

bool IsFile(const std::filesystem::path& path) {
  struct stat status;
  return lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// Group and others have no rights at all: the ledger says who took part in what.
Status RequirePrivate(const std::filesystem::path& path, std::string_view mode) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return StorageError(path, "read", errno);
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) == 0) return {};
  return Error{
      ErrorCode::kStorage,
      fmt::format("{}: others may read it (mode {:04o}), and a ledger is private. Run 'chmod {} {}' after making "
                  "sure that nobody has copied it.",
                  path.string(), status.st_mode & 07777, mode, path.string())};
}

Status RequireFolder(const LedgerFolder& folder) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder.path, error)) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{}: not a folder. Name a folder for the ledger.", folder.path.string())};
  }
  return {};
}

// The lock comes first into a new folder, so a folder with a lock alone is a ledger whose making was cut short. Other
// programs have folders with a `key`, and the system has some with a folder `lock`.
bool HasLedger(const LedgerFolder& folder) {
  return IsFile(folder.Database()) || IsFile(folder.Lock()) || (IsFile(folder.Key()) && Exists(folder.State()));
}

// Before anything is said of the folder's mode: what is not ours is not to be changed.
Status RequireEmptyOrLedger(const LedgerFolder& folder) {
  if (HasLedger(folder)) return {};
  std::error_code error;
  const bool empty = std::filesystem::is_empty(folder.path, error);
  if (error) return StorageError(folder.path, "read", error.value());
  if (empty) return {};
  return Error{ErrorCode::kUsage,
               fmt::format("{}: holds other things and no ledger. Name the folder of a ledger, or a new one.",
                           folder.path.string())};
}

Error KeyIsLost(const LedgerFolder& folder) {
  return Error{
      ErrorCode::kCorruptLedger,
      fmt::format("{}: the ledger's key is missing. Without it nobody in the ledger can be recognised again, and "
                  "nothing in it can be told from a forgery. Restore the file from a backup.",
                  folder.Key().string())};
}

Error DatabaseIsLost(const LedgerFolder& folder) {
  return Error{
      ErrorCode::kCorruptLedger,
      fmt::format("{}: missing, though the ledger's other files are there. Without it there is no record of what "
                  "was published. Restore the file from a backup.",
                  folder.Database().string())};
}

Result<SecretKey> MakeKey(const LedgerFolder& folder) {
  const std::filesystem::path partial = folder.path / "key.partial";
  unlink(partial.c_str());  // Left by a process that was killed right here; the lock keeps others away.
  const SecretKey key = RandomKey();
  PENTIMENTO_ASSIGN(const FileDescriptor file, CreatePrivateFile(partial));
  PENTIMENTO_RETURN_IF_ERROR(WriteAll(file, std::as_bytes(std::span(key)), partial));
  PENTIMENTO_RETURN_IF_ERROR(SyncFile(file, partial));
  Failpoint("key-written");
  PENTIMENTO_RETURN_IF_ERROR(RenameDurably(partial, folder.Key()));
  Failpoint("key-named");
  return key;
}

}  // namespace

LedgerFolder LedgerFolder::At(const std::filesystem::path& named) {
  const std::filesystem::path plain = std::filesystem::absolute(named).lexically_normal();
  return {plain.has_filename() || plain == plain.root_path() ? plain : plain.parent_path()};
}

Status MakeLedgerFolder(const LedgerFolder& folder) {
  if (!Exists(folder.path)) {
    if (const int error = MakeFolderDurably(folder.path, 0700); error != 0)
      return StorageError(folder.path, "created", error);
  }
  PENTIMENTO_RETURN_IF_ERROR(RequireFolder(folder));
  PENTIMENTO_RETURN_IF_ERROR(RequireEmptyOrLedger(folder));
  return RequirePrivate(folder.path, "700");
}

Status RequireLedgerFolder(const LedgerFolder& folder) {
  const bool begun = IsFile(folder.Database()) || (IsFile(folder.Key()) && Exists(folder.State()));
  if (!Exists(folder.path) || (access(folder.path.c_str(), R_OK | X_OK) == 0 && !begun)) {
    return Error{ErrorCode::kUsage, fmt::format("no ledger at {}. Name the folder that 'pentimento release' was given.",
                                                folder.path.string())};
  }
  PENTIMENTO_RETURN_IF_ERROR(RequireFolder(folder));
  PENTIMENTO_RETURN_IF_ERROR(RequirePrivate(folder.path, "700"));
  if (access(folder.path.c_str(), R_OK | X_OK) != 0) return StorageError(folder.path, "read", errno);
  if (!Exists(folder.Database())) return DatabaseIsLost(folder);
  return {};
}

Result<bool> LookForLedger(const LedgerFolder& folder) {
  if (!Exists(folder.path)) return false;
  PENTIMENTO_RETURN_IF_ERROR(RequireFolder(folder));
  if (access(folder.path.c_str(), R_OK | X_OK) != 0) return StorageError(folder.path, "read", errno);
  PENTIMENTO_RETURN_IF_ERROR(RequireEmptyOrLedger(folder));
  PENTIMENTO_RETURN_IF_ERROR(RequirePrivate(folder.path, "700"));
  return Exists(folder.Database()) || Exists(folder.State());
}

Result<SecretKey> ReadKey(const LedgerFolder& folder) {
  const FileDescriptor file(open(folder.Key().c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid() && errno == ENOENT) return KeyIsLost(folder);
  if (!file.valid()) return StorageError(folder.Key(), "read", errno);
  PENTIMENTO_RETURN_IF_ERROR(RequirePrivate(folder.Key(), "600"));
  std::array<std::uint8_t, sizeof(SecretKey) + 1> bytes;  // One more than a key has, to notice a longer file.
  const ssize_t length = read(file.get(), bytes.data(), bytes.size());
  if (length < 0) return StorageError(folder.Key(), "read", errno);
  if (static_cast<std::size_t>(length) != sizeof(SecretKey)) {
    return Error{ErrorCode::kCorruptLedger, fmt::format("{}: damaged: a key has {} bytes. Restore it from a backup.",
                                                        folder.Key().string(), sizeof(SecretKey))};
  }
  SecretKey key;
  std::copy_n(bytes.begin(), key.size(), key.begin());
  return key;
}

Result<SecretKey> ReadOrMakeKey(const LedgerFolder& folder) {
  if (Exists(folder.State()) && !Exists(folder.Database())) return DatabaseIsLost(folder);
  if (Exists(folder.Database()) || Exists(folder.Key())) return ReadKey(folder);
  return MakeKey(folder);
}

Result<WriterLock> WriterLock::Take(const LedgerFolder& folder, const Clock& clock) {
  FileDescriptor file(open(folder.Lock().c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.valid()) return StorageError(folder.Lock(), "opened", errno);
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return StorageError(folder.Lock(), "locked", errno);
    std::array<char, 128> holder;
    const ssize_t length = pread(file.get(), holder.data(), holder.size(), 0);
    const std::string_view text(holder.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
    return Error{ErrorCode::kStorage,
                 fmt::format("the ledger {} is in use by another pentimento{}. Try again when it is done.",
                             folder.path.string(), text.empty() ? "" : fmt::format(" ({})", text))};
  }
  // Who holds the lock is a courtesy to the next one: the lock holds without it, so a full disk does not matter here.
  const std::string text = fmt::format("process {}, started {}", getpid(), clock());
  if (ftruncate(file.get(), 0) == 0) (void)!pwrite(file.get(), text.data(), text.size(), 0);
  return WriterLock(std::move(file));
}

}  // namespace pentimento
