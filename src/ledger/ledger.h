// The ledger: the private memory of everything that was published. docs/formats/ledger.md is the format.
//
// Publishing goes: write the state files (StateFileWriter into state_folder()) and the release (into
// StagingPathFor(final path)); Open; rename the staging folder to the final path and sync their folder; Close. A kill
// at any moment leaves either nothing published, or what was published in the ledger: the next OpenForWriting looks at
// the disk and closes what was left open.
//
// What is in it is private. Names, counts and times may be shown to the ledger's owner; seeds and policies never are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/hash.h"
#include "base/result.h"
#include "ledger/chain.h"
#include "ledger/database.h"
#include "ledger/later_entry.h"
#include "ledger/ledger_folder.h"
#include "ledger/open_entry.h"
#include "ledger/state_file.h"

namespace pentimento {

enum class ReleaseState { kOpened, kPublished, kAbandoned };
std::string_view ToString(ReleaseState state);

// What may be shown of a release.
struct ReleaseRecord {
  std::string name;
  ReleaseState state = ReleaseState::kOpened;
  std::string opened_at;
  std::string closed_at;  // empty while it is open
  std::string guarantee;
  std::string parameters_json;
  std::uint64_t rows = 0;
  std::filesystem::path final_path;
  std::vector<PublishedFile> files;
  std::string composition_json;  // as in OpenEntry
  bool imported = false;         // another tool made it; the final path is the copy of it in the ledger's folder
  // As in OpenEntry.
  std::string user;
  std::string policy_file;
  std::optional<RecordedInput> input;
  std::vector<std::string> notes;
  std::optional<Retraction> retracted;
  std::vector<Forgetting> forgotten;
};

// A release between Open and Close.
struct OpenRelease {
  std::int64_t entry = 0;
  std::string release;
};

// What became of the published files after they were published.
struct PublishedCheck {
  std::vector<std::string> intact;   // names of releases, in their order
  std::vector<std::string> missing;  // of whose folder nothing is there; it may be elsewhere
  std::vector<std::string>
      problems;  // files that are others than those on record, or missing in a folder that is there
};

class Ledger {
 public:
  // Makes the ledger where there is none, takes the one writer's lock for the life of the object, reads all that is on
  // record, and recovers. kCorruptLedger, and nothing is touched, where anything of it is not as it was written.
  static Result<Ledger> OpenForWriting(const std::filesystem::path& folder, Clock clock = UtcNow);
  // Takes no lock and changes nothing: works beside a writer, and on a folder that cannot be written.
  static Result<Ledger> OpenForReading(const std::filesystem::path& folder);
  // As OpenForReading, for one who wants to know what a writer would answer: a release that was left open counts as
  // what the next writer would record of it, and where that writer would refuse, this refuses. Nothing where there is
  // no ledger yet, or only the beginning of one. Beside a live writer it speaks of the moment.
  static Result<std::optional<Ledger>> OpenForTrying(const std::filesystem::path& folder);
  Ledger(Ledger&&) = default;
  Ledger& operator=(Ledger&&) = delete;

  // What OpenForWriting found left behind and did about it, or OpenForTrying found and left as it is, in words.
  const std::vector<std::string>& recovered() const { return recovered_; }
  std::filesystem::path state_folder() const { return folder_.State(); }
  IdentityHasher identity_hasher() const { return IdentityHasher(key_); }

  // kBadPolicy for a name that was published before. One that was only abandoned is free again.
  Status RequireNewName(std::string_view release);

  // Puts a release on record before it becomes visible. Its state files are in place, its final path is not.
  Result<OpenRelease> Open(const OpenEntry& entry);
  // Records that the release is visible, and names its state files. Looks that it is.
  Status Close(const OpenRelease& open);
  // Gives a release up and removes its staging folder and its state files; a staging folder that is locked is left to
  // whoever holds the lock. A release that is visible already is published, whatever the caller wants, and is recorded
  // as that.
  Result<ReleaseState> Abandon(const OpenRelease& open);

  // Records that its publisher has withdrawn a published release. kBadPolicy where it was not published, kUsage where
  // it was withdrawn before.
  Status Retract(std::string_view release, const Retraction& retraction);
  // Names state files in place of others, all at once or none, and removes the others. The new ones are in place.
  Status Forget(const std::vector<std::pair<std::string, Forgetting>>& by_release);

  // In the order in which they were opened.
  Result<std::vector<ReleaseRecord>> Releases();
  // The state files of a published release; those that a later release replaced are gone.
  Result<std::vector<StateFileRecord>> StateFiles(std::string_view release);
  // The policy of a published release, as it was read. Private.
  Result<std::string> PolicyText(std::string_view release);
  // Maps a state file, and holds it to what the ledger remembers of it.
  Result<MappedStateFile> MapState(const StateFileRecord& record, StateCheck check) const;

  // Reads everything and returns what is wrong, in words; empty when all is well.
  Result<std::vector<std::string>> CheckAll();
  // Holds what was published, where it is found as FOLDER/NAME, to the hashes on record. Of releases that were imported
  // only the copies in the ledger are known, and CheckAll looks at those.
  Result<PublishedCheck> CheckPublished(const std::filesystem::path& folder);

 private:
  Ledger(LedgerFolder folder, SecretKey key, Clock clock, std::optional<WriterLock> lock, Database database);
  static Result<Database> OpenDatabaseForWriting(const LedgerFolder& folder, const SecretKey& key);
  static Result<Database> OpenDatabaseForReading(const LedgerFolder& folder);

  // Whether what is on record can be gone by; a writer also looks that no state file is missing.
  Status RequireIntact();
  Status CheckOpenEntry(const OpenEntry& entry);
  std::filesystem::path PlaceOf(const OpenEntry& entry) const;
  Result<OpenEntry> ReadOpen(const OpenRelease& open);
  Result<OpenEntry> ReadPublished(std::string_view release);
  Result<std::vector<Forgetting>> ReadForgettings(std::string_view condition,
                                                  std::optional<std::string_view> release = std::nullopt);
  Result<ReleaseState> Settle(const OpenRelease& open, const OpenEntry& entry);
  Status RecordPublished(const OpenRelease& open, const OpenEntry& entry);
  Status RecordAbandoned(const OpenRelease& open, const OpenEntry& entry);
  Result<std::vector<LedgerEntry>> LeftOpen();
  Status Recover();
  Status Foresee();
  ReleaseState StateAfter(const LedgerEntry& entry) const;
  Result<std::set<std::string>> NamedStateFiles();
  Result<std::vector<std::string>> ReplacedStateFiles();

  LedgerFolder folder_;
  SecretKey key_;
  Clock clock_;
  std::optional<WriterLock> lock_;  // before database_: it is let go only after the database is closed
  Database database_;
  std::vector<std::string> recovered_;
  std::map<std::int64_t, ReleaseState> foreseen_;  // what would become of entries that were left open, by their number
};

}  // namespace pentimento
