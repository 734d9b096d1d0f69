#include "guarantee/history/history.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "guarantee/history/crowds.h"
#include "guarantee/history/joint_classes.h"
#include "guarantee/history/stories.h"

namespace pentimento {
namespace {

// Sets of releases whose crowds are looked at, at most.
constexpr std::size_t kMostDecidingSets = 4096;

std::optional<std::string> FindMalformedBags(const CommonRelease& release, const ValueBags& bags) {
  const bool fits = bags.begin.size() == release.rows.size() + 1 && bags.value.size() == bags.count.size() &&
                    bags.begin.front() == 0 && bags.begin.back() == bags.value.size() &&
                    std::ranges::is_sorted(bags.begin);
  if (!fits)
    return fmt::format("the values of '{}' in '{}' are not one bag for every class", bags.column, release.name);
  for (ClassNumber number = 0; number < release.classes(); ++number) {
    std::uint64_t rows = 0;
    for (const std::uint32_t count : bags.counts_of(number)) rows += count;
    const auto values = bags.values_of(number);
    const bool is_strict = std::ranges::adjacent_find(values, std::greater_equal<>()) == values.end();
    if (rows != release.rows[number] || !is_strict)
      return fmt::format("the values of '{}' in a class of '{}' are not those of its rows", bags.column, release.name);
  }
  return std::nullopt;
}

std::optional<std::string> FindMalformedRelease(const CommonRelease& release, std::uint32_t people) {
  if (release.class_of.size() != people || (!release.covering.empty() && release.covering.size() != people))
    return fmt::format("'{}' has not one class for every person", release.name);
  std::vector<std::uint32_t> members(release.rows.size());
  for (std::uint32_t person = 0; person < people; ++person) {
    const ClassNumber number = release.class_of[person];
    const ClassNumber covering = release.CoveringOf(person);
    if (covering != kNotInRelease && covering != kNobodyKnows && covering >= release.classes())
      return fmt::format("a class of '{}' that covers somebody is not there", release.name);
    if (number == kNotInRelease) continue;
    if (number >= release.classes())
      return fmt::format("somebody is in a class of '{}' that is not there", release.name);
    if (++members[number] > release.rows[number])
      return fmt::format("a class of '{}' has more people than rows", release.name);
  }
  for (const ValueBags& bags : release.values) {
    if (auto fault = FindMalformedBags(release, bags)) return fault;
  }
  return std::nullopt;
}

// Of the whole set: a part of it has no smaller joint classes.
std::optional<HistoryWitness> FindSmallJointClass(const JointClasses& joint, std::span<const std::uint32_t> set,
                                                  std::uint64_t k) {
  if (joint.people.empty()) return std::nullopt;
  const auto smallest = std::ranges::min_element(joint.people);
  if (*smallest >= k) return std::nullopt;
  const auto person = std::ranges::find(joint.of_person, static_cast<std::uint32_t>(smallest - joint.people.begin()));
  return HistoryWitness{HistoryBreach::kSmallJointClass,
                        static_cast<std::uint32_t>(person - joint.of_person.begin()),
                        {set.begin(), set.end()},
                        *smallest,
                        k};
}

// REQUIRES: somebody's joint class is below k. Nobody else's crowd can be.
std::optional<HistoryWitness> FindSmallCrowd(const CommonReleases& common, std::span<const std::uint32_t> set,
                                             std::uint64_t k, const HistoryWitness& small_joint, WorkLimit limit) {
  HistoryWitness undecided = small_joint;
  undecided.breach = HistoryBreach::kTooManyChoices;
  if (set.size() > kMostReleasesInMask) return undecided;
  const Stories stories = TellStoriesOf(common, set);
  std::vector<std::uint32_t> looked_at;
  for (std::uint32_t story = 0; story < stories.count(); ++story) {
    if (stories.joint[story] < k) looked_at.push_back(story);
  }
  const auto deciding = DecidingSets(stories, kMostDecidingSets);
  if (!deciding) return undecided;
  std::optional<HistoryWitness> smallest;
  for (const ReleaseMask mask : *deciding) {
    const ReleaseMask enough = WithoutRefined(stories, mask);
    const auto crowds = FindCrowds(stories, enough, looked_at, limit);
    if (!crowds) return undecided;
    for (std::size_t i = 0; i < looked_at.size(); ++i) {
      if ((stories.present[looked_at[i]] & mask) == 0) continue;
      const std::uint64_t crowd = (*crowds)[i].at_least;
      const std::uint32_t person = stories.person[looked_at[i]];
      if (crowd >= k || (smallest && std::pair(smallest->count, smallest->person) <= std::pair(crowd, person)))
        continue;
      smallest = HistoryWitness{HistoryBreach::kSmallCrowd, person, PlacesOf(set, enough), crowd, k};
    }
  }
  return smallest;
}

bool Shows(const CommonRelease& release, const std::string& column) {
  return std::ranges::any_of(release.values, [&](const ValueBags& bags) { return bags.column == column; });
}

bool HasStrangers(const CommonRelease& release) {
  const auto rows = std::accumulate(release.rows.begin(), release.rows.end(), std::uint64_t{0});
  return rows !=
         release.class_of.size() - static_cast<std::uint64_t>(std::ranges::count(release.class_of, kNotInRelease));
}

// Somebody by whom `fine` does not refine `coarse`, or nothing: each class of `fine` is in one class of `coarse` with
// all of its people, or with none; and nobody is in `coarse` alone.
std::optional<std::uint32_t> FindUnrefined(const CommonRelease& fine, const CommonRelease& coarse) {
  constexpr std::uint32_t kNobody = 0xffffffff;
  std::vector<std::uint32_t> first(fine.classes(), kNobody);
  for (std::uint32_t person = 0; person < fine.class_of.size(); ++person) {
    const ClassNumber number = fine.class_of[person];
    if (number == kNotInRelease) {
      if (coarse.class_of[person] != kNotInRelease) return person;
      continue;
    }
    if (first[number] == kNobody) first[number] = person;
    if (coarse.class_of[first[number]] != coarse.class_of[person]) return person;
  }
  return std::nullopt;
}

// Why the release at `fine` does not tell all that is known of the column, or nothing. Releases of other columns tell
// nothing of this one. A release without any values may show it all the same, in several rows of a person.
std::optional<HistoryWitness> FindNotRefined(const CommonReleases& common, std::span<const std::uint32_t> set,
                                             std::uint32_t fine, const std::string& column) {
  for (const std::uint32_t coarse : set) {
    const CommonRelease& other = common.releases[coarse];
    if (coarse == fine || (!other.values.empty() && !Shows(other, column))) continue;
    std::optional<std::uint32_t> person = FindUnrefined(common.releases[fine], other);
    // Nobody can tell what strangers are in elsewhere.
    if (!person && (HasStrangers(common.releases[fine]) || HasStrangers(other))) person = 0;
    if (person) return HistoryWitness{HistoryBreach::kNotRefined, *person, {fine, coarse}, 0, 0, column};
  }
  return std::nullopt;
}

__extension__ using WideCount = unsigned __int128;

std::optional<HistoryWitness> FindTooFrequent(const CommonReleases& common, std::uint32_t place,
                                              const std::string& column, Ratio alpha) {
  const CommonRelease& release = common.releases[place];
  const auto bags = std::ranges::find(release.values, column, &ValueBags::column);
  for (ClassNumber number = 0; number < release.classes(); ++number) {
    for (const std::uint32_t count : bags->counts_of(number)) {
      // Cross-multiplied: 29 of 100 keep 0.29.
      if (WideCount{count} * alpha.den <= WideCount{alpha.num} * release.rows[number]) continue;
      const auto person = std::ranges::find(release.class_of, number) - release.class_of.begin();
      return HistoryWitness{HistoryBreach::kTooFrequent,
                            static_cast<std::uint32_t>(person),
                            {place},
                            count,
                            release.rows[number],
                            column};
    }
  }
  return std::nullopt;
}

// One release that shows the column must refine all others that may, and keep alpha. Where several do they have the
// same classes; if a value did change in between, each of them must keep alpha.
std::optional<HistoryWitness> FindUnprovenAlpha(const CommonReleases& common, std::span<const std::uint32_t> set,
                                                const std::string& column, Ratio alpha) {
  std::optional<HistoryWitness> fault;
  bool is_refined = false;
  for (const std::uint32_t fine : set) {
    if (!Shows(common.releases[fine], column)) continue;
    if (auto unrefined = FindNotRefined(common, set, fine, column)) {
      fault = std::move(unrefined);
      continue;
    }
    is_refined = true;
    if (auto frequent = FindTooFrequent(common, fine, column, alpha)) return frequent;
  }
  return is_refined ? std::nullopt : fault;
}

std::vector<std::string> ColumnsShown(const CommonReleases& common, std::span<const std::uint32_t> set) {
  std::vector<std::string> columns;
  for (const std::uint32_t r : set) {
    for (const ValueBags& bags : common.releases[r].values) columns.push_back(bags.column);
  }
  std::ranges::sort(columns);
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

}  // namespace

std::optional<std::string> FindMalformedReleases(const CommonReleases& common) {
  for (const CommonRelease& release : common.releases) {
    if (auto fault = FindMalformedRelease(release, common.people)) return fault;
  }
  return std::nullopt;
}

std::optional<HistoryWitness> FindHistoryViolation(const CommonReleases& common, std::span<const std::uint32_t> set,
                                                   const HistoryClaim& claim, WorkLimit limit) {
  auto violation = FindSmallJointClass(FindJointClasses(common, set), set, claim.k);
  if (violation && claim.membership == Membership::kUnknown)
    violation = FindSmallCrowd(common, set, claim.k, *violation, limit);
  if (violation || !claim.alpha) return violation;
  for (const std::string& column : ColumnsShown(common, set)) {
    if (auto unproven = FindUnprovenAlpha(common, set, column, *claim.alpha)) return unproven;
  }
  return std::nullopt;
}

std::string Describe(const HistoryWitness& witness, const CommonReleases& common) {
  std::vector<std::string> names;
  for (const std::uint32_t r : witness.releases) names.push_back(fmt::format("'{}'", common.releases[r].name));
  const std::string together = fmt::format("{}{}", names.size() == 1 ? "in " : "over ", fmt::join(names, ", "));
  const char* people = witness.count == 1 ? "person" : "people";
  switch (witness.breach) {
    case HistoryBreach::kSmallCrowd:
      return fmt::format("{} somebody has a crowd of {} {}, {} are required", together, witness.count, people,
                         witness.of);
    case HistoryBreach::kSmallJointClass:
      return fmt::format("{} a joint class of {} {} is left to whoever knows who is in which release, {} are required",
                         together, witness.count, people, witness.of);
    case HistoryBreach::kTooManyChoices:
      return fmt::format(
          "{} it cannot be proved that every crowd has {} people: somebody's joint class has {}, and there are too "
          "many choices of releases to look at all of them",
          together, witness.of, witness.count);
    case HistoryBreach::kNotRefined:
      return fmt::format(
          "it cannot be proved that nobody is surer of a value of '{}' than alpha: no release that shows it refines "
          "all the others that may "
          "show it ({} does not refine {})",
          witness.column, names.front(), names.back());
    case HistoryBreach::kTooFrequent:
      return fmt::format("{} a value of '{}' is in {} of the {} rows of a class, and that is more than alpha", together,
                         witness.column, witness.count, witness.of);
  }
  return "";
}

}  // namespace pentimento
