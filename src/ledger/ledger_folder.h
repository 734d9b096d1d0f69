// The folder of a ledger: who may read it, its secret key, and the lock that lets one process write at a time.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/clock.h"
#include "base/hash.h"
#include "base/result.h"
#include "ledger/file_descriptor.h"

namespace pentimento {

struct LedgerFolder {
  // As the user names it: from the root, without a slash at the end.
  static LedgerFolder At(const std::filesystem::path& named);

  std::filesystem::path path;

  std::filesystem::path Database() const { return path / "ledger.db"; }
  std::filesystem::path Log() const { return path / "ledger.db-wal"; }
  // There only while SQLite begins to keep a log at all, in a ledger that is being made.
  std::filesystem::path Journal() const { return path / "ledger.db-journal"; }
  std::filesystem::path Key() const { return path / "key"; }
  std::filesystem::path Lock() const { return path / "lock"; }
  // Made last of all. So where it exists, the rest has existed, too, and a missing ledger.db was lost, not never made.
  std::filesystem::path State() const { return path / "state"; }
  // Copies of releases that another tool made. Made with the first of them.
  std::filesystem::path Imported() const { return path / "imported"; }
};

// Makes the folder with mode 0700 where there is none. kUsage for a folder that holds other things, kStorage for one
// that others may read.
Status MakeLedgerFolder(const LedgerFolder& folder);

// kUsage where there is no ledger, kStorage where others may read it.
Status RequireLedgerFolder(const LedgerFolder& folder);

// Whether there is a ledger, for one who may only look: false where MakeLedgerFolder and what follows it would make a
// new one, an error where they would refuse the folder.
Result<bool> LookForLedger(const LedgerFolder& folder);

// The key on disk; kCorruptLedger, saying what is lost, where there is none.
Result<SecretKey> ReadKey(const LedgerFolder& folder);
// The key on disk, or a new one for a new ledger. Under the writer's lock.
Result<SecretKey> ReadOrMakeKey(const LedgerFolder& folder);

// Held by the one process that may write. The system drops it when the process ends, however it ends.
class WriterLock {
 public:
  // kStorage when another process holds it, naming that process.
  static Result<WriterLock> Take(const LedgerFolder& folder, const Clock& clock);

 private:
  explicit WriterLock(FileDescriptor file) : file_(std::move(file)) {}
  FileDescriptor file_;
};

}  // namespace pentimento
