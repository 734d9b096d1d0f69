// What several releases tell together, straight from the definitions, for tests: person by person, release by release,
// over every set of releases. Exponential on purpose, and it shares no code with the checker.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "release/common_releases.h"

namespace pentimento::oracle {

using HistorySet = std::vector<std::uint32_t>;  // places of releases, ascending

inline std::vector<HistorySet> AllSetsOf(const HistorySet& releases) {
  if (releases.size() > 12)
    throw std::invalid_argument("the oracle tries every set of releases, and these are too many");
  std::vector<HistorySet> sets;
  for (std::size_t bits = 1; bits < std::size_t{1} << releases.size(); ++bits) {
    HistorySet set;
    for (std::size_t i = 0; i < releases.size(); ++i) {
      if ((bits >> i & 1) != 0) set.push_back(releases[i]);
    }
    sets.push_back(std::move(set));
  }
  return sets;
}

inline bool IsIn(const CommonRelease& release, std::uint32_t person) {
  return release.class_of.at(person) != kNotInRelease;
}

inline bool IsInOneOf(const CommonReleases& common, const HistorySet& set, std::uint32_t person) {
  return std::ranges::any_of(set, [&](std::uint32_t r) { return IsIn(common.releases.at(r), person); });
}

// Everybody with the same class, or the same absence, in each release of the set; 0 for whoever is in none.
inline std::uint64_t JointClassSize(const CommonReleases& common, const HistorySet& set, std::uint32_t person) {
  if (!IsInOneOf(common, set, person)) return 0;
  std::uint64_t size = 0;
  for (std::uint32_t other = 0; other < common.people; ++other) {
    size += std::ranges::all_of(set, [&](std::uint32_t r) {
      return common.releases.at(r).class_of.at(other) == common.releases.at(r).class_of.at(person);
    });
  }
  return size;
}

enum class Covers { kNo, kPerhaps, kYes };

// Whether the class of a release covers the person.
inline Covers CoversPerson(const CommonRelease& release, ClassNumber number, std::uint32_t person) {
  if (IsIn(release, person)) return release.class_of.at(person) == number ? Covers::kYes : Covers::kNo;
  if (release.covering.empty() || release.covering.at(person) == kNobodyKnows) return Covers::kPerhaps;
  return release.covering.at(person) == number ? Covers::kYes : Covers::kNo;
}

struct CrowdBounds {
  std::uint64_t at_least = 0;
  std::uint64_t at_most = 0;
};

// The people in at least one release of the set whose class covers the person in every one of these that they are in.
inline CrowdBounds CrowdOf(const CommonReleases& common, const HistorySet& set, std::uint32_t person) {
  CrowdBounds crowd;
  if (!IsInOneOf(common, set, person)) return crowd;
  for (std::uint32_t other = 0; other < common.people; ++other) {
    if (!IsInOneOf(common, set, other)) continue;
    Covers covers = Covers::kYes;
    for (const std::uint32_t r : set) {
      const CommonRelease& release = common.releases.at(r);
      if (IsIn(release, other)) covers = std::min(covers, CoversPerson(release, release.class_of.at(other), person));
    }
    crowd.at_least += covers == Covers::kYes ? 1 : 0;
    crowd.at_most += covers != Covers::kNo ? 1 : 0;
  }
  // Rows about nobody who is known: in the crowd over one release, and perhaps in others.
  for (const std::uint32_t r : set) {
    const CommonRelease& release = common.releases.at(r);
    for (ClassNumber number = 0; number < release.classes(); ++number) {
      const auto members = static_cast<std::uint64_t>(std::ranges::count(release.class_of, number));
      const std::uint64_t strangers = release.rows.at(number) - members;
      const Covers covers = CoversPerson(release, number, person);
      crowd.at_most += covers != Covers::kNo ? strangers : 0;
      crowd.at_least += covers == Covers::kYes && set.size() == 1 ? strangers : 0;
    }
  }
  return crowd;
}

// The smallest crowd of the person over any set that holds a release they are in; nothing for whoever is in none.
inline std::optional<std::uint64_t> SmallestCrowd(const CommonReleases& common, const HistorySet& releases,
                                                  std::uint32_t person) {
  std::optional<std::uint64_t> smallest;
  for (const HistorySet& set : AllSetsOf(releases)) {
    if (!IsInOneOf(common, set, person)) continue;
    const std::uint64_t size = CrowdOf(common, set, person).at_least;
    smallest = std::min(smallest.value_or(std::numeric_limits<std::uint64_t>::max()), size);
  }
  return smallest;
}

inline std::optional<std::uint64_t> SmallestJointClass(const CommonReleases& common, const HistorySet& releases,
                                                       std::uint32_t person) {
  std::optional<std::uint64_t> smallest;
  for (const HistorySet& set : AllSetsOf(releases)) {
    if (!IsInOneOf(common, set, person)) continue;
    const std::uint64_t size = JointClassSize(common, set, person);
    smallest = std::min(smallest.value_or(std::numeric_limits<std::uint64_t>::max()), size);
  }
  return smallest;
}

// Whether handing these values to people gives the bags of a column that a release shows.
inline bool IsPossible(const CommonRelease& release, const std::vector<std::uint32_t>& value_of_person) {
  for (const ValueBags& bags : release.values) {
    for (ClassNumber number = 0; number < release.classes(); ++number) {
      for (std::uint32_t entry = bags.begin.at(number); entry < bags.begin.at(number + 1); ++entry) {
        std::uint32_t count = 0;
        for (std::uint32_t person = 0; person < value_of_person.size(); ++person)
          count += release.class_of.at(person) == number && value_of_person.at(person) == bags.value.at(entry) ? 1 : 0;
        if (count != bags.count.at(entry)) return false;
      }
    }
  }
  return true;
}

struct WorldShare {
  std::uint64_t worlds = 0;  // in which the surest guess about anybody is right
  std::uint64_t of = 0;
};

// Over all worlds that agree with all releases, which show one column with values below `values`: how sure anybody can
// be of the value of somebody who is in one of them, knowing who is in which.
inline WorldShare SurestGuess(const CommonReleases& common, std::uint32_t values) {
  std::vector<std::vector<std::uint64_t>> worlds_with(common.people, std::vector<std::uint64_t>(values));
  WorldShare surest;
  std::vector<std::uint32_t> world(common.people);
  while (true) {
    if (std::ranges::all_of(common.releases,
                            [&](const CommonRelease& release) { return IsPossible(release, world); })) {
      ++surest.of;
      for (std::uint32_t person = 0; person < common.people; ++person) ++worlds_with[person][world[person]];
    }
    std::uint32_t person = 0;
    while (person < common.people && ++world[person] == values) world[person++] = 0;
    if (person == common.people) break;
  }
  for (std::uint32_t person = 0; person < common.people; ++person) {
    const bool is_in = std::ranges::any_of(common.releases, [&](const CommonRelease& r) { return IsIn(r, person); });
    if (is_in) surest.worlds = std::max(surest.worlds, std::ranges::max(worlds_with[person]));
  }
  return surest;
}

}  // namespace pentimento::oracle
