#include "ledger/ledger.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/run.h"
#include "fmt/core.h"
#include "ledger/recovery.h"

namespace pentimento {
namespace {

ReleaseState StateFromKind(std::string_view kind) {
  if (kind == kPublishedKind) return ReleaseState::kPublished;
  return kind == kAbandonedKind ? ReleaseState::kAbandoned : ReleaseState::kOpened;
}

ReleaseRecord RecordOf(const LedgerEntry& opened, OpenEntry&& entry) {
  ReleaseRecord record;
  record.name = std::move(entry.release);
  record.opened_at = opened.time;
  record.guarantee = std::move(entry.guarantee);
  record.parameters_json = std::move(entry.parameters_json);
  record.rows = entry.rows;
  record.final_path = std::move(entry.final_path);
  record.files = std::move(entry.files);
  record.composition_json = std::move(entry.composition_json);
  record.imported = entry.imported;
  record.user = std::move(entry.user);
  record.policy_file = std::move(entry.policy_file);
  record.input = std::move(entry.input);
  record.notes = std::move(entry.notes);
  return record;
}

// Inside the caller's transaction. `entry` is the one that names it.
Status NameStateFile(Database& database, std::int64_t entry, std::string_view release, const StateFileRecord& file) {
  PENTIMENTO_ASSIGN(Statement insert,
                    database.Prepare("INSERT INTO state_file (name, entry, release, kind, bytes, checksum) "
                                     "VALUES (?1, ?2, ?3, ?4, ?5, ?6)"));
  insert.Bind(1, file.name).Bind(2, entry).Bind(3, release).Bind(4, ToString(file.kind));
  insert.Bind(5, static_cast<std::int64_t>(file.bytes)).Bind(6, ChecksumText(file.checksum));
  return insert.Run();
}

}  // namespace

std::string_view ToString(ReleaseState state) {
  switch (state) {
    case ReleaseState::kOpened:
      return kOpenedKind;
    case ReleaseState::kPublished:
      return kPublishedKind;
    case ReleaseState::kAbandoned:
      return kAbandonedKind;
  }
  return kOpenedKind;
}

Ledger::Ledger(LedgerFolder folder, SecretKey key, Clock clock, std::optional<WriterLock> lock, Database database)
    : folder_(std::move(folder)),
      key_(key),
      clock_(std::move(clock)),
      lock_(std::move(lock)),
      database_(std::move(database)) {}

Result<Ledger> Ledger::OpenForWriting(const std::filesystem::path& path, Clock clock) {
  const LedgerFolder folder = LedgerFolder::At(path);
  PENTIMENTO_RETURN_IF_ERROR(MakeLedgerFolder(folder));
  PENTIMENTO_ASSIGN(WriterLock lock, WriterLock::Take(folder, clock));
  PENTIMENTO_ASSIGN(const SecretKey key, ReadOrMakeKey(folder));
  PENTIMENTO_ASSIGN(Database database, OpenDatabaseForWriting(folder, key));
  Ledger ledger(folder, key, std::move(clock), std::move(lock), std::move(database));
  // Before anything is removed: what a damaged record does not name is not garbage.
  PENTIMENTO_RETURN_IF_ERROR(ledger.RequireIntact());
  // What a killed process left in the log alone: nothing is removed on the word of a log that can be lost.
  PENTIMENTO_RETURN_IF_ERROR(ledger.database_.EmptyLog());
  PENTIMENTO_RETURN_IF_ERROR(ledger.Recover());
  return ledger;
}

Result<Ledger> Ledger::OpenForReading(const std::filesystem::path& path) {
  const LedgerFolder folder = LedgerFolder::At(path);
  PENTIMENTO_RETURN_IF_ERROR(RequireLedgerFolder(folder));
  PENTIMENTO_ASSIGN(const SecretKey key, ReadKey(folder));
  PENTIMENTO_ASSIGN(Database database, OpenDatabaseForReading(folder));
  return Ledger(folder, key, UtcNow, std::nullopt, std::move(database));
}

Result<std::optional<Ledger>> Ledger::OpenForTrying(const std::filesystem::path& path) {
  PENTIMENTO_ASSIGN(const bool there, LookForLedger(LedgerFolder::At(path)));
  if (!there) return std::optional<Ledger>();
  Result<Ledger> ledger = OpenForReading(path);
  // kUsage is "no ledger", and it is one that was begun: a writer would finish it.
  if (!ledger.ok() && ledger.error().code == ErrorCode::kUsage) return std::optional<Ledger>();
  if (!ledger.ok()) return std::move(ledger).error();
  PENTIMENTO_RETURN_IF_ERROR(ledger->RequireIntact());
  PENTIMENTO_RETURN_IF_ERROR(ledger->Foresee());
  return std::optional<Ledger>(std::move(ledger).value());
}

Status Ledger::RequireNewName(std::string_view release) {
  PENTIMENTO_ASSIGN(
      const std::vector<LedgerEntry> entries,
      ReadEntries(database_,
                  "WHERE release = ?1 AND kind IN ('opened', 'published', 'abandoned') ORDER BY seq DESC LIMIT 1",
                  release));
  if (entries.empty() || StateAfter(entries.front()) == ReleaseState::kAbandoned) return {};
  return Error{ErrorCode::kBadPolicy, fmt::format("release name \"{}\" was used on {}; choose a new name", release,
                                                  entries.front().time.substr(0, 10))};
}

Status Ledger::CheckOpenEntry(const OpenEntry& entry) {
  Check(lock_.has_value(), "only a writer of the ledger opens a release");
  Check(!entry.release.empty(), "a release has a name");
  Check(entry.final_path.is_absolute() && entry.final_path.has_filename() &&
            entry.final_path == entry.final_path.lexically_normal(),
        "the final path of a release is absolute and plain");
  Check(std::any_of(entry.files.begin(), entry.files.end(),
                    [](const PublishedFile& file) { return file.name == kManifestName; }),
        "a release has a manifest");
  for (const StateFileRecord& file : entry.state_files) {
    Check(IsStateFileName(file.name), "the name of a state file is plain");
    PENTIMENTO_ASSIGN(const MappedStateFile mapped, MapState(file, StateCheck::kHeader));
  }
  std::error_code error;
  if (std::filesystem::symlink_status(entry.final_path, error).type() != std::filesystem::file_type::not_found) {
    return Error{ErrorCode::kUsage, fmt::format("{}: is there already. Choose another folder for what is published.",
                                                entry.final_path.string())};
  }
  return RequireNewName(entry.release);
}

Result<OpenRelease> Ledger::Open(const OpenEntry& entry) {
  PENTIMENTO_RETURN_IF_ERROR(CheckOpenEntry(entry));
  PENTIMENTO_ASSIGN(const std::string body, EncodeOpened(entry));
  PENTIMENTO_ASSIGN(Transaction transaction, Transaction::Begin(database_));
  PENTIMENTO_ASSIGN(const std::int64_t seq, AppendEntry(database_, key_, {kOpenedKind, entry.release, clock_(), body}));
  Failpoint("ledger-opening");
  PENTIMENTO_RETURN_IF_ERROR(transaction.Commit());
  Failpoint("ledger-opening-in-log");
  // The release is about to be visible: whoever then loses the log must still find the entry.
  PENTIMENTO_RETURN_IF_ERROR(database_.EmptyLog());
  Failpoint("ledger-opened");
  return OpenRelease{seq, entry.release};
}

Status Ledger::Close(const OpenRelease& open) {
  PENTIMENTO_ASSIGN(const OpenEntry entry, ReadOpen(open));
  PENTIMENTO_ASSIGN(const OnDisk on_disk, LookForRelease(entry));
  if (on_disk != OnDisk::kPublished) {
    return Error{ErrorCode::kStorage, fmt::format("{}: the release \"{}\" is not there as it was written. Nothing is "
                                                  "recorded as published; run again.",
                                                  entry.final_path.string(), entry.release)};
  }
  return RecordPublished(open, entry);
}

Result<ReleaseState> Ledger::Abandon(const OpenRelease& open) {
  PENTIMENTO_ASSIGN(const OpenEntry entry, ReadOpen(open));
  PENTIMENTO_ASSIGN(const ReleaseState state, Settle(open, entry));
  if (state == ReleaseState::kAbandoned) {
    // What stays behind here is removed at the next start.
    for (const StateFileRecord& file : entry.state_files) unlink((folder_.State() / file.name).c_str());
  }
  return state;
}

// The entry behind a release that is open, and still is: an entry that does not match its hash is never acted upon.
Result<OpenEntry> Ledger::ReadOpen(const OpenRelease& open) {
  PENTIMENTO_ASSIGN(const std::vector<LedgerEntry> entries,
                    ReadEntries(database_, "WHERE release = ?1 ORDER BY seq DESC LIMIT 1", open.release));
  Check(!entries.empty() && entries.front().seq == open.entry && entries.front().kind == kOpenedKind,
        "a release is closed once");
  const LedgerEntry& entry = entries.front();
  if (entry.hash != HashOf(key_, entry)) {
    return Error{ErrorCode::kCorruptLedger,
                 fmt::format("entry {} of the ledger was changed. Restore the ledger from a backup.", entry.seq)};
  }
  PENTIMENTO_ASSIGN(OpenEntry opened, DecodeOpened(entry));
  opened.final_path = PlaceOf(opened);
  return opened;
}

// What was imported moves with the ledger.
std::filesystem::path Ledger::PlaceOf(const OpenEntry& entry) const {
  return entry.imported ? folder_.Imported() / entry.release : entry.final_path;
}

Result<ReleaseState> Ledger::Settle(const OpenRelease& open, const OpenEntry& entry) {
  PENTIMENTO_ASSIGN(const OnDisk on_disk, LookForRelease(entry));
  if (on_disk == OnDisk::kNothing) {
    PENTIMENTO_RETURN_IF_ERROR(RecordAbandoned(open, entry));
    return ReleaseState::kAbandoned;
  }
  PENTIMENTO_RETURN_IF_ERROR(RecordPublished(open, entry));
  return ReleaseState::kPublished;
}

Status Ledger::RecordPublished(const OpenRelease& open, const OpenEntry& entry) {
  PENTIMENTO_ASSIGN(Transaction transaction, Transaction::Begin(database_));
  PENTIMENTO_ASSIGN(const std::int64_t seq,
                    AppendEntry(database_, key_, {kPublishedKind, open.release, clock_(), EncodeClosing(open.entry)}));
  Check(seq > open.entry, "a release is closed after it was opened");
  for (const StateFileRecord& file : entry.state_files)
    PENTIMENTO_RETURN_IF_ERROR(NameStateFile(database_, open.entry, open.release, file));
  Failpoint("ledger-closing");
  PENTIMENTO_RETURN_IF_ERROR(transaction.Commit());
  Failpoint("ledger-closed");
  // On record it is, in the log at least: without the log the entry is still open, and the next start closes it again.
  // Until then that one needs the state files that are replaced.
  if (!database_.EmptyLog().ok()) return {};
  Failpoint("ledger-closed-in-file");
  // What stays behind here is removed at the next start.
  for (const std::string& name : entry.replaces) unlink((folder_.State() / name).c_str());
  Failpoint("ledger-replaced");
  return {};
}

Status Ledger::RecordAbandoned(const OpenRelease& open, const OpenEntry& entry) {
  // The folder goes first: killed in between, the entry is still open and all of this happens again.
  PENTIMENTO_ASSIGN(const bool removed, RemoveStaging(entry));
  if (!removed) {
    recovered_.push_back(
        fmt::format("{} is in use by another process and was left alone", StagingPathFor(entry.final_path).string()));
  }
  PENTIMENTO_ASSIGN(Transaction transaction, Transaction::Begin(database_));
  PENTIMENTO_ASSIGN(const std::int64_t seq,
                    AppendEntry(database_, key_, {kAbandonedKind, open.release, clock_(), EncodeClosing(open.entry)}));
  Check(seq > open.entry, "a release is closed after it was opened");
  Failpoint("ledger-abandoning");
  PENTIMENTO_RETURN_IF_ERROR(transaction.Commit());
  Failpoint("ledger-abandoned");
  (void)database_.EmptyLog();  // without the log the entry is still open, and the next start abandons it again
  return {};
}

Result<std::vector<LedgerEntry>> Ledger::LeftOpen() {
  return ReadEntries(database_,
                     "AS opened WHERE kind = 'opened' AND NOT EXISTS (SELECT 1 FROM entry AS later WHERE "
                     "later.release = opened.release AND later.seq > opened.seq) ORDER BY seq");
}

// The results of Recover, kept in memory.
Status Ledger::Foresee() {
  PENTIMENTO_ASSIGN(const std::vector<LedgerEntry> left_open, LeftOpen());
  for (const LedgerEntry& left : left_open) {
    PENTIMENTO_ASSIGN(const OpenEntry entry, ReadOpen({left.seq, left.release}));
    PENTIMENTO_ASSIGN(const OnDisk on_disk, LookForRelease(entry));
    const bool published = on_disk != OnDisk::kNothing;
    foreseen_[left.seq] = published ? ReleaseState::kPublished : ReleaseState::kAbandoned;
    recovered_.push_back(fmt::format("the release \"{}\" was being published when its process stopped: {}",
                                     left.release,
                                     published ? "it is out, and the next release records it as published"
                                               : "nothing of it is out, and the next release records it as abandoned"));
  }
  return {};
}

// Where a release stands, by its latest entry.
ReleaseState Ledger::StateAfter(const LedgerEntry& entry) const {
  const auto foreseen = foreseen_.find(entry.seq);
  return foreseen != foreseen_.end() ? foreseen->second : StateFromKind(entry.kind);
}

Status Ledger::Recover() {
  PENTIMENTO_ASSIGN(const std::vector<LedgerEntry> left_open, LeftOpen());
  for (const LedgerEntry& left : left_open) {
    const OpenRelease open{left.seq, left.release};
    PENTIMENTO_ASSIGN(const OpenEntry entry, ReadOpen(open));
    PENTIMENTO_ASSIGN(const ReleaseState state, Settle(open, entry));
    recovered_.push_back(
        fmt::format("the release \"{}\" was being published when its process stopped: {}", left.release,
                    state == ReleaseState::kPublished ? "it is out, and is now recorded as published"
                                                      : "nothing of it is out, and it is now recorded as abandoned"));
  }
  PENTIMENTO_ASSIGN(const std::vector<std::string> replaced, ReplacedStateFiles());
  for (const std::string& name : replaced) unlink((folder_.State() / name).c_str());
  PENTIMENTO_ASSIGN(const std::set<std::string> named, NamedStateFiles());
  PENTIMENTO_ASSIGN(const std::size_t removed, RemoveUnnamedStateFiles(folder_.State(), named));
  if (removed > 0) {
    recovered_.push_back(
        fmt::format("removed {} state file{} of releases that were never published", removed, removed == 1 ? "" : "s"));
  }
  return {};
}

Result<std::set<std::string>> Ledger::NamedStateFiles() {
  PENTIMENTO_ASSIGN(Statement select, database_.Prepare("SELECT name FROM state_file"));
  std::set<std::string> named;
  while (true) {
    PENTIMENTO_ASSIGN(const bool row, select.Step());
    if (!row) return named;
    named.insert(select.Text(0));
  }
}

Result<std::vector<std::string>> Ledger::ReplacedStateFiles() {
  PENTIMENTO_ASSIGN(
      const std::vector<LedgerEntry> entries,
      ReadEntries(database_,
                  "AS opened WHERE kind = 'opened' AND EXISTS (SELECT 1 FROM entry AS later WHERE "
                  "later.release = opened.release AND later.seq > opened.seq AND later.kind = 'published') "
                  "ORDER BY seq"));
  std::vector<std::string> replaced;
  for (const LedgerEntry& entry : entries) {
    PENTIMENTO_ASSIGN(const OpenEntry opened, DecodeOpened(entry));
    replaced.insert(replaced.end(), opened.replaces.begin(), opened.replaces.end());
  }
  PENTIMENTO_ASSIGN(const std::vector<Forgetting> forgettings, ReadForgettings("WHERE kind = 'forgotten'"));
  for (const Forgetting& forgetting : forgettings) replaced.push_back(forgetting.replaces);
  return replaced;
}

Result<std::vector<ReleaseRecord>> Ledger::Releases() {
  PENTIMENTO_ASSIGN(const std::vector<LedgerEntry> entries, ReadEntries(database_, "ORDER BY seq"));
  std::vector<ReleaseRecord> releases;
  for (const LedgerEntry& entry : entries) {
    if (entry.kind == kOpenedKind) {
      PENTIMENTO_ASSIGN(OpenEntry opened, DecodeOpened(entry));
      opened.final_path = PlaceOf(opened);
      releases.push_back(RecordOf(entry, std::move(opened)));
      releases.back().state = StateAfter(entry);
      continue;
    }
    const auto closed = std::find_if(releases.rbegin(), releases.rend(),
                                     [&](const ReleaseRecord& record) { return record.name == entry.release; });
    if (closed == releases.rend()) continue;  // CheckAll tells about it.
    if (entry.kind == kRetractedKind) {
      PENTIMENTO_ASSIGN(closed->retracted, DecodeRetraction(entry));
    } else if (entry.kind == kForgottenKind) {
      PENTIMENTO_ASSIGN(closed->forgotten.emplace_back(), DecodeForgetting(entry));
    } else {
      closed->state = StateFromKind(entry.kind);
      closed->closed_at = entry.time;
    }
  }
  return releases;
}

Result<OpenEntry> Ledger::ReadPublished(std::string_view release) {
  PENTIMENTO_ASSIGN(
      const std::vector<LedgerEntry> entries,
      ReadEntries(database_,
                  "WHERE release = ?1 AND kind IN ('opened', 'published', 'abandoned') ORDER BY seq DESC LIMIT 2",
                  release));
  const auto opened =
      std::find_if(entries.begin(), entries.end(), [](const LedgerEntry& entry) { return entry.kind == kOpenedKind; });
  if (opened == entries.end() || StateAfter(entries.front()) != ReleaseState::kPublished) {
    return Error{ErrorCode::kBadPolicy, fmt::format("no release \"{}\" was published with this ledger", release)};
  }
  return DecodeOpened(*opened);
}

Result<std::vector<StateFileRecord>> Ledger::StateFiles(std::string_view release) {
  PENTIMENTO_ASSIGN(OpenEntry entry, ReadPublished(release));
  PENTIMENTO_ASSIGN(const std::vector<Forgetting> forgettings,
                    ReadForgettings("WHERE release = ?1 AND kind = 'forgotten' ORDER BY seq", release));
  for (const Forgetting& forgetting : forgettings)
    std::ranges::replace(entry.state_files, forgetting.replaces, forgetting.file, &StateFileRecord::name);
  return std::move(entry.state_files);
}

Result<std::vector<Forgetting>> Ledger::ReadForgettings(std::string_view condition,
                                                        std::optional<std::string_view> release) {
  PENTIMENTO_ASSIGN(const std::vector<LedgerEntry> entries, ReadEntries(database_, condition, release));
  std::vector<Forgetting> forgettings;
  for (const LedgerEntry& entry : entries) {
    PENTIMENTO_ASSIGN(forgettings.emplace_back(), DecodeForgetting(entry));
  }
  return forgettings;
}

Status Ledger::Retract(std::string_view release, const Retraction& retraction) {
  Check(lock_.has_value(), "only a writer of the ledger puts something on record");
  PENTIMENTO_ASSIGN(const OpenEntry published, ReadPublished(release));
  PENTIMENTO_ASSIGN(const std::vector<LedgerEntry> before,
                    ReadEntries(database_, "WHERE release = ?1 AND kind = 'retracted'", release));
  if (!before.empty()) {
    return Error{ErrorCode::kUsage, fmt::format("the release \"{}\" was retracted on {}; nothing is left to do",
                                                release, before.front().time.substr(0, 10))};
  }
  PENTIMENTO_ASSIGN(Transaction transaction, Transaction::Begin(database_));
  PENTIMENTO_ASSIGN(
      const std::int64_t seq,
      AppendEntry(database_, key_, {kRetractedKind, published.release, clock_(), EncodeRetraction(retraction)}));
  Check(seq > 0, "entries are numbered from 1");
  Failpoint("retract-recording");
  PENTIMENTO_RETURN_IF_ERROR(transaction.Commit());
  Failpoint("retract-recorded");
  return database_.EmptyLog();
}

Status Ledger::Forget(const std::vector<std::pair<std::string, Forgetting>>& by_release) {
  Check(lock_.has_value(), "only a writer of the ledger puts something on record");
  PENTIMENTO_ASSIGN(Transaction transaction, Transaction::Begin(database_));
  for (const auto& [release, forgetting] : by_release) {
    PENTIMENTO_ASSIGN(const std::int64_t seq,
                      AppendEntry(database_, key_, {kForgottenKind, release, clock_(), EncodeForgetting(forgetting)}));
    PENTIMENTO_RETURN_IF_ERROR(NameStateFile(database_, seq, release, forgetting.file));
  }
  Failpoint("forget-recording");
  PENTIMENTO_RETURN_IF_ERROR(transaction.Commit());
  Failpoint("forget-recorded");
  // The old files go only when nobody can take the entries away again with the log.
  PENTIMENTO_RETURN_IF_ERROR(database_.EmptyLog());
  Failpoint("forget-in-file");
  for (const auto& [release, forgetting] : by_release) unlink((folder_.State() / forgetting.replaces).c_str());
  return SyncFolder(folder_.State());
}

Result<std::string> Ledger::PolicyText(std::string_view release) {
  PENTIMENTO_ASSIGN(OpenEntry entry, ReadPublished(release));
  return std::move(entry.policy_text);
}

Result<MappedStateFile> Ledger::MapState(const StateFileRecord& record, StateCheck check) const {
  PENTIMENTO_ASSIGN(MappedStateFile file, MappedStateFile::Map(folder_.State() / record.name, record.kind, check));
  if (file.bytes() != record.bytes || file.checksum() != record.checksum) {
    return Error{ErrorCode::kCorruptLedger,
                 fmt::format("{}: not the state file that the ledger has on record. Restore the ledger "
                             "from a backup.",
                             (folder_.State() / record.name).string())};
  }
  return file;
}

}  // namespace pentimento
