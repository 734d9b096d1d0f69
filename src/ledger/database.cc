#include "ledger/database.h"

#include <sqlite3.h>

#include <cerrno>
#include <new>

#include "base/machine_limits.h"
#include "fmt/core.h"
#include "ledger/printable.h"

namespace pentimento {
namespace {

constexpr int kBusyMilliseconds = 2000;

std::string NameOf(sqlite3* handle) {
  const char* name = handle == nullptr ? nullptr : sqlite3_db_filename(handle, "main");
  return name == nullptr || *name == '\0' ? "the ledger" : name;
}

// The code says whose move it is. A plain SQL error means that a table is not what we made it: our own statements are
// all exercised by the tests.
Error ErrorOf(sqlite3* handle, int code, std::string_view name) {
  // SQLite quotes names as it finds them, and in a damaged file these may be any bytes.
  const std::string why = Printable(handle == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle));
  switch (code & 0xff) {
    case SQLITE_NOTADB:
      return Error{ErrorCode::kCorruptLedger,
                   fmt::format("{}: not a ledger of Pentimento, or damaged beyond reading. Name another folder, or "
                               "restore the ledger from a backup.",
                               name)};
    case SQLITE_CORRUPT:
    case SQLITE_ERROR:
    case SQLITE_SCHEMA:
    case SQLITE_MISMATCH:
    case SQLITE_CONSTRAINT:
    case SQLITE_TOOBIG:
      return Error{ErrorCode::kCorruptLedger,
                   fmt::format("{}: the ledger is damaged ({}). Restore it from a backup.", name, why)};
    case SQLITE_FULL:
      return Error{ErrorCode::kStorage,
                   fmt::format("{}: cannot be written: the disk is full. Free some space there and run again.", name)};
    case SQLITE_NOMEM:
      return OutOfMemory();
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Error{ErrorCode::kStorage, fmt::format("{}: in use by another program. Try again when it is done.", name)};
    case SQLITE_MISUSE:
    case SQLITE_RANGE:
      return Error{ErrorCode::kInternal, fmt::format("{}: {}", name, why)};
    default:
      break;
  }
  // Mapping the log's index into memory fails as an error of the disk, too.
  const int system_error = handle == nullptr ? 0 : sqlite3_system_errno(handle);
  if (system_error == ENOMEM) return OutOfMemory();
  return Error{
      ErrorCode::kStorage,
      fmt::format("{}: cannot be read or written ({}, system error {}). Check the disk, its free space and the "
                  "owner of the folder.",
                  name, why, system_error)};
}

void RequireBound(int code) {
  if (code == SQLITE_NOMEM) throw std::bad_alloc();
  Check(code == SQLITE_OK, "a value binds");
}

std::string Uri(const std::filesystem::path& file, Database::Mode mode) {
  if (mode == Database::Mode::kMemory) return "file::memory:";
  std::string uri = "file:";
  for (const char c : file.string()) {
    if (c == '%' || c == '?' || c == '#') {
      uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    } else {
      uri += c;
    }
  }
  if (mode == Database::Mode::kImmutable) uri += "?immutable=1";
  return uri;
}

}  // namespace

std::string SqliteVersion() { return sqlite3_libversion(); }

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Statement& Statement::Bind(int parameter, std::int64_t value) {
  RequireBound(sqlite3_bind_int64(statement_.get(), parameter, value));
  return *this;
}

Statement& Statement::Bind(int parameter, std::string_view text) {
  RequireBound(
      sqlite3_bind_text64(statement_.get(), parameter, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

Statement& Statement::BindBytes(int parameter, std::string_view bytes) {
  RequireBound(sqlite3_bind_blob64(statement_.get(), parameter, bytes.data(), bytes.size(), SQLITE_TRANSIENT));
  return *this;
}

Result<bool> Statement::Step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  sqlite3* handle = sqlite3_db_handle(statement_.get());
  return ErrorOf(handle, code, NameOf(handle));
}

Status Statement::Run() {
  PENTIMENTO_ASSIGN(const bool row, Step());
  Check(!row, "a statement without rows has none");
  return {};
}

std::int64_t Statement::Number(int column) const { return sqlite3_column_int64(statement_.get(), column); }

std::string Statement::Text(int column) const {
  const void* bytes = sqlite3_column_blob(statement_.get(), column);
  if (bytes == nullptr) {
    // An empty text and one that memory did not suffice for look alike; only the latter is an error.
    if (sqlite3_errcode(sqlite3_db_handle(statement_.get())) == SQLITE_NOMEM) throw std::bad_alloc();
    return "";
  }
  return std::string(static_cast<const char*>(bytes),
                     static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column)));
}

void Database::Close::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

Result<Database> Database::Open(const std::filesystem::path& file, Mode mode) {
  const bool writes = mode == Mode::kReadWrite || mode == Mode::kMemory;
  const int flags = SQLITE_OPEN_URI | (writes ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY);
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(Uri(file, mode).c_str(), &handle, flags, nullptr);
  Database database;
  database.handle_.reset(handle);
  if (code != SQLITE_OK) return ErrorOf(handle, code, file.string());
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kBusyMilliseconds);
  // A ledger that somebody meddled with must not be able to run anything through its own schema.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_FKEY, 1, nullptr);
  return database;
}

std::string Database::name() const { return NameOf(handle_.get()); }

Status Database::Execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return ErrorOf(handle_.get(), code, NameOf(handle_.get()));
  return {};
}

Status Database::EmptyLog() {
  const int code = sqlite3_wal_checkpoint_v2(handle_.get(), "main", SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  if (code != SQLITE_OK) return ErrorOf(handle_.get(), code, NameOf(handle_.get()));
  return {};
}

Result<Statement> Database::Prepare(std::string_view sql) {
  sqlite3_stmt* prepared = nullptr;
  const int code = sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()), &prepared, nullptr);
  if (code != SQLITE_OK) return ErrorOf(handle_.get(), code, NameOf(handle_.get()));
  Statement statement;
  statement.statement_.reset(prepared);
  return statement;
}

Result<std::int64_t> Database::Number(std::string_view sql) {
  PENTIMENTO_ASSIGN(Statement statement, Prepare(sql));
  PENTIMENTO_ASSIGN(const bool row, statement.Step());
  Check(row, "the statement answers with a number");
  return statement.Number(0);
}

Result<Transaction> Transaction::Begin(Database& database) {
  PENTIMENTO_RETURN_IF_ERROR(database.Execute("BEGIN IMMEDIATE"));
  return Transaction(database);
}

Result<Transaction> Transaction::BeginReading(Database& database) {
  PENTIMENTO_RETURN_IF_ERROR(database.Execute("BEGIN"));
  return Transaction(database);
}

Transaction::~Transaction() {
  // What has failed may have rolled itself back already; a second rollback is an error that means nothing.
  if (database_ != nullptr) (void)database_->Execute("ROLLBACK");
}

Status Transaction::Commit() {
  PENTIMENTO_RETURN_IF_ERROR(database_->Execute("COMMIT"));
  database_ = nullptr;
  return {};
}

}  // namespace pentimento
