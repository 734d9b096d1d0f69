#include "engine/incremental/incremental_memory.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/parallel_sort.h"
#include "engine/steps/one_row_each.h"

namespace pentimento {
namespace {

constexpr const char* kWhatToDo =
    "take the row out; where it corrects the older one, let the newest row count with [input] repeated = \"latest\"; "
    "where the table holds everybody who is there, say so with [input] holds = \"everybody\"";

Error Damaged(const std::string& file, std::string_view what) {
  return {ErrorCode::kCorruptLedger, fmt::format("{}: {}. Restore the ledger from a backup.", file, what)};
}

}  // namespace

std::string GrowingSeriesOf(const ReleaseRecord& release) {
  if (release.state != ReleaseState::kPublished || release.imported) return "";
  const auto guarantees = nlohmann::json::parse(release.parameters_json, nullptr, /*allow_exceptions=*/false);
  if (!guarantees.is_array()) return "";
  for (const auto& guarantee : guarantees) {
    if (guarantee.is_object() && guarantee.value("type", "") == "incremental-k-anonymity")
      return guarantee.value("series", "");
  }
  return "";
}

Result<IncrementalPeople> SortOutPeople(const IncrementalMemory& memory, std::vector<IdentityHash> identity_of_row,
                                        RepeatedRule rule, std::span<const Removal> removals, const RowPlaces& places) {
  IncrementalPeople people;
  if (!removals.empty() || !identity_of_row.empty()) PENTIMENTO_RETURN_IF_ERROR(memory.RequireIntactIdentities());
  for (const Removal& removal : removals) {
    const std::optional<CaseNumber> member = memory.FindMember(removal.identity);
    if (!member) {
      return Error{ErrorCode::kBadInput,
                   fmt::format("{}: this person is not in the series, or has left it before; take the "
                               "row out, nothing was changed",
                               removal.where)};
    }
    people.withdrawn.push_back(*member);
  }
  std::ranges::sort(people.withdrawn);
  const auto repeated = std::ranges::unique(people.withdrawn);
  people.withdrawn.erase(repeated.begin(), repeated.end());

  PENTIMENTO_ASSIGN(PeopleOfRows rows, RequireOneRowEach(std::move(identity_of_row), rule, places));
  people.identities = std::move(rows.identities);
  people.rows = std::move(rows.rows);
  people.dropped = std::move(rows.dropped);
  std::optional<std::uint32_t> first_known;
  for (std::size_t i = 0; i < people.rows.size(); ++i) {
    const std::optional<CaseNumber> member = memory.FindMember(people.identities[i]);
    if (!member) continue;
    people.replaced.push_back(*member);
    if (std::ranges::binary_search(people.withdrawn, *member)) continue;
    first_known = std::min(first_known.value_or(people.rows[i]), people.rows[i]);
  }
  if (first_known && rule == RepeatedRule::kRefuse) {
    return Error{ErrorCode::kBadInput,
                 fmt::format("{}: this person is in the series already; {}", places.Of(*first_known), kWhatToDo)};
  }
  std::ranges::sort(people.replaced);
  std::vector<CaseNumber> withdrawn;
  std::ranges::set_union(people.withdrawn, people.replaced, std::back_inserter(withdrawn));
  people.withdrawn = std::move(withdrawn);
  return people;
}

Result<IncrementalMemory> IncrementalMemory::Open(Ledger* ledger, const std::string& series, std::size_t columns,
                                                  StateCheck check) {
  IncrementalMemory memory;
  memory.ledger_ = ledger;
  memory.columns_ = columns;
  memory.check_ = check;
  if (ledger == nullptr) return memory;
  PENTIMENTO_ASSIGN(const std::vector<ReleaseRecord> releases, ledger->Releases());
  NodeNumber nodes = 1;  // the root is there before the first release
  CaseNumber members = 0;
  for (const ReleaseRecord& release : releases) {
    if (GrowingSeriesOf(release) != series) continue;
    PENTIMENTO_ASSIGN(const std::vector<StateFileRecord> files, ledger->StateFiles(release.name));
    const auto tree = std::ranges::find(files, StateKind::kTree, &StateFileRecord::kind);
    const auto rows = std::ranges::find(files, StateKind::kRows, &StateFileRecord::kind);
    if (tree == files.end())
      return Error{
          ErrorCode::kCorruptLedger,
          fmt::format("release '{}' of the series '{}' has no state on record. Restore the ledger from a backup.",
                      release.name, series)};
    const std::string path = (ledger->state_folder() / tree->name).string();
    PENTIMENTO_ASSIGN(MappedStateFile file, ledger->MapState(*tree, check));
    // A policy with another number of columns is refused by whoever compares it with what is said about the series.
    PENTIMENTO_ASSIGN(IncrementalSegment segment, IncrementalSegment::Open(std::move(file), nodes, members, path));
    const std::optional<IncrementalAbout> about = ParseIncrementalAbout(segment.about());
    if (!about) return Damaged(path, "what is said about the series cannot be read");
    nodes += static_cast<NodeNumber>(segment.view().nodes.size());
    members += segment.view().new_members;
    memory.abouts_.push_back(*about);
    memory.folders_.push_back(release.final_path);
    memory.segments_.push_back(std::move(segment));
    memory.files_.push_back(path);
    PENTIMENTO_ASSIGN(KnownPeople people, OpenPeople(*ledger, files, check));
    if (people.hashes.size() != memory.segments_.back().identified().size())
      return Damaged(path, "not everybody who came has an identity");
    memory.people_.push_back(std::move(people));
    memory.rows_.push_back(rows == files.end() ? std::nullopt : std::optional(*rows));
  }
  return memory;
}

Result<IncrementalMemory::KnownPeople> IncrementalMemory::OpenPeople(const Ledger& ledger,
                                                                     std::span<const StateFileRecord> files,
                                                                     StateCheck check) {
  KnownPeople people;
  const auto record = std::ranges::find(files, StateKind::kIdentities, &StateFileRecord::kind);
  if (record == files.end()) return people;
  people.path = (ledger.state_folder() / record->name).string();
  PENTIMENTO_ASSIGN(people.file, ledger.MapState(*record, check));
  PENTIMENTO_ASSIGN(people.hashes, people.file->Elements<IdentityHash>());
  return people;
}

IncrementalView IncrementalMemory::view() const {
  IncrementalView view{columns_, {}};
  for (const IncrementalSegment& segment : segments_) view.segments.push_back(segment.view());
  return view;
}

std::vector<NamedMember> IncrementalMemory::NamedMembers() const {
  std::vector<NamedMember> named;
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    const std::span<const CaseNumber> members = segments_[s].identified();
    for (std::size_t i = 0; i < members.size(); ++i) named.push_back({people_[s].hashes[i], members[i]});
  }
  return named;
}

std::vector<NamedMember> IncrementalMemory::LatestMembers() const {
  std::vector<NamedMember> named = NamedMembers();
  ParallelSort(named.begin(), named.end(), [](const NamedMember& a, const NamedMember& b) {
    return a.identity != b.identity ? a.identity < b.identity : a.member > b.member;
  });
  const auto repeated = std::ranges::unique(named, {}, &NamedMember::identity);
  named.erase(repeated.begin(), repeated.end());
  return named;
}

bool IncrementalMemory::HasLeft(CaseNumber member) const {
  return std::ranges::any_of(segments_, [&](const IncrementalSegment& segment) {
    return std::ranges::binary_search(segment.view().withdrawn, member);
  });
}

Status IncrementalMemory::RequireIntactIdentities() const {
  if (check_ == StateCheck::kPayload) return {};  // all of it was looked at
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    if (people_[s].file && !people_[s].file->IsIntact()) return Damaged(people_[s].path, "its identities are damaged");
    if (!segments_[s].IdentifiedAreIntact()) return Damaged(files_[s], "its list of who is who is damaged");
  }
  return {};
}

std::optional<CaseNumber> IncrementalMemory::FindMember(const IdentityHash& identity) const {
  // The newest first: who left and came back has several.
  for (std::size_t s = segments_.size(); s-- > 0;) {
    const std::span<const IdentityHash> hashes = people_[s].hashes;
    const auto found = std::ranges::lower_bound(hashes, identity);
    if (found == hashes.end() || *found != identity) continue;
    const CaseNumber member = segments_[s].identified()[static_cast<std::size_t>(found - hashes.begin())];
    return HasLeft(member) ? std::nullopt : std::optional(member);
  }
  return std::nullopt;
}

Status IncrementalMemory::RequireIntactRecords(std::span<const LeafPart> parts) const {
  if (check_ == StateCheck::kPayload) return {};
  for (const LeafPart& part : parts) {
    if (!segments_[part.segment].RecordsAreIntact(part.entry))
      return Damaged(files_[part.segment], "its records are damaged");
  }
  return {};
}

Result<std::vector<KeptRows>> IncrementalMemory::MapRows(StateCheck check) const {
  std::vector<KeptRows> kept;
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    KeptRows& of_release = kept.emplace_back();
    of_release.rows = segments_[s].view().new_members;
    if (!rows_[s]) continue;
    PENTIMENTO_ASSIGN(MappedStateFile file, ledger_->MapState(*rows_[s], check));
    of_release.file.emplace(std::move(file));
  }
  return kept;
}

}  // namespace pentimento
