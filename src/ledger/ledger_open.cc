// How ledger.db is opened: made and brought up to date for a writer, left as it is for a reader.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/run.h"
#include "fmt/core.h"
#include "ledger/ledger.h"
#include "ledger/schema.h"

namespace pentimento {
namespace {

// SQLite would make the file readable by others; one that exists keeps its mode and hands it on to the files beside it.
Status MakeDatabaseFile(const LedgerFolder& folder) {
  const FileDescriptor file(open(folder.Database().c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.valid()) return StorageError(folder.Database(), "opened", errno);
  return SyncFolder(folder.path);
}

Status BringUpToDate(Database& database, DatabaseState state, const SecretKey& key) {
  PENTIMENTO_ASSIGN(Transaction transaction, Transaction::Begin(database));
  PENTIMENTO_RETURN_IF_ERROR(ApplyMigrations(database));
  // The head belongs to the same transaction: there is never a ledger without one.
  if (state == DatabaseState::kEmpty) PENTIMENTO_RETURN_IF_ERROR(BeginChain(database, key));
  Failpoint("database-making");
  PENTIMENTO_RETURN_IF_ERROR(transaction.Commit());
  Failpoint("database-made");
  // Before the folder `state`, which says that there was a database with tables.
  return database.EmptyLog();
}

Status MakeStateFolder(const LedgerFolder& folder) {
  if (mkdir(folder.State().c_str(), 0700) == 0) return SyncFolder(folder.path);
  if (errno != EEXIST) return StorageError(folder.State(), "created", errno);
  return {};
}

Error Emptied(const LedgerFolder& folder) {
  return Error{
      ErrorCode::kCorruptLedger,
      fmt::format("{}: empty, though the ledger's other files are there. Without it there is no record of what was "
                  "published. Restore the file from a backup.",
                  folder.Database().string())};
}

// A process that was killed while it made the ledger leaves a journal, and SQLite reads nothing before that is rolled
// back, which is no reader's right. Nothing is on record yet at that moment.
Status RollBackMaking(const LedgerFolder& folder) {
  std::error_code error;
  if (!std::filesystem::exists(folder.Journal(), error)) return {};
  if (access(folder.path.c_str(), W_OK) != 0) {
    return Error{ErrorCode::kStorage,
                 fmt::format("{}: the ledger was being made when its process stopped. Run 'pentimento log' once as the "
                             "owner of the ledger, on a disk that can be written.",
                             folder.path.string())};
  }
  PENTIMENTO_ASSIGN(Database database, Database::Open(folder.Database(), Database::Mode::kReadWrite));
  PENTIMENTO_ASSIGN(const std::int64_t objects, database.Number("SELECT count(*) FROM sqlite_schema"));
  (void)objects;
  return {};
}

// In WAL mode even a reader wants to write beside the database. Where it cannot, SQLite reads the bare file, which is
// right exactly when there is no log that the last writer left unmerged.
Result<Database> OpenReadable(const LedgerFolder& folder) {
  std::error_code error;
  const auto log_bytes = std::filesystem::file_size(folder.Log(), error);
  const bool log_exists = !error;
  const bool writable = access(folder.path.c_str(), W_OK) == 0;
  if (writable || log_exists) {
    PENTIMENTO_ASSIGN(Database database, Database::Open(folder.Database(), Database::Mode::kReadOnly));
    const auto probe = database.Number("SELECT count(*) FROM sqlite_schema");
    if (probe.ok()) return database;
    if (writable || probe.error().code != ErrorCode::kStorage) return probe.error();
  }
  if (log_exists && log_bytes > 0) {
    return Error{
        ErrorCode::kStorage,
        fmt::format("{}: the last change to the ledger is still in its log, which cannot be read in a folder that "
                    "cannot be written. Run once as the owner of the ledger, on a disk that can be written.",
                    folder.Log().string())};
  }
  return Database::Open(folder.Database(), Database::Mode::kImmutable);
}

}  // namespace

Result<Database> Ledger::OpenDatabaseForWriting(const LedgerFolder& folder, const SecretKey& key) {
  PENTIMENTO_RETURN_IF_ERROR(MakeDatabaseFile(folder));
  PENTIMENTO_ASSIGN(Database database, Database::Open(folder.Database(), Database::Mode::kReadWrite));
  PENTIMENTO_ASSIGN(const DatabaseState state, StateOf(database, folder.Database().string()));
  if (state == DatabaseState::kEmpty && std::filesystem::exists(folder.State())) return Emptied(folder);
  PENTIMENTO_RETURN_IF_ERROR(database.Execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL"));
  if (state != DatabaseState::kCurrent) PENTIMENTO_RETURN_IF_ERROR(BringUpToDate(database, state, key));
  PENTIMENTO_RETURN_IF_ERROR(MakeStateFolder(folder));
  return database;
}

// An older one has the same tables, and fewer kinds of entries.
Result<Database> Ledger::OpenDatabaseForReading(const LedgerFolder& folder) {
  PENTIMENTO_RETURN_IF_ERROR(RollBackMaking(folder));
  PENTIMENTO_ASSIGN(Database database, OpenReadable(folder));
  PENTIMENTO_ASSIGN(const DatabaseState state, StateOf(database, folder.Database().string()));
  if (state == DatabaseState::kEmpty) {
    if (std::filesystem::exists(folder.State())) return Emptied(folder);
    return Error{ErrorCode::kUsage,
                 fmt::format("no ledger at {}: it was begun, but nothing is in it yet.", folder.path.string())};
  }
  return database;
}

}  // namespace pentimento
