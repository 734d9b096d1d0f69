#include "engine/steps/people_on_record.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fmt/core.h"
#include "ledger/budgets.h"
#include "ledger/identities.h"

namespace pentimento {
namespace {

// What a release gives away of a person's row, besides coarser quasi-identifiers.
struct Shape {
  bool is_two_tables = false;
  bool has_cells = false;  // as they were collected: sensitive, class or keep
};

Shape ShapeOf(const Policy& policy) {
  const auto is_cell = [](const ColumnPolicy& column) {
    return column.role == Role::kSensitive || column.role == Role::kClass || column.role == Role::kKeep;
  };
  return {policy.form == PublishForm::kTwoTables, std::ranges::any_of(policy.columns, is_cell)};
}

// In two tables quasi-identifiers are plain, and classes are others than those of another release: both together
// say what neither does. Cells that both have are a key to join them by.
bool MustNotMeet(const Shape& one, const Shape& other) {
  return (one.is_two_tables && (other.is_two_tables || other.has_cells)) || (other.is_two_tables && one.has_cells);
}

struct Earlier {
  ReleaseRecord release;
  bool is_two_tables = false;
  std::string named_by;  // the release whose state names these people; empty: nobody can tell, its policy has no id
};

std::string GlobalSeriesIn(const Policy& policy) {
  for (const GuaranteePolicy& guarantee : policy.guarantees) {
    if (const auto* global = std::get_if<GlobalGuaranteePolicy>(&guarantee)) return global->series;
  }
  return "";
}

Result<bool> HasIdentities(Ledger& ledger, const std::string& release) {
  PENTIMENTO_ASSIGN(const std::vector<StateFileRecord> files, ledger.StateFiles(release));
  return std::ranges::find(files, StateKind::kIdentities, &StateFileRecord::kind) != files.end();
}

// Under the global guarantee the latest release of a series names everybody in it.
Result<std::string> NamedBy(Ledger& ledger, const std::vector<ReleaseRecord>& releases, const std::string& release,
                            const std::string& series) {
  if (series.empty()) {
    PENTIMENTO_ASSIGN(const bool names_people, HasIdentities(ledger, release));
    return names_people ? release : std::string();
  }
  const auto latest = std::ranges::find_if(releases.rbegin(), releases.rend(),
                                           [&](const ReleaseRecord& r) { return GlobalSeriesOf(r) == series; });
  return latest == releases.rend() ? std::string() : latest->name;
}

// How many of these people are in an earlier release that names its people.
Result<std::uint64_t> CountShared(Ledger& ledger, const Earlier& earlier, std::span<const IdentityHash> people) {
  PENTIMENTO_ASSIGN(const std::optional<std::uint64_t> shared, CountSharedPeople(ledger, earlier.named_by, people));
  if (shared) return *shared;
  return Error{
      ErrorCode::kCorruptLedger,
      fmt::format("release '{}' has nobody on record, although its policy names people; restore the ledger from "
                  "a backup",
                  earlier.named_by)};
}

// The releases on record that must not have the people of this one. What another tool made is not known well enough; a
// release of the same series under the global guarantee is covered by its account.
Result<std::vector<Earlier>> FindRivals(const BoundPolicy& bound, Ledger* ledger) {
  std::vector<Earlier> rivals;
  const Shape shape = ShapeOf(bound.policy);
  const std::string series = GlobalSeriesIn(bound.policy);
  if (ledger == nullptr || (!shape.is_two_tables && !shape.has_cells)) return rivals;
  PENTIMENTO_ASSIGN(const std::vector<ReleaseRecord> releases, ledger->Releases());
  for (const ReleaseRecord& release : releases) {
    if (release.state != ReleaseState::kPublished || release.imported) continue;
    PENTIMENTO_ASSIGN(const std::string text, ledger->PolicyText(release.name));
    const Result<Policy> policy = ParsePolicy(text, release.name, PolicyUse::kRecord);
    // A policy of another version: what it gave away is not known, so it counts as giving away everything.
    const Shape before = policy.ok() ? ShapeOf(*policy) : Shape{true, true};
    const std::string series_before = policy.ok() ? GlobalSeriesIn(*policy) : "";
    if (!MustNotMeet(shape, before) || (!series.empty() && series == series_before)) continue;
    PENTIMENTO_ASSIGN(std::string named_by, NamedBy(*ledger, releases, release.name, series_before));
    rivals.push_back({release, before.is_two_tables, std::move(named_by)});
  }
  return rivals;
}

std::string Why(const BoundPolicy& bound, const Earlier& rival) {
  if (bound.policy.form == PublishForm::kTwoTables && rival.is_two_tables)
    return "two tables cover one release of a person, because whoever holds a second one can combine the classes that "
           "the person is in";
  return "two tables cover one release of a person, because a table with the same people's cells can be put beside "
         "them";
}

const char* WhatHelps(const BoundPolicy& bound, const Earlier& rival) {
  if (!rival.named_by.empty()) return "Name the id column, so that this can be told";
  return bound.policy.form == PublishForm::kTwoTables
             ? "Publish one table instead, form = \"generalized\""
             : "Leave out the columns that are published as they are: sensitive, class and keep";
}

}  // namespace

Status RequireTellable(const BoundPolicy& bound, Ledger* ledger) {
  PENTIMENTO_ASSIGN(const std::vector<Earlier> rivals, FindRivals(bound, ledger));
  for (const Earlier& rival : rivals) {
    if (!rival.named_by.empty() && bound.counts_persons) continue;
    return Error{
        ErrorCode::kRefused,
        fmt::format("the release '{}' is out{}, and {} names no id column, so nobody can tell whether the same people "
                    "are in both; {}. {}. Nothing was published.",
                    rival.release.name, rival.is_two_tables ? " in two tables" : "",
                    !rival.named_by.empty() ? "this policy" : "its policy", Why(bound, rival),
                    WhatHelps(bound, rival))};
  }
  return {};
}

Status RequireOtherPeople(const BoundPolicy& bound, std::span<const IdentityHash> people, Ledger* ledger) {
  PENTIMENTO_ASSIGN(const std::vector<Earlier> rivals, FindRivals(bound, ledger));
  for (const Earlier& rival : rivals) {
    if (rival.named_by.empty()) continue;  // refused already
    PENTIMENTO_ASSIGN(const std::uint64_t common, CountShared(*ledger, rival, people));
    if (common == 0) continue;
    return Error{
        ErrorCode::kRefused,
        fmt::format("{} of these people {} also in the {} '{}'; {}. Leave them out, or publish "
                    "them again and again in one series under global-guarantee, from the first release on. Nothing was "
                    "published.",
                    common, common == 1 ? "is" : "are", rival.is_two_tables ? "two tables of the release" : "release",
                    rival.release.name, Why(bound, rival))};
  }
  return {};
}

std::string GlobalSeriesOf(const ReleaseRecord& release) {
  if (release.state != ReleaseState::kPublished || release.imported) return "";
  const auto guarantees = nlohmann::json::parse(release.parameters_json, nullptr, /*allow_exceptions=*/false);
  if (!guarantees.is_array()) return "";
  for (const auto& guarantee : guarantees) {
    if (guarantee.is_object() && guarantee.value("type", "") == "global-guarantee")
      return guarantee.value("series", "");
  }
  return "";
}

Result<std::optional<std::uint64_t>> CountSharedPeople(Ledger& ledger, const std::string& release,
                                                       std::span<const IdentityHash> people) {
  std::optional<std::uint64_t> shared;
  PENTIMENTO_ASSIGN(const std::vector<StateFileRecord> files, ledger.StateFiles(release));
  for (const StateFileRecord& file : files) {
    if (file.kind != StateKind::kIdentities && file.kind != StateKind::kBudgets) continue;
    // All of it: a damaged identity would let somebody in who is to be found.
    PENTIMENTO_ASSIGN(MappedStateFile mapped, ledger.MapState(file, StateCheck::kPayload));
    if (file.kind == StateKind::kIdentities) {
      PENTIMENTO_ASSIGN(const std::span<const IdentityHash> earlier, mapped.Elements<IdentityHash>());
      shared = shared.value_or(0) + CountCommon(people, earlier);
    } else {
      PENTIMENTO_ASSIGN(const Budgets budgets, Budgets::Open(std::move(mapped), file.name));
      shared = shared.value_or(0) + CountCommon(people, budgets.view().people);
    }
  }
  return shared;
}

}  // namespace pentimento
