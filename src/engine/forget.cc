#include "engine/forget.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <set>
#include <utility>

#include "base/run.h"
#include "base/user_name.h"
#include "engine/incremental/incremental_memory.h"
#include "engine/steps/people_on_record.h"
#include "files/incremental_rows.h"
#include "fmt/core.h"
#include "ledger/incremental_state.h"
#include "ledger/ledger.h"
#include "ledger/ledger_folder.h"

namespace pentimento {
namespace {

std::vector<IdentityHash> HashesOf(const std::vector<std::string>& ids, const IdentityHasher& hasher) {
  std::vector<IdentityHash> hashes;
  for (const std::string& id : ids) hashes.push_back(hasher(id));
  std::ranges::sort(hashes);
  const auto repeated = std::ranges::unique(hashes);
  hashes.erase(repeated.begin(), repeated.end());
  return hashes;
}

// Which of the people some release on record knows, and which releases these are.
Status FindKnown(Ledger& ledger, const std::vector<IdentityHash>& people, ForgetOutcome& outcome) {
  PENTIMENTO_ASSIGN(const std::vector<ReleaseRecord> releases, ledger.Releases());
  std::vector<bool> is_known(people.size());
  for (const ReleaseRecord& release : releases) {
    if (release.state != ReleaseState::kPublished || release.imported) continue;
    bool knows_one = false;
    for (std::size_t i = 0; i < people.size(); ++i) {
      PENTIMENTO_ASSIGN(const auto shared, CountSharedPeople(ledger, release.name, std::span(&people[i], 1)));
      if (shared.value_or(0) == 0) continue;
      is_known[i] = knows_one = true;
    }
    if (knows_one) outcome.kept_in.push_back(release.name);
  }
  outcome.unknown = static_cast<std::uint64_t>(std::ranges::count(is_known, false));
  return {};
}

// One release of a series, and which of its newcomers are to be erased.
struct Erasure {
  std::string release;
  std::vector<bool> is_erased;
};

// By release, for those that have one of the people among their newcomers and keep cells of them.
std::vector<Erasure> ErasuresIn(const IncrementalMemory& memory, const std::vector<IdentityHash>& people) {
  std::vector<Erasure> erasures;
  const IncrementalView view = memory.view();
  std::vector<CaseNumber> first;
  for (std::size_t release = 0; release < memory.releases(); ++release) {
    first.push_back(release == 0 ? 0 : first.back() + view.segments[release - 1].new_members);
    erasures.push_back({memory.abouts()[release].release, std::vector<bool>(view.segments[release].new_members)});
  }
  for (const NamedMember& named : memory.NamedMembers()) {
    if (!std::ranges::binary_search(people, named.identity)) continue;
    const auto release = static_cast<std::size_t>(std::ranges::upper_bound(first, named.member) - first.begin()) - 1;
    erasures[release].is_erased[named.member - first[release]] = true;
  }
  return erasures;
}

// "q1.rows-2". No other file is called so: all others end with their kind.
std::string NameOfNewRows(const ReleaseRecord& record) {
  return fmt::format("{}.rows-{}", record.name, record.forgotten.size() + 1);
}

class Forgetter {
 public:
  Forgetter(Ledger& ledger, std::vector<IdentityHash> people) : ledger_(ledger), people_(std::move(people)) {}

  Status Run(ForgetOutcome& outcome) {
    PENTIMENTO_ASSIGN(records_, ledger_.Releases());
    std::set<std::string> series;
    for (const ReleaseRecord& record : records_) {
      const std::string name = GrowingSeriesOf(record);
      if (!name.empty()) series.insert(name);
    }
    for (const std::string& name : series) PENTIMENTO_RETURN_IF_ERROR(LookAt(name, outcome));
    if (replaced_.empty()) return {};
    Failpoint("forget-written");
    return ledger_.Forget(replaced_);
  }

 private:
  Status LookAt(const std::string& series, ForgetOutcome& outcome) {
    PENTIMENTO_ASSIGN(const IncrementalMemory memory,
                      IncrementalMemory::Open(&ledger_, series, /*columns=*/0, StateCheck::kPayload));
    PENTIMENTO_ASSIGN(const std::vector<KeptRows> kept, memory.MapRows(StateCheck::kPayload));
    const auto is_living = [&](const IdentityHash& person) { return memory.FindMember(person).has_value(); };
    const auto living = static_cast<std::uint64_t>(std::ranges::count_if(people_, is_living));
    if (living > 0) outcome.still_there.push_back({series, living});
    const std::vector<Erasure> erasures = ErasuresIn(memory, people_);
    for (std::size_t release = 0; release < erasures.size(); ++release) {
      const auto cases = static_cast<std::uint64_t>(std::ranges::count(erasures[release].is_erased, true));
      if (cases == 0 || !kept[release].file) continue;
      PENTIMENTO_RETURN_IF_ERROR(Write(erasures[release], *kept[release].file, cases));
      outcome.releases.push_back({erasures[release].release, series, cases});
      PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
    }
    return {};
  }

  Status Write(const Erasure& erasure, const MappedStateFile& rows, std::uint64_t cases) {
    const auto record = std::ranges::find_if(records_, [&](const ReleaseRecord& one) {
      return one.name == erasure.release && one.state == ReleaseState::kPublished;
    });
    PENTIMENTO_ASSIGN(const std::vector<StateFileRecord> files, ledger_.StateFiles(erasure.release));
    const auto old = std::ranges::find(files, StateKind::kRows, &StateFileRecord::kind);
    PENTIMENTO_ASSIGN(const std::span<const std::byte> parquet, rows.Elements<std::byte>());
    const std::filesystem::path folder = ledger_.state_folder();
    const std::filesystem::path anew = folder / (erasure.release + ".cells");
    const Status erased = EraseIncrementalRows(parquet, erasure.is_erased, anew, "the ledger");
    Result<StateFileRecord> file = erased.ok() ? WriteIncrementalRowsState(folder, NameOfNewRows(*record), anew)
                                               : Result<StateFileRecord>(erased.error());
    std::error_code ignored;  // what stays is removed at the next start
    std::filesystem::remove(anew, ignored);
    if (!file.ok()) return std::move(file).error();
    replaced_.emplace_back(erasure.release, Forgetting{"", UserName(), cases, old->name, std::move(file).value()});
    return {};
  }

  Ledger& ledger_;
  std::vector<IdentityHash> people_;
  std::vector<ReleaseRecord> records_;
  std::vector<std::pair<std::string, Forgetting>> replaced_;  // by release
};

}  // namespace

Result<ForgetOutcome> ForgetPeople(const ForgetOptions& options) {
  if (options.ids.empty())
    return Error{ErrorCode::kUsage,
                 "nobody is named; write the ids of the people to forget, or name a file with --ids"};
  PENTIMENTO_RETURN_IF_ERROR(RequireLedgerFolder(LedgerFolder::At(options.ledger)));
  PENTIMENTO_ASSIGN(Ledger ledger, Ledger::OpenForWriting(options.ledger));
  ForgetOutcome outcome;
  outcome.recovered = ledger.recovered();
  const std::vector<IdentityHash> people = HashesOf(options.ids, ledger.identity_hasher());
  outcome.people = people.size();
  PENTIMENTO_RETURN_IF_ERROR(FindKnown(ledger, people, outcome));
  PENTIMENTO_RETURN_IF_ERROR(Forgetter(ledger, people).Run(outcome));
  return outcome;
}

Result<std::vector<std::string>> ReadIdsOfFile(const std::filesystem::path& file) {
  std::ifstream input(file);
  if (!input)
    return Error{ErrorCode::kUsage,
                 fmt::format("{}: cannot be read; name a file with an id on each line", file.string())};
  std::vector<std::string> ids;
  for (std::string line; std::getline(input, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty()) ids.push_back(line);
  }
  return ids;
}

}  // namespace pentimento
