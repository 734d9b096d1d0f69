#include "guarantee/history/composition.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "guarantee/history/joint_classes.h"
#include "guarantee/history/pair_numbers.h"

namespace pentimento {
namespace {

constexpr std::size_t kMostChoices = 4096;
// Sets of releases that are tried for being minimal: every one of twelve.
constexpr std::size_t kMostTriedSets = 4096;

void CountCrowd(std::uint64_t crowd, std::uint64_t people, std::uint64_t k, CrowdCounts& counts) {
  if (crowd < k) counts.below_k += people;
  if (crowd == 1) counts.alone += people;
  if (counts.smallest == 0 || crowd < counts.smallest) counts.smallest = crowd;
}

CrowdCounts CountJointClasses(const JointClasses& joint, std::uint64_t k) {
  CrowdCounts counts;
  for (const std::uint32_t people : joint.people) CountCrowd(people, people, k, counts);
  return counts;
}

// Others have crowds of k, whatever the choice of releases.
std::vector<std::uint32_t> StoriesBelow(const Stories& stories, std::uint64_t k) {
  std::vector<std::uint32_t> below;
  for (std::uint32_t story = 0; story < stories.count(); ++story) {
    if (stories.joint[story] < k) below.push_back(story);
  }
  return below;
}

void CountUnknown(const Stories& stories, std::uint64_t k, WorkLimit limit, Composition& composition) {
  const std::vector<std::uint32_t> looked_at = StoriesBelow(stories, k);
  constexpr std::uint64_t kNoBound = std::numeric_limits<std::uint64_t>::max();
  std::vector<Crowd> smallest(looked_at.size(), {kNoBound, kNoBound});
  const auto sets = DecidingSets(stories, kMostChoices);
  composition.every_choice = sets.has_value();
  for (const ReleaseMask set : sets ? *sets : std::vector<ReleaseMask>{stories.all()}) {
    const auto crowds = FindCrowds(stories, WithoutRefined(stories, set), looked_at, limit);
    if (!crowds) composition.every_choice = false;
    for (std::size_t i = 0; crowds && i < looked_at.size(); ++i) {
      if ((stories.present[looked_at[i]] & set) == 0) continue;
      smallest[i].at_least = std::min(smallest[i].at_least, (*crowds)[i].at_least);
      smallest[i].at_most = std::min(smallest[i].at_most, (*crowds)[i].at_most);
    }
  }
  if (!composition.every_choice) composition.unknown = composition.known;
  for (std::size_t i = 0; i < looked_at.size(); ++i) {
    const std::uint64_t people = stories.people[looked_at[i]];
    if (composition.every_choice) CountCrowd(smallest[i].at_least, people, k, composition.unknown);
    CountCrowd(smallest[i].at_most, people, k, composition.unknown_at_best);
  }
  // Where nobody is below k it is enough to say how many there are at least.
  for (CrowdCounts* counts : {&composition.unknown, &composition.unknown_at_best}) {
    if (counts->below_k > 0) continue;
    for (std::uint32_t story = 0; story < stories.count(); ++story) {
      if (stories.joint[story] >= k) CountCrowd(stories.joint[story], 0, k, *counts);
    }
  }
}

// Whether somebody is below k over this set of releases; nothing where the limit is reached.
std::optional<bool> IsAnybodyBelow(const Stories& stories, ReleaseMask set, std::uint64_t k, Membership membership,
                                   WorkLimit& limit) {
  if (!limit.Spend(std::uint64_t{stories.count()} * static_cast<std::uint64_t>(std::popcount(set)))) return {};
  std::vector<std::uint32_t> joint_of(stories.count());
  std::uint32_t count = 1;
  for (std::size_t r = 0; r < stories.releases; ++r) {
    if ((set >> r & 1) == 0) continue;
    PairNumbers numbers(count);
    for (std::uint32_t story = 0; story < stories.count(); ++story) {
      const bool is_in = (stories.present[story] >> r & 1) != 0;
      joint_of[story] = numbers.Add(joint_of[story], is_in ? stories.class_in(story, r) : kNotInRelease);
    }
    count = numbers.count();
  }
  std::vector<std::uint64_t> people(count);
  for (std::uint32_t story = 0; story < stories.count(); ++story) people[joint_of[story]] += stories.people[story];
  std::vector<std::uint32_t> below;
  for (std::uint32_t story = 0; story < stories.count(); ++story) {
    if ((stories.present[story] & set) != 0 && people[joint_of[story]] < k) below.push_back(story);
  }
  if (membership == Membership::kKnown || below.empty()) return !below.empty();
  const auto crowds = FindCrowds(stories, set, below, limit);
  if (!crowds) return std::nullopt;
  return std::ranges::any_of(*crowds, [k](const Crowd& crowd) { return crowd.at_least < k; });
}

// The sets of one size more, each once: by a release that comes after all of theirs.
std::vector<ReleaseMask> Enlarge(std::span<const ReleaseMask> sets, std::size_t releases) {
  std::vector<ReleaseMask> larger;
  for (const ReleaseMask set : sets) {
    for (auto r = static_cast<std::size_t>(std::bit_width(set)); r < releases; ++r)
      larger.push_back(set | ReleaseMask{1} << r);
  }
  return larger;
}

}  // namespace

Composition Compose(const CommonReleases& common, std::span<const std::uint32_t> set, std::uint64_t k,
                    WorkLimit limit) {
  Composition composition;
  const JointClasses joint = FindJointClasses(common, set);
  for (const std::uint32_t people : joint.people) composition.people += people;
  composition.known = CountJointClasses(joint, k);
  if (composition.known.below_k == 0) {
    composition.unknown = composition.unknown_at_best = composition.known;
    return composition;
  }
  if (set.size() > kMostReleasesInMask) {
    composition.every_choice = false;
    composition.unknown = composition.known;
    return composition;
  }
  CountUnknown(TellStoriesOf(common, set), k, limit, composition);
  return composition;
}

MinimalSets FindMinimalSets(const CommonReleases& common, std::span<const std::uint32_t> set, std::uint64_t k,
                            Membership membership, WorkLimit limit) {
  MinimalSets minimal;
  minimal.every_set = set.size() <= kMostReleasesInMask;
  if (!minimal.every_set) return minimal;
  const Stories stories = TellStoriesOf(common, set);
  if (StoriesBelow(stories, k).empty()) return minimal;
  std::vector<ReleaseMask> found;
  std::size_t tried = 0;
  for (std::vector<ReleaseMask> open = {0}; !open.empty() && minimal.every_set;) {
    std::vector<ReleaseMask> safe;
    for (const ReleaseMask one : Enlarge(open, stories.releases)) {
      if (std::ranges::any_of(found, [one](ReleaseMask part) { return (part & one) == part; })) continue;
      const auto is_below =
          ++tried <= kMostTriedSets ? IsAnybodyBelow(stories, one, k, membership, limit) : std::nullopt;
      minimal.every_set = is_below.has_value();
      if (!minimal.every_set) break;
      (*is_below ? found : safe).push_back(one);
    }
    open = std::move(safe);
  }
  for (const ReleaseMask one : found) {
    std::vector<std::uint32_t>& places = minimal.sets.emplace_back();
    for (std::size_t i = 0; i < set.size(); ++i) {
      if ((one >> i & 1) != 0) places.push_back(set[i]);
    }
  }
  return minimal;
}

}  // namespace pentimento
