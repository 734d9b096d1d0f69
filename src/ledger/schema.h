// The tables of ledger.db and how they came to be. docs/formats/ledger.md explains each column.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "ledger/database.h"

namespace pentimento {

enum class DatabaseState {
  kEmpty,    // made, but nothing is in it yet
  kOlder,    // a ledger that has migrations to come
  kCurrent,  // a ledger of this version
};

// kCorruptLedger for a database that is no ledger, kStorage for a ledger of a newer version.
Result<DatabaseState> StateOf(Database& database, const std::string& name);

// Brings an empty or older database to the present version, inside the caller's transaction.
Status ApplyMigrations(Database& database);

// Where the tables, indexes and triggers differ from what the migrations make.
Result<std::vector<std::string>> FindSchemaProblems(Database& database);

}  // namespace pentimento
