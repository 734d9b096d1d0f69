// `pentimento log --check`: everything the ledger holds, held against itself.
#include <map>
#include <optional>
#include <set>

#include "fmt/core.h"
#include "ledger/ledger.h"
#include "ledger/schema.h"

namespace pentimento {
namespace {

using Problems = std::vector<std::string>;

std::string NameOf(const LedgerEntry& entry) {
  return fmt::format("entry {} ({}, release \"{}\")", entry.seq, entry.kind, entry.release);
}

// Each entry is itself, and follows the one before.
class ChainWalk {
 public:
  ChainWalk(const SecretKey& key, Problems& problems) : key_(key), problems_(problems), hash_(ChainBeginning(key)) {}

  void Visit(const LedgerEntry& entry) {
    if (entry.seq != seq_ + 1) {
      problems_.push_back(fmt::format("entries {} to {} are missing", seq_ + 1, entry.seq - 1));
    }
    if (entry.previous != hash_) {
      problems_.push_back(fmt::format("{} does not follow the entry before it", NameOf(entry)));
    }
    if (entry.hash != HashOf(key_, entry)) {
      problems_.push_back(fmt::format("{} was changed: it does not match its hash", NameOf(entry)));
    }
    seq_ = entry.seq;
    hash_ = entry.hash;
  }

  void Finish(const Result<ChainHead>& head) {
    if (!head.ok()) {
      problems_.push_back(head.error().message);
    } else if (head->count != seq_) {
      problems_.push_back(fmt::format("the chain ends with entry {} instead of {}", seq_, head->count));
    } else if (head->hash != hash_) {
      problems_.push_back("the end of the chain is not the one on record");
    }
  }

 private:
  const SecretKey& key_;
  Problems& problems_;
  std::int64_t seq_ = 0;
  std::string hash_;
};

// Entries make sense together: a release is opened, then closed once, and a published name is not used again.
class LifeCycleWalk {
 public:
  explicit LifeCycleWalk(Problems& problems) : problems_(problems) {}

  void Visit(const LedgerEntry& entry) { entry.kind == kOpenedKind ? VisitOpened(entry) : VisitClosing(entry); }

  // The state files of published releases, by name, with the number of the entry that opened the release.
  const std::map<std::string, std::pair<std::int64_t, StateFileRecord>>& state_files() const { return state_files_; }
  // Those among them that a later release made superfluous: whether they are still there does not matter.
  const std::set<std::string>& replaced() const { return replaced_; }
  const std::map<std::int64_t, std::string>& releases() const { return release_of_entry_; }
  const std::vector<OpenEntry>& imported() const { return imported_; }

 private:
  struct Opened {
    std::int64_t seq = 0;
    bool published = false;
    std::optional<OpenEntry> open;
  };

  void VisitOpened(const LedgerEntry& entry) {
    release_of_entry_[entry.seq] = entry.release;
    auto opened = DecodeOpened(entry);
    if (!opened.ok()) {
      problems_.push_back(opened.error().message);
      return;
    }
    Opened& last = by_release_[entry.release];
    if (last.open) problems_.push_back(fmt::format("{} opens a release that is open already", NameOf(entry)));
    if (last.published) problems_.push_back(fmt::format("{} uses a published name again", NameOf(entry)));
    last.seq = entry.seq;
    last.open = std::move(opened).value();
  }

  void VisitClosing(const LedgerEntry& entry) {
    const auto closes = DecodeClosing(entry);
    Opened& last = by_release_[entry.release];
    if (!closes.ok()) {
      problems_.push_back(closes.error().message);
    } else if (!last.open || last.seq != *closes) {
      problems_.push_back(fmt::format("{} closes a release that is not open", NameOf(entry)));
    } else if (entry.kind == kPublishedKind) {
      last.published = true;
      for (const StateFileRecord& file : last.open->state_files) state_files_[file.name] = {last.seq, file};
      replaced_.insert(last.open->replaces.begin(), last.open->replaces.end());
      if (last.open->imported) imported_.push_back(*last.open);
    }
    last.open.reset();
  }

  Problems& problems_;
  std::map<std::string, Opened> by_release_;
  std::map<std::int64_t, std::string> release_of_entry_;
  std::map<std::string, std::pair<std::int64_t, StateFileRecord>> state_files_;
  std::set<std::string> replaced_;
  std::vector<OpenEntry> imported_;
};

// The copies of imported releases are a part of the ledger, unlike what was published.
void CheckCopies(const std::filesystem::path& folder, const OpenEntry& entry, Problems& problems) {
  for (const PublishedFile& file : entry.files) {
    const std::filesystem::path path = folder / entry.release / file.name;
    const Result<Sha256> hash = HashFile(path);
    if (hash.ok() && ToHex(*hash) == file.sha256) continue;
    problems.push_back(fmt::format("{}: {}. Restore it from a backup.", path.string(),
                                   hash.ok() ? "not the file that was imported" : "missing or cannot be read"));
  }
}

Status CheckIntegrity(Database& database, Problems& problems) {
  PENTIMENTO_ASSIGN(Statement check, database.Prepare("PRAGMA integrity_check"));
  while (true) {
    PENTIMENTO_ASSIGN(const bool row, check.Step());
    if (!row) return {};
    if (check.Text(0) != "ok") problems.push_back(fmt::format("ledger.db: {}", check.Text(0)));
  }
}

// The table of state files says exactly what the entries say.
Status CheckStateTable(Database& database, const LifeCycleWalk& walk, Problems& problems) {
  PENTIMENTO_ASSIGN(Statement select,
                    database.Prepare("SELECT name, entry, release, kind, bytes, checksum FROM state_file"));
  auto missing = walk.state_files();
  while (true) {
    PENTIMENTO_ASSIGN(const bool row, select.Step());
    if (!row) break;
    const auto place = missing.find(select.Text(0));
    if (place == missing.end()) {
      problems.push_back(fmt::format("the state file {} is named by no published release", select.Text(0)));
      continue;
    }
    const auto& [entry, file] = place->second;
    const bool same = select.Number(1) == entry && select.Text(2) == walk.releases().at(entry) &&
                      select.Text(3) == ToString(file.kind) &&
                      select.Number(4) == static_cast<std::int64_t>(file.bytes) &&
                      select.Text(5) == ChecksumText(file.checksum);
    if (!same) problems.push_back(fmt::format("the record of state file {} was changed", select.Text(0)));
    missing.erase(place);
  }
  for (const auto& [name, file] : missing) {
    problems.push_back(fmt::format("the record of state file {} is missing", name));
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> Ledger::CheckAll() {
  Problems problems;
  ChainWalk chain(key_, problems);
  LifeCycleWalk life_cycle(problems);
  const auto check_database = [&]() -> Status {
    PENTIMENTO_ASSIGN(const Transaction moment, Transaction::BeginReading(database_));
    PENTIMENTO_RETURN_IF_ERROR(CheckIntegrity(database_, problems));
    PENTIMENTO_ASSIGN(const Problems schema_problems, FindSchemaProblems(database_));
    problems.insert(problems.end(), schema_problems.begin(), schema_problems.end());
    PENTIMENTO_ASSIGN(const std::vector<LedgerEntry> entries, ReadEntries(database_, "ORDER BY seq"));
    for (const LedgerEntry& entry : entries) {
      chain.Visit(entry);
      life_cycle.Visit(entry);
    }
    chain.Finish(ReadHead(database_, key_));
    return CheckStateTable(database_, life_cycle, problems);
  };
  // Damage is what is looked for, so it is an answer here; only trouble in looking is an error.
  if (const Status checked = check_database(); !checked.ok()) {
    if (checked.error().code != ErrorCode::kCorruptLedger) return checked.error();
    problems.push_back(checked.error().message);
  }
  for (const auto& [name, file] : life_cycle.state_files()) {
    if (life_cycle.replaced().contains(name)) continue;
    const auto mapped = MapState(file.second, StateCheck::kPayload);
    if (!mapped.ok()) problems.push_back(mapped.error().message);
  }
  for (const OpenEntry& entry : life_cycle.imported()) CheckCopies(folder_.Imported(), entry, problems);
  return problems;
}

}  // namespace pentimento
