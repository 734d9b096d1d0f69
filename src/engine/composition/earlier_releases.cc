#include "engine/composition/earlier_releases.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "base/parallel.h"
#include "engine/incremental/incremental_memory.h"
#include "engine/incremental/series_classes.h"
#include "engine/steps/people_on_record.h"
#include "ledger/budgets.h"
#include "ledger/identities.h"
#include "ledger/kept_classes.h"
#include "ledger/printable.h"

namespace pentimento {
namespace {

const StateFileRecord* FindKind(const std::vector<StateFileRecord>& files, StateKind kind) {
  const auto found = std::ranges::find(files, kind, &StateFileRecord::kind);
  return found == files.end() ? nullptr : &*found;
}

// One earlier release as it is on record. Views point into the mapped files.
struct OnRecord {
  RecalledRelease about;
  std::optional<MappedStateFile> people_file;
  std::optional<KeptClasses> file;
  OwnClasses own;                     // of a growing series
  std::vector<ClassNumber> covering;  // of an earlier release of one
  std::span<const IdentityHash> people;
  KeptClassesView classes;
};

// Codes of one release become those that all releases share: `common`.
ValueBags TranslateValues(const ClassValuesView& column, std::span<const Code> common) {
  ValueBags bags{column.name, {column.begin.begin(), column.begin.end()}, {}, {}};
  bags.value.resize(column.value.size());
  bags.count.resize(column.count.size());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> entries;
  for (std::size_t c = 0; c + 1 < bags.begin.size(); ++c) {
    entries.clear();
    for (std::uint32_t i = bags.begin[c]; i < bags.begin[c + 1]; ++i)
      entries.emplace_back(common[column.value[i]], column.count[i]);
    if (!std::ranges::is_sorted(entries)) std::ranges::sort(entries);
    for (std::size_t i = 0; i < entries.size(); ++i)
      std::tie(bags.value[bags.begin[c] + i], bags.count[bags.begin[c] + i]) = entries[i];
  }
  return bags;
}

class Recall {
 public:
  Recall(Ledger& ledger, const Policy& policy, const PeopleOfRelease& people, const std::set<std::string>& own,
         const std::set<std::string>* named = nullptr)
      : ledger_(ledger),
        policy_(policy),
        people_(people),
        own_(own),
        named_(named),
        own_checksum_(Checksum(std::as_bytes(people.people))) {}

  Result<RecalledReleases> Run() {
    PENTIMENTO_ASSIGN(releases_, ledger_.Releases());
    for (auto release = releases_.rbegin(); release != releases_.rend(); ++release) {
      if (release->state != ReleaseState::kPublished || own_.contains(release->name)) continue;
      if (std::ranges::find(policy_.other_people, release->name) != policy_.other_people.end()) continue;
      if (named_ != nullptr && !named_->contains(release->name)) {
        later_.insert(GrowingSeriesOf(*release));
        continue;
      }
      PENTIMENTO_RETURN_IF_ERROR(Visit(*release));
    }
    std::ranges::reverse(found_);
    std::ranges::reverse(result_.unknown);
    Put();
    return std::move(result_);
  }

 private:
  void AddUnknown(const ReleaseRecord& release, std::string why, std::optional<std::uint64_t> shared = std::nullopt) {
    if (shared && *shared == 0) return;
    result_.unknown.push_back({release.name, std::move(why), shared});
  }

  Status Visit(const ReleaseRecord& release) {
    if (release.imported) {
      AddUnknown(release, "another tool made it, and nobody can tell who is in it");
      return {};
    }
    if (!people_.are_named) {
      AddUnknown(release, "this policy names no id column");
      return {};
    }
    if (const std::string series = GrowingSeriesOf(release); !series.empty()) {
      if (later_.contains(series)) {
        AddUnknown(release,
                   "a later release of its series is on record, whose classes are those that the ledger keeps");
        return {};
      }
      return seen_series_.insert(series).second ? VisitSeries(release, series) : Status();
    }
    return VisitAlone(release);
  }

  // Visits a growing series by its latest release, and keeps what else it has.
  Status VisitSeries(const ReleaseRecord& release, const std::string& series) {
    PENTIMENTO_ASSIGN(const IncrementalMemory memory,
                      IncrementalMemory::Open(&ledger_, series, /*columns=*/0, StateCheck::kPayload));
    std::vector<NamedMember> named = memory.NamedMembers();
    if (named.empty() && memory.view().member_count() > 0) {
      AddUnknown(release, "its policy names no id column");
      return {};
    }
    OnRecord found;
    found.own = ClassesOfSeries(memory.view(), named);
    found.about.uncounted = SensitiveNamesOf(memory.abouts().back());
    const SharedPeople people = found.own.people;
    KeepOfSeries(release, series, std::move(found), people);
    if (named_ != nullptr) return {};
    std::vector<EarlierClasses> earlier = EarlierClassesOfSeries(memory.view(), std::move(named));
    while (!earlier.empty()) {  // the latest is the first that was found
      OnRecord before;
      before.about.latest = release.name;
      before.own.class_of = std::move(earlier.back().class_of);
      before.own.rows = std::move(earlier.back().rows);
      before.covering = std::move(earlier.back().covering);
      const std::string& name = memory.abouts()[earlier.back().release].release;
      const auto record = std::ranges::find(releases_, name, &ReleaseRecord::name);
      if (record != releases_.end()) KeepOfSeries(*record, series, std::move(before), people);
      earlier.pop_back();
    }
    return {};
  }

  void KeepOfSeries(const ReleaseRecord& release, const std::string& series, OnRecord found,
                    const SharedPeople& people) {
    found.own.people = people;
    found.people = *people;
    found.classes = {{}, found.own.class_of, found.own.rows, {}};
    Keep(release, series, std::move(found));
  }

  Status VisitAlone(const ReleaseRecord& release) {
    PENTIMENTO_ASSIGN(const std::vector<StateFileRecord> files, ledger_.StateFiles(release.name));
    const StateFileRecord* identities = FindKind(files, StateKind::kIdentities);
    const StateFileRecord* classes = FindKind(files, StateKind::kClasses);
    OnRecord found;
    if (classes != nullptr) {
      PENTIMENTO_ASSIGN(MappedStateFile mapped, ledger_.MapState(*classes, StateCheck::kPayload));
      PENTIMENTO_ASSIGN(KeptClasses opened, KeptClasses::Open(std::move(mapped), classes->name));
      found.classes = opened.view();
      found.people = found.classes.people;
      found.file.emplace(std::move(opened));
    }
    if (identities != nullptr && identities->checksum == own_checksum_ &&
        found.classes.class_of.size() == people_.people.size()) {
      found.people = people_.people;  // the same list: nothing new is in the file
    } else if (identities != nullptr) {
      PENTIMENTO_ASSIGN(found.people_file, ledger_.MapState(*identities, StateCheck::kPayload));
      PENTIMENTO_ASSIGN(found.people, found.people_file->Elements<IdentityHash>());
    }
    if (classes == nullptr) return VisitOlder(release, found.people);
    if (found.people.size() != found.classes.class_of.size()) {
      return Error{ErrorCode::kCorruptLedger,
                   fmt::format("release '{}' has classes for {} people on record, and {} people. Restore the ledger "
                               "from a backup.",
                               release.name, found.classes.class_of.size(), found.people.size())};
    }
    Keep(release, "", std::move(found));
    return {};
  }

  // What a program that kept no classes put on record: at most who was in it, of a series under the global guarantee
  // with its latest release.
  Status VisitOlder(const ReleaseRecord& release, std::span<const IdentityHash> people) {
    const char* const why = "it was published by an earlier version, which kept no classes";
    if (!people.empty()) {
      AddUnknown(release, why, CountCommon(people_.people, people));
      return {};
    }
    if (GlobalSeriesOf(release).empty()) {
      AddUnknown(release, "its policy names no id column");
      return {};
    }
    PENTIMENTO_ASSIGN(const std::optional<std::uint64_t> shared,
                      CountSharedPeople(ledger_, release.name, people_.people));
    if (shared) AddUnknown(release, why, shared);
    return {};
  }

  void Keep(const ReleaseRecord& release, const std::string& series, OnRecord found) {
    found.about = {.name = release.name,
                   .series = series,
                   .latest = std::move(found.about.latest),
                   .uncounted = std::move(found.about.uncounted),
                   .parameters_json = release.parameters_json,
                   .shared = CountShared(found)};
    if (found.about.shared > 0 || named_ != nullptr) found_.push_back(std::make_unique<OnRecord>(std::move(found)));
  }

  // Of an earlier release of a series also those count who came later: they are covered by its boxes.
  std::uint64_t CountShared(const OnRecord& found) const {
    return HasTheSamePeople(found.people) ? found.people.size() : CountCommon(people_.people, found.people);
  }

  bool HasTheSamePeople(std::span<const IdentityHash> people) const { return people.data() == people_.people.data(); }

  // The numbering: the people of the new release as they are, then whoever else is in an earlier one.
  std::vector<IdentityHash> Strangers() const {
    std::vector<IdentityHash> strangers;
    for (const auto& found : found_) {
      if (found->about.shared == found->people.size()) continue;
      std::vector<IdentityHash> new_ones, both;
      std::ranges::set_difference(found->people, people_.people, std::back_inserter(new_ones));
      std::ranges::set_union(strangers, new_ones, std::back_inserter(both));
      strangers = std::move(both);
    }
    return strangers;
  }

  void Put() {
    const std::vector<IdentityHash> strangers = Strangers();
    result_.common.people = static_cast<std::uint32_t>(people_.people.size() + strangers.size());
    std::vector<std::vector<std::vector<Code>>> codes;  // by release and column
    for (const auto& found : found_) {
      auto& of_release = codes.emplace_back();
      for (const ClassValuesView& column : found->classes.columns)
        of_release.push_back(CommonCodes(column.name, column.dictionary, result_));
      result_.about.push_back(found->about);
    }
    result_.common.releases.resize(found_.size());
    ParallelFor(found_.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        result_.common.releases[i] = CommonReleaseOf(*found_[i], codes[i], strangers);
    });
  }

  CommonRelease CommonReleaseOf(const OnRecord& found, std::span<const std::vector<Code>> codes,
                                std::span<const IdentityHash> strangers) const {
    CommonRelease release{
        .name = found.about.name, .class_of = {}, .rows = {found.classes.rows.begin(), found.classes.rows.end()}};
    if (HasTheSamePeople(found.people)) {
      release.class_of.assign(found.classes.class_of.begin(), found.classes.class_of.end());
      release.class_of.resize(result_.common.people, kNotInRelease);
    } else {
      release.class_of = SpreadOut(found, found.classes.class_of, strangers, kNotInRelease);
      if (!found.covering.empty()) release.covering = SpreadOut(found, found.covering, strangers, kNobodyKnows);
    }
    for (std::size_t c = 0; c < codes.size(); ++c)
      release.values.push_back(TranslateValues(found.classes.columns[c], codes[c]));
    return release;
  }

  // By everybody's number what `of_people` says of the people of a release.
  std::vector<ClassNumber> SpreadOut(const OnRecord& found, std::span<const ClassNumber> of_people,
                                     std::span<const IdentityHash> strangers, ClassNumber of_others) const {
    std::vector<ClassNumber> spread(result_.common.people, of_others);
    PutClasses(found.people, of_people, people_.people, 0, spread);
    if (found.about.shared < found.people.size())
      PutClasses(found.people, of_people, strangers, people_.people.size(), spread);
    return spread;
  }

  // Both runs of people ascend.
  static void PutClasses(std::span<const IdentityHash> people, std::span<const ClassNumber> of_people,
                         std::span<const IdentityHash> numbered, std::size_t first, std::vector<ClassNumber>& spread) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < people.size() && at < numbered.size(); ++i) {
      while (at < numbered.size() && numbered[at] < people[i]) ++at;
      if (at < numbered.size() && numbered[at] == people[i]) spread[first + at++] = of_people[i];
    }
  }

 private:
  Ledger& ledger_;
  const Policy& policy_;
  const PeopleOfRelease& people_;
  const std::set<std::string>& own_;
  const std::set<std::string>* named_;  // null: all that are about these people
  std::uint64_t own_checksum_;          // of a state file with these people
  std::vector<ReleaseRecord> releases_;
  std::set<std::string> later_;  // growing series with a later release that is not named
  std::set<std::string> seen_series_;
  std::vector<std::unique_ptr<OnRecord>> found_;  // each stays where it is: views point into it
  RecalledReleases result_;
};

}  // namespace

std::vector<UnknownRelease> UnknownFolders(std::span<const UnrecordedRelease> unrecorded) {
  std::vector<UnknownRelease> unknown;
  for (const UnrecordedRelease& release : unrecorded) {
    unknown.push_back({Printable(release.head.release),
                       fmt::format("{} is a release that the ledger does not know. If the ledger was restored, use a "
                                   "newer backup",
                                   Printable(release.folder.string())),
                       std::nullopt});
  }
  return unknown;
}

std::vector<Code> CommonCodes(const std::string& column, std::span<const IdentityHash> dictionary,
                              RecalledReleases& earlier) {
  const auto place = std::ranges::find(earlier.columns, column);
  const auto number = static_cast<std::size_t>(place - earlier.columns.begin());
  if (place == earlier.columns.end()) {
    earlier.columns.push_back(column);
    earlier.dictionaries.emplace_back();
  }
  std::vector<IdentityHash>& known = earlier.dictionaries[number];
  std::map<IdentityHash, Code> code_of;
  for (std::size_t code = 0; code < known.size(); ++code) code_of[known[code]] = static_cast<Code>(code);
  std::vector<Code> common;
  for (const IdentityHash& value : dictionary) {
    const auto [found, is_new] = code_of.emplace(value, static_cast<Code>(known.size()));
    if (is_new) known.push_back(value);
    common.push_back(found->second);
  }
  return common;
}

Result<RecalledReleases> RecallEarlierReleases(Ledger* ledger, const Policy& policy, const PeopleOfRelease& people,
                                               const std::set<std::string>& own) {
  RecalledReleases none;
  none.common.people = static_cast<std::uint32_t>(people.people.size());
  if (ledger == nullptr) return none;
  return Recall(*ledger, policy, people, own).Run();
}

Result<RecalledReleases> RecallNamedReleases(Ledger& ledger, const std::set<std::string>& names) {
  const Policy nobodys;
  const PeopleOfRelease nobody{.people = {}, .are_named = true};
  return Recall(ledger, nobodys, nobody, {}, &names).Run();
}

void KeepLatestOfSeries(RecalledReleases& earlier) {
  for (std::size_t i = earlier.about.size(); i-- > 0;) {
    if (earlier.about[i].latest.empty()) continue;
    earlier.about.erase(earlier.about.begin() + static_cast<std::ptrdiff_t>(i));
    earlier.common.releases.erase(earlier.common.releases.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void AddOwnRelease(const std::string& name, const OwnClasses& own, RecalledReleases& earlier) {
  CommonRelease& release = earlier.common.releases.emplace_back();
  release.name = name;
  // Where nobody is named the first release to be told of numbers the people.
  earlier.common.people = std::max(earlier.common.people, static_cast<std::uint32_t>(own.class_of.size()));
  release.class_of.assign(earlier.common.people, kNotInRelease);
  std::ranges::copy(own.class_of, release.class_of.begin());
  release.rows = own.rows;
  for (std::size_t i = 0; i < own.values.size(); ++i) {
    const ValueBags& bags = own.values[i];
    release.values.push_back(TranslateValues({bags.column, own.dictionaries[i], bags.begin, bags.value, bags.count},
                                             CommonCodes(bags.column, own.dictionaries[i], earlier)));
  }
}

}  // namespace pentimento
