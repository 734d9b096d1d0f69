// The ledger as one release needs it: what was published before, and the steps that put this release on record.
//
// 1. A release is on record before it is visible: Commit opens the entry, renames the folder, closes the entry.
// 2. A dry run changes nothing, and makes no ledger.
// 3. Whatever ends the attempt before Commit, what was staged and the state files written for it are removed.
#pragma once

#include <filesystem>
#include <future>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/random.h"
#include "base/result.h"
#include "engine/bind/bind.h"
#include "engine/steps/forgotten_release.h"
#include "engine/steps/out_folder.h"
#include "engine/steps/own_classes.h"
#include "engine/steps/release_outcome.h"
#include "ledger/ledger.h"
#include "policy/policy.h"

namespace pentimento {

// State files of a release that is not on record yet. They go with it, whatever ends the attempt: an error, a refusal,
// a failed check.
class LooseState {
 public:
  LooseState(std::filesystem::path folder, std::string release);
  LooseState(LooseState&& other) noexcept;
  LooseState& operator=(LooseState&&) = delete;
  ~LooseState();

  // From now on the ledger decides what becomes of them.
  void HandOver() { release_.clear(); }

 private:
  std::filesystem::path folder_;
  std::string release_;  // empty: nothing is loose
};

// State files that were written while something else was done, and the seconds that took.
struct SavedState {
  std::vector<StateFileRecord> files;
  double seconds = 0;
};

class ReleaseMemory {
 public:
  // Refuses a name that was used before and a folder that is there; and where there is no ledger but `out` holds
  // releases, to begin one that does not know them, unless that is meant. A dry run looks in the same order, comes to
  // the same result, and changes nothing: it makes no ledger.
  static Result<ReleaseMemory> Open(const Policy& policy, const ReleaseOptions& options);

  // For a dry run without a ledger the hashes are keyed at random: they are compared with nothing.
  IdentityHasher identity_hasher() const;
  std::filesystem::path spill_folder() const;
  std::vector<std::string> recovered() const;
  // What was met on the way and does not stop a release.
  const std::vector<std::string>& notes() const { return unrecorded_.notes; }
  // In words, where this run begins the ledger, or would; otherwise empty.
  const std::string& new_ledger() const { return new_ledger_; }
  // Releases in --out that the ledger does not know, but for those that the policy says are of other people.
  const std::vector<UnrecordedRelease>& unrecorded() const { return unrecorded_.releases; }
  const OutFolder& out() const { return *out_; }
  // Nothing for a dry run before there is a ledger.
  Ledger* ledger() { return ledger_ ? &*ledger_ : nullptr; }

  // Whether releases are on record besides these.
  Result<bool> HasOthers(const std::set<std::string>& own_releases = {});
  // Saves who is in a release, while it is made: they need not stay in memory. Without anybody there is no file.
  std::future<Result<SavedState>> BeginState(const std::string& release, SharedPeople people);

  // Opens the entry, makes the folder visible, closes the entry.
  Status Commit(const OpenEntry& entry);

 private:
  ReleaseMemory() = default;
  // Records what became of a release that was to be visible.
  Status Settle(const OpenRelease& open, const Status& visible);

  std::optional<Ledger> ledger_;
  std::optional<OutFolder> out_;
  std::optional<LooseState> loose_;  // nothing in a dry run
  UnrecordedReleases unrecorded_;
  std::string new_ledger_;
};

// kUsage where the ledger, which is private, and what is published would lie one inside the other.
Status RequireApart(const std::filesystem::path& ledger, const std::filesystem::path& out);

}  // namespace pentimento
