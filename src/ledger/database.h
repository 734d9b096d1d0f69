// A thin, typed layer over SQLite: every failure is a Result, every handle closes itself. Only the ledger uses it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace pentimento {

// Of the library that is in use.
std::string SqliteVersion();

// One prepared statement. Parameters are numbered from 1 and columns from 0, as SQLite does.
class Statement {
 public:
  Statement& Bind(int parameter, std::int64_t value);
  Statement& Bind(int parameter, std::string_view text);
  Statement& BindBytes(int parameter, std::string_view bytes);

  // True while there is a row.
  Result<bool> Step();
  // For statements without rows.
  Status Run();

  std::int64_t Number(int column) const;
  // Text or bytes of the present row, copied.
  std::string Text(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Database {
 public:
  enum class Mode {
    kReadWrite,
    kReadOnly,
    kImmutable,  // promises SQLite that nobody writes: works without any file beside the database
    kMemory,     // an empty database that lives in memory only
  };
  static Result<Database> Open(const std::filesystem::path& file, Mode mode);

  // The file, as messages name it.
  std::string name() const;
  Status Execute(const std::string& sql);
  Result<Statement> Prepare(std::string_view sql);
  // Brings what was committed from the log into the file itself, both synced, and empties the log: from here on the
  // log can be lost. kStorage where somebody still reads an older state of it.
  Status EmptyLog();
  // The one number a statement answers with.
  Result<std::int64_t> Number(std::string_view sql);

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  std::unique_ptr<sqlite3, Close> handle_;
};

// Either all that happens while it lives is in the database after Commit, or nothing is.
class Transaction {
 public:
  // Takes the write lock at once (BEGIN IMMEDIATE), so that it cannot fail half way for want of it.
  static Result<Transaction> Begin(Database& database);
  // A view of one moment, for reading.
  static Result<Transaction> BeginReading(Database& database);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

  Status Commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}
  Database* database_;
};

}  // namespace pentimento
