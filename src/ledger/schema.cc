#include "ledger/schema.h"

#include <array>
#include <cstdint>
#include <map>

#include "fmt/core.h"
#include "ledger/printable.h"

namespace pentimento {
namespace {

constexpr std::int64_t kApplicationId = 0x50454e54;  // "PENT", as file(1) shows it

// One text per version, in order; migration i leads from version i to i + 1. Never change one that was shipped.
constexpr std::array kMigrations = {
    R"sql(
CREATE TABLE entry (
  seq INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('opened', 'published', 'abandoned')),
  release TEXT NOT NULL,
  time TEXT NOT NULL,
  body TEXT NOT NULL,
  previous BLOB NOT NULL,
  hash BLOB NOT NULL
) STRICT;
CREATE INDEX entry_by_release ON entry (release, seq);

CREATE TABLE head (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  count INTEGER NOT NULL,
  hash BLOB NOT NULL,
  mac BLOB NOT NULL
) STRICT;

CREATE TABLE state_file (
  name TEXT PRIMARY KEY NOT NULL,
  entry INTEGER NOT NULL REFERENCES entry (seq),
  release TEXT NOT NULL,
  kind TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  checksum TEXT NOT NULL
) STRICT;

CREATE TRIGGER entry_is_appended BEFORE INSERT ON entry WHEN NEW.seq <> (SELECT count FROM head) + 1
BEGIN SELECT RAISE(ABORT, 'entries are only appended'); END;
CREATE TRIGGER entry_is_not_updated BEFORE UPDATE ON entry
BEGIN SELECT RAISE(ABORT, 'entries are never changed'); END;
CREATE TRIGGER entry_is_not_deleted BEFORE DELETE ON entry
BEGIN SELECT RAISE(ABORT, 'entries are never removed'); END;
CREATE TRIGGER head_moves_on BEFORE UPDATE ON head WHEN NEW.count <> OLD.count + 1
BEGIN SELECT RAISE(ABORT, 'the head only moves on'); END;
CREATE TRIGGER head_is_not_deleted BEFORE DELETE ON head
BEGIN SELECT RAISE(ABORT, 'the head is never removed'); END;
CREATE TRIGGER state_file_is_new BEFORE INSERT ON state_file
WHEN EXISTS (SELECT 1 FROM state_file WHERE name = NEW.name)
BEGIN SELECT RAISE(ABORT, 'state files are only added'); END;
CREATE TRIGGER state_file_is_not_updated BEFORE UPDATE ON state_file
BEGIN SELECT RAISE(ABORT, 'state files are never changed'); END;
CREATE TRIGGER state_file_is_not_deleted BEFORE DELETE ON state_file
BEGIN SELECT RAISE(ABORT, 'state files are never removed'); END;
)sql",
    // What became of a release after it was published. Files of state refer to the entries, which are there again at
    // the end of the transaction.
    R"sql(
PRAGMA defer_foreign_keys = ON;
CREATE TEMPORARY TABLE entry_before AS SELECT seq, kind, release, time, body, previous, hash FROM entry;
DROP TABLE entry;
CREATE TABLE entry (
  seq INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('opened', 'published', 'abandoned', 'retracted', 'forgotten')),
  release TEXT NOT NULL,
  time TEXT NOT NULL,
  body TEXT NOT NULL,
  previous BLOB NOT NULL,
  hash BLOB NOT NULL
) STRICT;
INSERT INTO entry SELECT seq, kind, release, time, body, previous, hash FROM entry_before;
DROP TABLE entry_before;
CREATE INDEX entry_by_release ON entry (release, seq);
CREATE TRIGGER entry_is_appended BEFORE INSERT ON entry WHEN NEW.seq <> (SELECT count FROM head) + 1
BEGIN SELECT RAISE(ABORT, 'entries are only appended'); END;
CREATE TRIGGER entry_is_not_updated BEFORE UPDATE ON entry
BEGIN SELECT RAISE(ABORT, 'entries are never changed'); END;
CREATE TRIGGER entry_is_not_deleted BEFORE DELETE ON entry
BEGIN SELECT RAISE(ABORT, 'entries are never removed'); END;
)sql"};
constexpr auto kSchemaVersion = static_cast<std::int64_t>(kMigrations.size());

using Objects = std::map<std::string, std::string>;  // "table entry" -> what it is on, and its SQL

Result<Objects> ReadObjects(Database& database) {
  PENTIMENTO_ASSIGN(
      Statement statement,
      database.Prepare("SELECT type || ' ' || name, tbl_name || ': ' || coalesce(sql, '') FROM sqlite_schema"));
  Objects objects;
  while (true) {
    PENTIMENTO_ASSIGN(const bool row, statement.Step());
    if (!row) return objects;
    objects[statement.Text(0)] = statement.Text(1);
  }
}

}  // namespace

Result<DatabaseState> StateOf(Database& database, const std::string& name) {
  PENTIMENTO_ASSIGN(const std::int64_t application, database.Number("PRAGMA application_id"));
  PENTIMENTO_ASSIGN(const std::int64_t version, database.Number("PRAGMA user_version"));
  PENTIMENTO_ASSIGN(const std::int64_t objects, database.Number("SELECT count(*) FROM sqlite_schema"));
  if (application == 0 && version == 0 && objects == 0) return DatabaseState::kEmpty;
  if (application != kApplicationId || version < 1) {
    return Error{
        ErrorCode::kCorruptLedger,
        fmt::format(
            "{}: a database of another program and not a ledger of Pentimento, or damaged. Name another folder, or "
            "restore the ledger from a backup.",
            name)};
  }
  if (version > kSchemaVersion) {
    return Error{
        ErrorCode::kStorage,
        fmt::format("{}: the ledger has format version {}, this program knows versions up to {}. Use the newer "
                    "Pentimento that wrote it; if there is none, restore the ledger from a backup.",
                    name, version, kSchemaVersion)};
  }
  return version < kSchemaVersion ? DatabaseState::kOlder : DatabaseState::kCurrent;
}

namespace {

// Up to version `last`.
Status MigrateTo(Database& database, std::int64_t last) {
  PENTIMENTO_ASSIGN(const std::int64_t version, database.Number("PRAGMA user_version"));
  for (auto next = static_cast<std::size_t>(version); next < static_cast<std::size_t>(last); ++next) {
    PENTIMENTO_RETURN_IF_ERROR(database.Execute(kMigrations[next]));
  }
  PENTIMENTO_RETURN_IF_ERROR(database.Execute(fmt::format("PRAGMA application_id = {}", kApplicationId)));
  return database.Execute(fmt::format("PRAGMA user_version = {}", last));
}

}  // namespace

Status ApplyMigrations(Database& database) { return MigrateTo(database, kSchemaVersion); }

Result<std::vector<std::string>> FindSchemaProblems(Database& database) {
  PENTIMENTO_ASSIGN(Database fresh, Database::Open("a new ledger", Database::Mode::kMemory));
  // Who only reads leaves an older one as it is.
  PENTIMENTO_ASSIGN(const std::int64_t version, database.Number("PRAGMA user_version"));
  PENTIMENTO_RETURN_IF_ERROR(MigrateTo(fresh, version));
  PENTIMENTO_ASSIGN(const Objects wanted, ReadObjects(fresh));
  PENTIMENTO_ASSIGN(const Objects found, ReadObjects(database));
  std::vector<std::string> problems;
  for (const auto& [object, sql] : wanted) {
    const auto place = found.find(object);
    if (place == found.end()) {
      problems.push_back(fmt::format("the {} is missing", object));
    } else if (place->second != sql) {
      problems.push_back(fmt::format("the {} was changed", object));
    }
  }
  for (const auto& [object, sql] : found) {
    if (!wanted.contains(object)) problems.push_back(fmt::format("the {} does not belong there", Printable(object)));
  }
  return problems;
}

}  // namespace pentimento
