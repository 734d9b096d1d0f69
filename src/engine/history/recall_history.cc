#include "engine/history/recall_history.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "engine/audit/recall_by_content.h"
#include "engine/bind/guarantee_words.h"
#include "engine/composition/promise_on_record.h"
#include "guarantee/history/joint_classes.h"

namespace pentimento {
namespace {

// Only what the guarantee is about stays. Whoever names the latest release of a growing series names the series.
void KeepOver(const std::vector<std::string>& over, RecalledReleases& earlier) {
  if (over.empty()) return;
  const auto is_named = [&](const std::string& name) { return std::ranges::find(over, name) != over.end(); };
  std::vector<RecalledRelease> about;
  std::vector<CommonRelease> releases;
  for (std::size_t i = 0; i < earlier.about.size(); ++i) {
    const std::string& latest = earlier.about[i].latest;
    if (!is_named(latest.empty() ? earlier.about[i].name : latest)) continue;
    about.push_back(std::move(earlier.about[i]));
    releases.push_back(std::move(earlier.common.releases[i]));
  }
  earlier.about = std::move(about);
  earlier.common.releases = std::move(releases);
  std::erase_if(earlier.unknown, [&](const UnknownRelease& release) { return !is_named(release.name); });
}

// A release that the policy names and that nobody of this table is in tells nothing of them, and is there all the same.
Status AddDisjoint(const ReleaseRun& run, Ledger* ledger, const HistoryPolicy& asked, RecalledReleases& earlier) {
  std::vector<ReleaseRecord> records;
  if (ledger != nullptr) {
    PENTIMENTO_ASSIGN(records, ledger->Releases());
  }
  for (const std::string& name : asked.over) {
    const auto is_named = [&](const auto& release) { return release.name == name; };
    const bool is_told = std::ranges::any_of(
        earlier.about, [&](const RecalledRelease& release) { return release.latest.empty() && release.name == name; });
    if (is_told || std::ranges::any_of(earlier.unknown, is_named)) continue;
    const auto record = std::ranges::find_if(records, is_named);
    if (record == records.end() || record->state != ReleaseState::kPublished)
      return PolicyError(run.bound.policy, asked.position,
                         fmt::format("'over' names the release '{}', and there is none of this name on record", name));
    // One that is not here may speak of people who are: of a growing series only the latest is.
    if (ReadPromise(name, record->parameters_json).is_of_series)
      return PolicyError(
          run.bound.policy, asked.position,
          fmt::format("'over' names '{}', a release of a series: nobody of this table is in it, or a later one speaks "
                      "for it; name the latest release of the series, or leave it out",
                      name));
    earlier.common.releases.push_back(
        {name, std::vector<ClassNumber>(earlier.common.people, kNotInRelease), std::vector<std::uint32_t>()});
  }
  return {};
}

// Where only crowds count, newcomers of a growing series stay in the classes that cover them.
std::vector<std::uint32_t> ReleasesOfAtoms(const RecalledReleases& earlier, const HistoryPolicy& asked) {
  std::vector<std::uint32_t> places = AllReleases(earlier.common);
  if (asked.membership_is_known || asked.alpha) return places;
  const auto is_earlier = [&](std::uint32_t place) {
    return place < earlier.about.size() && !earlier.about[place].latest.empty();
  };
  std::erase_if(places, is_earlier);
  return places;
}

void NumberAtoms(const HistoryPolicy& asked, RecalledHistory& history) {
  const JointClasses joint = FindJointClasses(history.earlier.common, ReleasesOfAtoms(history.earlier, asked));
  const auto newcomers = static_cast<std::uint32_t>(joint.people.size());
  history.atoms = newcomers + 1;
  for (const std::uint32_t person : history.person_of_row)
    history.atom_of_row.push_back(std::min(joint.of_person[person], newcomers));
}

// What a release outside of a series would tell, and nobody charge for.
std::vector<std::string> FindAccounted(const Policy& policy, const RecalledReleases& earlier) {
  std::vector<std::string> accounted;
  for (const RecalledRelease& release : earlier.about) {
    for (const std::string& column : ReadPromise(release.name, release.parameters_json).accounted) {
      const auto shown = std::ranges::find(policy.columns, column, &ColumnPolicy::name);
      const bool is_shown = shown != policy.columns.end() && shown->role != Role::kId;
      if (is_shown && std::ranges::find(accounted, column) == accounted.end()) accounted.push_back(column);
    }
  }
  return accounted;
}

// Values that no earlier release has get codes of their own.
CodeColumn InCodesOf(RecalledReleases& earlier, const ValueColumn& column, const IdentityHasher& hasher) {
  const std::vector<Code> common = CommonCodes(column.name, HashValues(column, hasher), earlier);
  const auto highest = common.empty() ? Code{0} : *std::ranges::max_element(common);
  CodeColumn translated(std::uint64_t{highest} + 1, column.codes.size());
  for (std::size_t row = 0; row < column.codes.size(); ++row) translated.Set(row, common[column.codes[row]]);
  return translated;
}

}  // namespace

HistoryEvidence RecalledHistory::evidence() const {
  return {earlier.common, person_of_row, untold, sensitive_codes, sensitive_names, accounted};
}

CodeColumn PartsOfHistory(const RecalledHistory& history, std::uint64_t k) {
  std::vector<std::uint64_t> people(history.atoms);
  std::vector<bool> is_counted(history.earlier.common.people);
  for (std::size_t row = 0; row < history.atom_of_row.size(); ++row) {
    if (is_counted[history.person_of_row[row]]) continue;
    is_counted[history.person_of_row[row]] = true;
    ++people[history.atom_of_row[row]];
  }
  std::vector<std::uint32_t> order(history.atoms), part_of_atom(history.atoms);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t atom) { return people[atom]; });
  std::uint32_t parts = 0;
  std::uint64_t in_part = 0;
  for (const std::uint32_t atom : order) {
    part_of_atom[atom] = parts;
    in_part += people[atom];
    if (in_part < k) continue;
    ++parts;
    in_part = 0;
  }
  // Fewer than k people in all of the last ones: they join the part before.
  if (in_part > 0 && parts > 0) std::ranges::replace(part_of_atom, parts, parts - 1);
  CodeColumn of_row(std::uint64_t{parts} + 1, history.atom_of_row.size());
  for (std::size_t row = 0; row < of_row.size(); ++row) of_row.Set(row, part_of_atom[history.atom_of_row[row]]);
  return of_row;
}

Result<std::optional<RecalledHistory>> RecallHistory(ReleaseRun& run, const EncodedInput& input,
                                                     const SharedPeople& people) {
  const HistoryPolicy* asked = FindGuarantee<HistoryPolicy>(run.bound.policy.guarantees);
  if (asked == nullptr) return std::optional<RecalledHistory>();
  if (!run.bound.counts_persons) {
    return PolicyError(run.bound.policy, asked->position,
                       "history compares the people of this release with those on record, and the policy names no id "
                       "column; name it: role = \"id\"");
  }
  RecalledHistory history;
  PeopleOfRelease asked_people{{}, true};
  if (people) asked_people.people = *people;
  PENTIMENTO_ASSIGN(history.earlier, RecallEarlierReleases(run.memory.ledger(), run.bound.policy, asked_people, {}));
  if (run.memory.ledger() != nullptr && people)
    PENTIMENTO_RETURN_IF_ERROR(RecallByContent(*run.memory.ledger(), run.bound, input, history.earlier));
  history.accounted = FindAccounted(run.bound.policy, history.earlier);
  std::ranges::move(UnknownFolders(run.memory.unrecorded()), std::back_inserter(history.earlier.unknown));
  KeepOver(asked->over, history.earlier);
  for (const UnknownRelease& release : history.earlier.unknown) history.untold.push_back(release.name);
  history.person_of_row = input.table.persons ? input.table.persons->person_of_row : input.person_of_row;
  if (!people)
    history.earlier.common.people =
        input.table.persons ? input.table.persons->count : static_cast<std::uint32_t>(input.table.rows);
  PENTIMENTO_RETURN_IF_ERROR(AddDisjoint(run, run.memory.ledger(), *asked, history.earlier));
  NumberAtoms(*asked, history);
  if (asked->alpha) {
    const IdentityHasher hasher = run.memory.identity_hasher();
    for (const ValueColumn* column : SensitiveColumnsOf(run.bound, input)) {
      history.sensitive.push_back(InCodesOf(history.earlier, *column, hasher));
      history.sensitive_names.push_back(column->name);
    }
    for (const CodeColumn& column : history.sensitive) history.sensitive_codes.push_back(&column);
  }
  return std::optional(std::move(history));
}

}  // namespace pentimento
