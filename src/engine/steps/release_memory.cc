#include "engine/steps/release_memory.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/clock.h"
#include "base/parallel.h"
#include "base/temporary_folder.h"
#include "engine/published/manifest.h"
#include "engine/steps/people_on_record.h"
#include "fmt/core.h"
#include "ledger/identities.h"
#include "ledger/ledger_folder.h"

namespace pentimento {
namespace {

void RemoveState(const std::filesystem::path& folder, const std::string& release) {
  std::error_code ignored;  // what stays is removed at the next start
  for (const char* kind : {".identities", ".segment", ".rows", ".cells", ".budgets", ".classes"})
    std::filesystem::remove(folder / (release + kind), ignored);
}

std::string StateName(const std::string& release) { return release + ".identities"; }

// With the place in the policy where the name stands.
Status RequireNewName(Ledger& ledger, const Policy& policy) {
  const Status is_new = ledger.RequireNewName(policy.release);
  if (is_new.ok() || is_new.error().code != ErrorCode::kBadPolicy) return is_new;
  std::string message = is_new.error().message;
  // Whoever runs a release again that was killed wants to know whether anything is left to do.
  PENTIMENTO_ASSIGN(const std::vector<ReleaseRecord> releases, ledger.Releases());
  // Attempts under the same name that were abandoned are on record as well.
  const auto out = std::ranges::find_if(releases, [&](const ReleaseRecord& release) {
    return release.name == policy.release && release.state == ReleaseState::kPublished && !release.imported;
  });
  std::error_code ignored;
  if (out != releases.end() && std::filesystem::exists(out->final_path / kManifestName, ignored)) {
    message += fmt::format(". That release is out and complete, in {}; if it is this one, nothing is left to do",
                           out->final_path.string());
  }
  return PolicyError(policy, policy.release_position, message);
}

// Where the ledger was lost, moved or misspelt, a new one would know nothing of what is out.
Status RequireMeant(const Policy& policy, const ReleaseOptions& options) {
  if (options.new_ledger) return {};
  PENTIMENTO_ASSIGN(const UnrecordedReleases out, FindUnrecorded(options.out, nullptr));
  PENTIMENTO_RETURN_IF_ERROR(RequireNoneForgotten(policy, out.releases));
  if (out.releases.empty()) return {};
  return Error{
      ErrorCode::kUsage,
      fmt::format("{}: there is no ledger, and {} holds releases that a new one would know nothing of, such as "
                  "'{}'. If the ledger is elsewhere, name it; if it was lost, restore it from a backup; if it "
                  "is to be a new one, add --new-ledger. Nothing was published",
                  options.ledger.string(), options.out.string(), out.releases.front().head.release)};
}

std::string NewLedger(const ReleaseOptions& options) {
  return fmt::format(
      "a new ledger {} at {}. Every later release about these people needs it: keep it private, and back "
      "it up",
      options.dry_run ? "would be begun" : "is begun", LedgerFolder::At(options.ledger).path.string());
}

bool LiesInside(const std::filesystem::path& inner, const std::filesystem::path& outer) {
  const auto [end, rest] = std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end());
  return end == outer.end();
}

// With links followed as far as there are folders.
std::filesystem::path RealPlaceOf(const std::filesystem::path& named) {
  std::error_code error;
  const std::filesystem::path plain = LedgerFolder::At(named).path;
  const std::filesystem::path place = std::filesystem::weakly_canonical(plain, error);
  return error ? plain : place;
}

}  // namespace

Status RequireApart(const std::filesystem::path& ledger, const std::filesystem::path& out) {
  const std::filesystem::path private_place = RealPlaceOf(ledger), public_place = RealPlaceOf(out);
  // A folder that cannot be a ledger is refused with better words.
  if (!LookForLedger(LedgerFolder::At(ledger)).ok()) return {};
  if (!LiesInside(private_place, public_place) && !LiesInside(public_place, private_place)) return {};
  return Error{ErrorCode::kUsage,
               fmt::format("--ledger {} and --out {} lie one inside the other, and the ledger is private while what is "
                           "published may be public: whoever copies one folder would copy both. Name two folders apart",
                           ledger.string(), out.string())};
}

LooseState::LooseState(std::filesystem::path folder, std::string release)
    : folder_(std::move(folder)), release_(std::move(release)) {}

LooseState::LooseState(LooseState&& other) noexcept
    : folder_(std::move(other.folder_)), release_(std::exchange(other.release_, {})) {}

LooseState::~LooseState() {
  if (!release_.empty()) RemoveState(folder_, release_);
}

Result<ReleaseMemory> ReleaseMemory::Open(const Policy& policy, const ReleaseOptions& options) {
  ReleaseMemory memory;
  // A folder that cannot be a ledger is refused below.
  const Result<bool> there = LookForLedger(LedgerFolder::At(options.ledger));
  const bool is_new = there.ok() && !*there;
  if (is_new) PENTIMENTO_RETURN_IF_ERROR(RequireMeant(policy, options));
  if (options.dry_run) {
    PENTIMENTO_ASSIGN(std::optional<Ledger> ledger, Ledger::OpenForTrying(options.ledger));
    if (ledger) memory.ledger_.emplace(std::move(*ledger));
  } else {
    PENTIMENTO_ASSIGN(Ledger ledger, Ledger::OpenForWriting(options.ledger));
    memory.ledger_.emplace(std::move(ledger));
  }
  if (memory.ledger_) PENTIMENTO_RETURN_IF_ERROR(RequireNewName(*memory.ledger_, policy));
  PENTIMENTO_ASSIGN(memory.unrecorded_, FindUnrecorded(options.out, memory.ledger()));
  PENTIMENTO_RETURN_IF_ERROR(RequireNoneForgotten(policy, memory.unrecorded_.releases));
  if (is_new) memory.new_ledger_ = NewLedger(options);
  std::erase_if(memory.unrecorded_.releases, [&](const UnrecordedRelease& release) {
    return std::ranges::find(policy.other_people, release.head.release) != policy.other_people.end();
  });
  if (options.dry_run) {
    PENTIMENTO_RETURN_IF_ERROR(OutFolder::CheckFree(options.out, policy.release));
  } else {
    PENTIMENTO_ASSIGN(OutFolder out, OutFolder::Prepare(options.out, policy.release));
    memory.out_.emplace(std::move(out));
    memory.loose_.emplace(memory.ledger_->state_folder(), policy.release);
  }
  return memory;
}

IdentityHasher ReleaseMemory::identity_hasher() const {
  return ledger_ ? ledger_->identity_hasher() : IdentityHasher(RandomKey());
}

std::filesystem::path ReleaseMemory::spill_folder() const { return out_ ? ledger_->state_folder() : TemporaryFolder(); }

std::vector<std::string> ReleaseMemory::recovered() const {
  return ledger_ ? ledger_->recovered() : std::vector<std::string>();
}

Result<bool> ReleaseMemory::HasOthers(const std::set<std::string>& own_releases) {
  if (!ledger_) return false;
  PENTIMENTO_ASSIGN(const std::vector<ReleaseRecord> releases, ledger_->Releases());
  return std::ranges::any_of(releases, [&](const ReleaseRecord& release) {
    return release.state == ReleaseState::kPublished && !own_releases.contains(release.name);
  });
}

std::future<Result<SavedState>> ReleaseMemory::BeginState(const std::string& release, SharedPeople people) {
  return StartSideTask([folder = ledger_->state_folder(), name = StateName(release),
                        people = std::move(people)]() mutable -> Result<SavedState> {
    SavedState saved;
    if (people->empty()) return saved;
    Stopwatch watch;
    PENTIMENTO_ASSIGN(StateFileRecord file, WriteIdentities(folder, name, *people));
    people.reset();  // the task itself lives on until it is asked for
    saved.files.push_back(std::move(file));
    saved.seconds = watch.Lap();
    return saved;
  });
}

// Abandon() looks at the disk: a release that is visible after all is recorded as published.
Status ReleaseMemory::Settle(const OpenRelease& open, const Status& visible) {
  if (visible.ok()) return ledger_->Close(open);
  const Result<ReleaseState> state = ledger_->Abandon(open);
  if (state.ok() && *state == ReleaseState::kPublished) return {};
  return state.ok() || !out_->is_visible() ? visible : state.error();
}

Status ReleaseMemory::Commit(const OpenEntry& entry) {
  loose_->HandOver();
  PENTIMENTO_ASSIGN(const OpenRelease open, ledger_->Open(entry));
  const Status visible = out_->MakeVisible();
  const Status recorded = Settle(open, visible);
  if (recorded.ok() || !out_->is_visible()) return recorded;
  return Error{recorded.error().code,
               fmt::format("{}: the release is out and complete, but the ledger has it on record as begun only. The "
                           "next run with this ledger records it as published; do not make it again. What went wrong: "
                           "{}",
                           out_->final_path().string(), recorded.error().message)};
}

}  // namespace pentimento
