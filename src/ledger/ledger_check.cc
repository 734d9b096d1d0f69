// Whether the ledger is what was written: what a writer asks before it goes by it, and all of it for `pentimento log
// --check`; with --out also what was published, held against the hashes on record.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "fmt/core.h"
#include "ledger/chain.h"
#include "ledger/database.h"
#include "ledger/ledger.h"
#include "ledger/open_entry.h"
#include "ledger/printable.h"
#include "ledger/schema.h"
#include "ledger/state_file.h"

namespace pentimento {
namespace {

// What ledger.db says, held against itself: the pages and tables of the database, the chain of entries, whether the
// entries make sense together, and whether the table of state files repeats what they say. Costs what it costs to read
// the database once: it grows with the number of releases, not with people.
struct CheckedRecords {
  // What is wrong, where, and what to do; empty when all is well. Never a seed or a policy.
  std::vector<std::string> problems;
  // The state files that must be there: of published releases, without those that later ones replaced.
  std::vector<StateFileRecord> state_files;
  std::vector<OpenEntry> published;  // in the order in which they were closed, imported ones as well
};

// What was found to be wrong in one database.
class Problems {
 public:
  explicit Problems(std::string file) : file_(std::move(file)) {}

  void Add(std::string_view what) {
    list_.push_back(fmt::format("{}: {}. Restore the ledger from a backup.", file_, what));
  }
  // One that says where it is and what to do.
  void Add(const Error& error) { list_.push_back(error.message); }
  std::vector<std::string>& list() { return list_; }

 private:
  std::string file_;
  std::vector<std::string> list_;
};

std::string NameOf(const LedgerEntry& entry) {
  return fmt::format("entry {} ({}, release \"{}\")", entry.seq, Printable(entry.kind), Printable(entry.release));
}

// Each entry is itself, and follows the one before.
class ChainWalk {
 public:
  ChainWalk(const SecretKey& key, Problems& problems) : key_(key), problems_(problems), hash_(ChainBeginning(key)) {}

  void Visit(const LedgerEntry& entry) {
    if (entry.seq != seq_ + 1) {
      problems_.Add(fmt::format("entries {} to {} are missing", seq_ + 1, entry.seq - 1));
    }
    if (entry.previous != hash_) {
      problems_.Add(fmt::format("{} does not follow the entry before it", NameOf(entry)));
    }
    if (entry.hash != HashOf(key_, entry)) {
      problems_.Add(fmt::format("{} was changed: it does not match its hash", NameOf(entry)));
    }
    seq_ = entry.seq;
    hash_ = entry.hash;
  }

  void Finish(const ChainHead& head) {
    if (head.count != seq_) {
      problems_.Add(fmt::format("the chain ends with entry {} instead of {}", seq_, head.count));
    } else if (head.hash != hash_) {
      problems_.Add("the end of the chain is not the one on record");
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

  void Visit(const LedgerEntry& entry) {
    if (entry.kind == kOpenedKind) return VisitOpened(entry);
    if (entry.kind == kRetractedKind) return VisitRetracted(entry);
    if (entry.kind == kForgottenKind) return VisitForgotten(entry);
    VisitClosing(entry);
  }

  // The state files of published releases, by name, with the number of the entry that opened the release.
  const std::map<std::string, std::pair<std::int64_t, StateFileRecord>>& state_files() const { return state_files_; }
  // Those among them that a later release made superfluous: whether they are still there does not matter.
  const std::set<std::string>& replaced() const { return replaced_; }
  const std::map<std::int64_t, std::string>& releases() const { return release_of_entry_; }
  // In the order in which they were closed.
  const std::vector<OpenEntry>& published() const { return published_; }

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
      problems_.Add(fmt::format("{} cannot be understood", NameOf(entry)));
      return;
    }
    Opened& last = by_release_[entry.release];
    if (last.open) problems_.Add(fmt::format("{} opens a release that is open already", NameOf(entry)));
    if (last.published) problems_.Add(fmt::format("{} uses a published name again", NameOf(entry)));
    last.seq = entry.seq;
    last.open = std::move(opened).value();
  }

  void VisitClosing(const LedgerEntry& entry) {
    const auto closes = DecodeClosing(entry);
    Opened& last = by_release_[entry.release];
    if (!closes.ok()) {
      problems_.Add(fmt::format("{} cannot be understood", NameOf(entry)));
    } else if (!last.open || last.seq != *closes) {
      problems_.Add(fmt::format("{} closes a release that is not open", NameOf(entry)));
    } else if (entry.kind == kPublishedKind) {
      last.published = true;
      for (const StateFileRecord& file : last.open->state_files) state_files_[file.name] = {last.seq, file};
      replaced_.insert(last.open->replaces.begin(), last.open->replaces.end());
      published_.push_back(*std::move(last.open));
    }
    last.open.reset();
  }

  void VisitRetracted(const LedgerEntry& entry) {
    if (!DecodeRetraction(entry).ok()) {
      problems_.Add(fmt::format("{} cannot be understood", NameOf(entry)));
    } else if (!by_release_[entry.release].published) {
      problems_.Add(fmt::format("{} retracts a release that was not published", NameOf(entry)));
    }
  }

  void VisitForgotten(const LedgerEntry& entry) {
    release_of_entry_[entry.seq] = entry.release;
    const auto forgotten = DecodeForgetting(entry);
    if (!forgotten.ok()) {
      problems_.Add(fmt::format("{} cannot be understood", NameOf(entry)));
      return;
    }
    if (!state_files_.contains(forgotten->replaces))
      problems_.Add(fmt::format("{} replaces a state file that no release has", NameOf(entry)));
    state_files_[forgotten->file.name] = {entry.seq, forgotten->file};
    replaced_.insert(forgotten->replaces);
  }

  Problems& problems_;
  std::map<std::string, Opened> by_release_;
  std::map<std::int64_t, std::string> release_of_entry_;
  std::map<std::string, std::pair<std::int64_t, StateFileRecord>> state_files_;
  std::set<std::string> replaced_;
  std::vector<OpenEntry> published_;
};

Status CheckIntegrity(Database& database, Problems& problems) {
  PENTIMENTO_ASSIGN(Statement check, database.Prepare("PRAGMA integrity_check"));
  while (true) {
    PENTIMENTO_ASSIGN(const bool row, check.Step());
    if (!row) return {};
    std::string said = check.Text(0);
    if (said == "ok") continue;
    std::ranges::replace(said, '\n', ' ');
    problems.Add(fmt::format("the database is damaged ({})", Printable(said)));
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
      problems.Add(fmt::format("the state file {} is named by no published release", Printable(select.Text(0))));
      continue;
    }
    const auto& [entry, file] = place->second;
    const bool same = select.Number(1) == entry && select.Text(2) == walk.releases().at(entry) &&
                      select.Text(3) == ToString(file.kind) &&
                      select.Number(4) == static_cast<std::int64_t>(file.bytes) &&
                      select.Text(5) == ChecksumText(file.checksum);
    if (!same) problems.Add(fmt::format("the record of state file {} was changed", Printable(select.Text(0))));
    missing.erase(place);
  }
  for (const auto& [name, file] : missing) {
    problems.Add(fmt::format("the record of state file {} is missing", Printable(name)));
  }
  return {};
}

Status CheckDatabase(Database& database, const SecretKey& key, LifeCycleWalk& life_cycle, Problems& problems) {
  PENTIMENTO_ASSIGN(const Transaction moment, Transaction::BeginReading(database));
  PENTIMENTO_RETURN_IF_ERROR(CheckIntegrity(database, problems));
  PENTIMENTO_ASSIGN(const std::vector<std::string> schema_problems, FindSchemaProblems(database));
  for (const std::string& problem : schema_problems) problems.Add(problem);
  // The head before the entries: with another key nothing matches, and this is where that is said.
  const Result<ChainHead> head = ReadHead(database, key);
  if (!head.ok() && head.error().code != ErrorCode::kCorruptLedger) return head.error();
  if (!head.ok()) problems.Add(head.error());
  PENTIMENTO_ASSIGN(const std::vector<LedgerEntry> entries, ReadEntries(database, "ORDER BY seq"));
  ChainWalk chain(key, problems);
  for (const LedgerEntry& entry : entries) {
    chain.Visit(entry);
    life_cycle.Visit(entry);
  }
  if (head.ok()) chain.Finish(*head);
  return CheckStateTable(database, life_cycle, problems);
}

// Damage is an answer here; only trouble in looking is an error.
Result<CheckedRecords> CheckRecords(Database& database, const SecretKey& key) {
  Problems problems(database.name());
  LifeCycleWalk life_cycle(problems);
  if (const Status checked = CheckDatabase(database, key, life_cycle, problems); !checked.ok()) {
    if (checked.error().code != ErrorCode::kCorruptLedger) return checked.error();
    problems.Add(checked.error());
  }
  CheckedRecords records;
  for (const auto& [name, file] : life_cycle.state_files()) {
    if (!life_cycle.replaced().contains(name)) records.state_files.push_back(file.second);
  }
  records.published = life_cycle.published();
  records.problems = std::move(problems.list());
  return records;
}

// The copies of imported releases are a part of the ledger, unlike what was published.
void CheckCopies(const std::filesystem::path& folder, const OpenEntry& entry, std::vector<std::string>& problems) {
  for (const PublishedFile& file : entry.files) {
    const std::filesystem::path path = folder / entry.release / file.name;
    const Result<Sha256> hash = HashFile(path);
    if (hash.ok() && ToHex(*hash) == file.sha256) continue;
    problems.push_back(fmt::format("{}: {}. Restore it from a backup.", path.string(),
                                   hash.ok() ? "not the file that was imported" : "missing or cannot be read"));
  }
}

// What is wrong with a published file, or nothing.
std::optional<std::string> FindProblem(const std::filesystem::path& path, const PublishedFile& file) {
  std::error_code error;
  if (!std::filesystem::exists(path, error) && !error) return "missing, though it was published";
  const Result<Sha256> hash = HashFile(path);
  if (!hash.ok()) return "cannot be read to compare it with what was published";
  if (ToHex(*hash) == file.sha256) return std::nullopt;
  return "not the file that was published";
}

}  // namespace

Status Ledger::RequireIntact() {
  PENTIMENTO_ASSIGN(const CheckedRecords records, CheckRecords(database_, key_));
  if (!records.problems.empty()) {
    const std::size_t more = records.problems.size() - 1;
    return Error{ErrorCode::kCorruptLedger,
                 fmt::format("{} Nothing is published with it as it is.{}", records.problems.front(),
                             more == 0 ? "" : fmt::format(" 'pentimento log --check' tells of {} more.", more))};
  }
  // Beside a live writer a file may be replaced at any moment: only who holds the lock can miss one.
  if (!lock_) return {};
  for (const StateFileRecord& file : records.state_files) {
    std::error_code error;
    const std::filesystem::path path = folder_.State() / file.name;
    if (std::filesystem::symlink_status(path, error).type() == std::filesystem::file_type::not_found)
      return StateFileIsMissing(path);
  }
  return {};
}

Result<std::vector<std::string>> Ledger::CheckAll() {
  PENTIMENTO_ASSIGN(CheckedRecords records, CheckRecords(database_, key_));
  for (const StateFileRecord& file : records.state_files) {
    const auto mapped = MapState(file, StateCheck::kPayload);
    if (!mapped.ok()) records.problems.push_back(mapped.error().message);
  }
  for (const OpenEntry& entry : records.published) {
    if (entry.imported) CheckCopies(folder_.Imported(), entry, records.problems);
  }
  return std::move(records.problems);
}

Result<PublishedCheck> Ledger::CheckPublished(const std::filesystem::path& folder) {
  PENTIMENTO_ASSIGN(const std::vector<ReleaseRecord> releases, Releases());
  PublishedCheck check;
  for (const ReleaseRecord& release : releases) {
    if (release.state != ReleaseState::kPublished || release.imported) continue;
    const std::filesystem::path place = folder / release.name;
    std::error_code error;
    if (!std::filesystem::is_directory(place, error)) {
      check.missing.push_back(release.name);
      continue;
    }
    const std::size_t before = check.problems.size();
    for (const PublishedFile& file : release.files) {
      const std::optional<std::string> problem = FindProblem(place / file.name, file);
      if (!problem) continue;
      check.problems.push_back(fmt::format("{}: {}. Put a copy of the original back, and tell whoever took this one.",
                                           (place / file.name).string(), *problem));
    }
    if (check.problems.size() == before) check.intact.push_back(release.name);
  }
  return check;
}

}  // namespace pentimento
