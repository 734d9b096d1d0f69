#include "engine/steps/people_on_record.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/steps/shown_columns.h"
#include "fmt/core.h"
#include "ledger/budgets.h"
#include "ledger/identities.h"
#include "ledger/printable.h"

namespace pentimento {
namespace {

// A release that must not have the people of this one.
struct Rival {
  std::string name;
  std::string where;  // "the release 'q1' is out in two tables"
  bool is_two_tables = false;
  Clash clash;
  std::string named_by;  // the release whose state names these people; empty: nobody can tell who they are
  std::string why_not;   // then: why not
  std::string id;        // the column that names them
};

std::string IdColumnOf(const Policy& policy) {
  const auto id = std::ranges::find(policy.columns, Role::kId, &ColumnPolicy::role);
  return id == policy.columns.end() ? std::string() : id->name;
}

bool IsAsserted(const BoundPolicy& bound, const std::string& release) {
  return std::ranges::find(bound.policy.other_people, release) != bound.policy.other_people.end();
}

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
Result<std::uint64_t> CountShared(Ledger& ledger, const Rival& earlier, std::span<const IdentityHash> people) {
  PENTIMENTO_ASSIGN(const std::optional<std::uint64_t> shared, CountSharedPeople(ledger, earlier.named_by, people));
  if (shared) return *shared;
  return Error{
      ErrorCode::kCorruptLedger,
      fmt::format("release '{}' has nobody on record, although its policy names people; restore the ledger from "
                  "a backup",
                  earlier.named_by)};
}

// What a release on record shows. A policy of another version: what it shows is not known.
struct OnRecordPolicy {
  ShownColumns shown;
  std::string series;  // under the global guarantee
  std::string id;
};

Result<OnRecordPolicy> ReadPolicyOnRecord(Ledger& ledger, const ReleaseRecord& release) {
  PENTIMENTO_ASSIGN(const std::string text, ledger.PolicyText(release.name));
  const Result<Policy> policy =
      ParsePolicy(text, release.name, release.imported ? PolicyUse::kImport : PolicyUse::kRecord);
  if (!policy.ok()) return OnRecordPolicy{{.is_two_tables = true, .are_known = false}, "", ""};
  return OnRecordPolicy{ColumnsShownBy(*policy), release.imported ? std::string() : GlobalSeriesIn(*policy),
                        IdColumnOf(*policy)};
}

// Those on record. A release of the same series under the global guarantee is covered by its account.
Status AddRivalsOnRecord(const BoundPolicy& bound, const ShownColumns& shown, Ledger& ledger,
                         std::vector<Rival>& rivals) {
  const std::string series = GlobalSeriesIn(bound.policy);
  PENTIMENTO_ASSIGN(const std::vector<ReleaseRecord> releases, ledger.Releases());
  for (const ReleaseRecord& release : releases) {
    if (release.state != ReleaseState::kPublished) continue;
    PENTIMENTO_ASSIGN(const OnRecordPolicy before, ReadPolicyOnRecord(ledger, release));
    const std::optional<Clash> clash = FindClash(shown, before.shown);
    if (!clash || (!series.empty() && series == before.series)) continue;
    Rival rival{release.name,
                fmt::format("the release '{}' is out", release.name),
                before.shown.is_two_tables,
                *clash,
                "",
                "its policy names no id column",
                before.id};
    if (release.imported) {
      rival.where = fmt::format("the release '{}' is on record as imported", release.name);
      rival.why_not = "it names nobody";
    } else {
      PENTIMENTO_ASSIGN(rival.named_by, NamedBy(ledger, releases, release.name, before.series));
    }
    rivals.push_back(std::move(rival));
  }
  return {};
}

// The releases that must not have the people of this one, by what they show.
Result<std::vector<Rival>> FindRivals(const BoundPolicy& bound, Ledger* ledger,
                                      std::span<const UnrecordedRelease> unrecorded) {
  std::vector<Rival> rivals;
  const ShownColumns shown = ColumnsShownBy(bound.policy);
  if (ledger != nullptr) PENTIMENTO_RETURN_IF_ERROR(AddRivalsOnRecord(bound, shown, *ledger, rivals));
  for (const UnrecordedRelease& release : unrecorded) {
    const std::optional<Clash> clash = FindClash(shown, ColumnsShownBy(release.head));
    if (!clash) continue;
    rivals.push_back({Printable(release.head.release),
                      fmt::format("the release in {} is out", Printable(release.folder.string())),
                      release.head.has_two_tables, *clash, "", "the ledger does not know it", ""});
  }
  return rivals;
}

std::string Why(const BoundPolicy& bound, const Rival& rival) {
  std::string why = "two tables cover one release of a person, because ";
  why += bound.policy.form == PublishForm::kTwoTables && rival.is_two_tables
             ? "whoever holds a second one can combine the classes that the person is in"
             : "a table with the same people's cells can be put beside them";
  if (rival.clash.column.empty()) return why;
  return why + fmt::format(", and both show '{}'", Printable(rival.clash.column));
}

std::string WhatHelps(const BoundPolicy& bound, const Rival& rival) {
  if (!rival.named_by.empty() && !bound.counts_persons) return "Name the id column, so that this can be told";
  std::string help = fmt::format("If it is about other people, say so: other_people = [\"{}\"]", rival.name);
  if (!rival.clash.column.empty()) help += fmt::format(". Otherwise leave out '{}'", Printable(rival.clash.column));
  return help;
}

Error CannotBeTold(const BoundPolicy& bound, const Rival& rival, std::string_view why_not) {
  return {ErrorCode::kRefused,
          fmt::format("{}{}, and {}, so nobody can tell whether the same people are in both; {}. {}. Nothing was "
                      "published.",
                      rival.where, rival.is_two_tables ? " in two tables" : "", why_not, Why(bound, rival),
                      WhatHelps(bound, rival))};
}

}  // namespace

Status RequireTellable(const BoundPolicy& bound, Ledger* ledger, std::span<const UnrecordedRelease> unrecorded) {
  PENTIMENTO_ASSIGN(const std::vector<Rival> rivals, FindRivals(bound, ledger, unrecorded));
  for (const Rival& rival : rivals) {
    if ((!rival.named_by.empty() && bound.counts_persons) || IsAsserted(bound, rival.name)) continue;
    return CannotBeTold(bound, rival, rival.named_by.empty() ? rival.why_not : "this policy names no id column");
  }
  return {};
}

Status RequireOtherPeople(const BoundPolicy& bound, std::span<const IdentityHash> people, Ledger* ledger) {
  PENTIMENTO_ASSIGN(const std::vector<Rival> rivals, FindRivals(bound, ledger, {}));
  for (const Rival& rival : rivals) {
    if (rival.named_by.empty() || !bound.counts_persons) continue;  // refused already, or asserted
    PENTIMENTO_ASSIGN(const std::uint64_t common, CountShared(*ledger, rival, people));
    if (common == 0) {
      if (rival.id == IdColumnOf(bound.policy) || rival.id.empty() || IsAsserted(bound, rival.name)) continue;
      return CannotBeTold(bound, rival, fmt::format("its id column is another one, '{}'", Printable(rival.id)));
    }
    return Error{
        ErrorCode::kRefused,
        fmt::format("{} of these people {} also in the {} '{}'; {}. Leave them out, or publish "
                    "them again and again in one series under global-guarantee, from the first release on. Nothing was "
                    "published.",
                    common, common == 1 ? "is" : "are", rival.is_two_tables ? "two tables of the release" : "release",
                    rival.name, Why(bound, rival))};
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
