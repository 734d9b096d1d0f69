#include "engine/history/recall_history.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "engine/bind/guarantee_words.h"
#include "guarantee/history/joint_classes.h"

namespace pentimento {
namespace {

// Only what the guarantee is about stays.
void KeepOver(const std::vector<std::string>& over, RecalledReleases& earlier) {
  if (over.empty()) return;
  const auto is_named = [&](const std::string& name) { return std::ranges::find(over, name) != over.end(); };
  std::erase_if(earlier.common.releases, [&](const CommonRelease& release) { return !is_named(release.name); });
  std::erase_if(earlier.about, [&](const RecalledRelease& release) { return !is_named(release.name); });
  std::erase_if(earlier.unknown, [&](const UnknownRelease& release) { return !is_named(release.name); });
}

void NumberAtoms(RecalledHistory& history) {
  const JointClasses joint = FindJointClasses(history.earlier.common, AllReleases(history.earlier.common));
  const auto newcomers = static_cast<std::uint32_t>(joint.people.size());
  history.atoms = newcomers + 1;
  for (const std::uint32_t person : history.person_of_row)
    history.atom_of_row.push_back(std::min(joint.of_person[person], newcomers));
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
  std::ranges::move(UnknownFolders(run.memory.unrecorded()), std::back_inserter(history.earlier.unknown));
  KeepOver(asked->over, history.earlier);
  for (const UnknownRelease& release : history.earlier.unknown) history.untold.push_back(release.name);
  history.person_of_row = input.table.persons ? input.table.persons->person_of_row : input.person_of_row;
  if (!people)
    history.earlier.common.people =
        input.table.persons ? input.table.persons->count : static_cast<std::uint32_t>(input.table.rows);
  NumberAtoms(history);
  if (asked->alpha) {
    const IdentityHasher hasher = run.memory.identity_hasher();
    for (const ValueColumn* column : SensitiveColumnsOf(run.bound, input)) {
      history.sensitive.push_back(InCodesOf(history.earlier, *column, hasher));
      history.sensitive_names.push_back(column->name);
    }
  }
  return std::optional(std::move(history));
}

}  // namespace pentimento
