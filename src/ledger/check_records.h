// What ledger.db says, held against itself: the pages and tables of the database, the chain of entries, whether the
// entries make sense together, and whether the table of state files repeats what they say. Costs what it costs to read
// the database once: it grows with the number of releases, not with people.
#pragma once

#include <string>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "ledger/database.h"
#include "ledger/open_entry.h"
#include "ledger/state_file.h"

namespace pentimento {

struct CheckedRecords {
  // What is wrong, where, and what to do; empty when all is well. Never a seed or a policy.
  std::vector<std::string> problems;
  // The state files that must be there: of published releases, without those that later ones replaced.
  std::vector<StateFileRecord> state_files;
  std::vector<OpenEntry> published;  // in the order in which they were closed, imported ones as well
};

// Damage is an answer here; only trouble in looking is an error.
Result<CheckedRecords> CheckRecords(Database& database, const SecretKey& key);

}  // namespace pentimento
