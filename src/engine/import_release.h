// Putting a release that somebody else made, with whatever tool, on record: what is out already counts for everything
// that follows. The ledger keeps a copy of its files; nothing is published by it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "engine/bind/guarantee_words.h"
#include "policy/policy.h"

namespace pentimento {

struct ImportOptions {
  std::vector<std::filesystem::path> files;  // one table; they stand in place of the policy's [input] path
  std::filesystem::path ledger;
  Progress* progress = nullptr;
};

struct ImportedColumn {
  std::string name;
  Role role = Role::kKeep;
  std::uint64_t labels = 0;  // different ones; 0 for a column that is only named
  bool is_cut = true;        // no label of it stands above another
};

struct ImportOutcome {
  std::string release;
  std::uint64_t rows = 0;
  std::vector<ImportedColumn> columns;
  Promise promise;                 // no words where the policy says nothing of it
  std::filesystem::path folder;    // the copy in the ledger
  std::vector<std::string> files;  // relative to `folder`
  std::vector<std::string> recovered;
  std::string new_ledger;          // in words, where this run begins the ledger; otherwise empty
  std::vector<std::string> notes;  // how its files are written, where that is worth a word
};

// `policy` was read for PolicyUse::kImport. kBadInput for a table that the policy does not describe: an unknown column,
// a cell that is no label. Nothing is on record then.
Result<ImportOutcome> ImportRelease(Policy policy, const ImportOptions& options);

}  // namespace pentimento
