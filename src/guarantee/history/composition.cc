#include "guarantee/history/composition.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <optional>

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

// Whether everybody is in each of the releases, and nobody else: then crowds are joint classes.
bool AreAllInAll(const CommonReleases& common, std::span<const std::uint32_t> set, const JointClasses& joint) {
  const auto people = std::accumulate(joint.people.begin(), joint.people.end(), std::uint64_t{0});
  return std::ranges::all_of(set, [&](std::uint32_t place) {
    const CommonRelease& release = common.releases[place];
    const auto absent = static_cast<std::uint64_t>(std::ranges::count(release.class_of, kNotInRelease));
    return release.class_of.size() - absent == people &&
           std::accumulate(release.rows.begin(), release.rows.end(), std::uint64_t{0}) == people;
  });
}

// Of the stories whose joint classes are small, over every choice of releases.
struct SmallestCrowds {
  std::vector<std::uint32_t> looked_at;
  std::vector<Crowd> smallest;
  bool every_choice = true;
};

SmallestCrowds FindSmallestCrowds(const Stories& stories, std::uint64_t k, WorkLimit limit) {
  SmallestCrowds found{StoriesBelow(stories, k), {}};
  constexpr std::uint64_t kNoBound = std::numeric_limits<std::uint64_t>::max();
  found.smallest.assign(found.looked_at.size(), {kNoBound, kNoBound});
  const auto sets = DecidingSets(stories, kMostChoices);
  found.every_choice = sets.has_value();
  for (const ReleaseMask set : sets ? *sets : std::vector<ReleaseMask>{stories.all()}) {
    const auto crowds = FindCrowds(stories, WithoutRefined(stories, set), found.looked_at, limit);
    if (!crowds) found.every_choice = false;
    for (std::size_t i = 0; crowds && i < found.looked_at.size(); ++i) {
      if ((stories.present[found.looked_at[i]] & set) == 0) continue;
      found.smallest[i].at_least = std::min(found.smallest[i].at_least, (*crowds)[i].at_least);
      found.smallest[i].at_most = std::min(found.smallest[i].at_most, (*crowds)[i].at_most);
    }
  }
  return found;
}

void CountUnknown(const Stories& stories, const SmallestCrowds& found, std::uint64_t k, Composition& composition) {
  composition.every_choice = found.every_choice;
  if (!composition.every_choice) composition.unknown = composition.known;
  for (std::size_t i = 0; i < found.looked_at.size(); ++i) {
    if (stories.joint[found.looked_at[i]] >= k) continue;
    const std::uint64_t people = stories.people[found.looked_at[i]];
    if (composition.every_choice) CountCrowd(found.smallest[i].at_least, people, k, composition.unknown);
    CountCrowd(found.smallest[i].at_most, people, k, composition.unknown_at_best);
  }
  // Where nobody is below k it is enough to say how many there are at least.
  for (CrowdCounts* counts : {&composition.unknown, &composition.unknown_at_best}) {
    if (counts->below_k > 0) continue;
    for (std::uint32_t story = 0; story < stories.count(); ++story) {
      if (stories.joint[story] >= k) CountCrowd(stories.joint[story], 0, k, *counts);
    }
  }
}

// Some people below k over all releases, spread over all of them: whether a set shows it is mostly seen of these.
class Sample {
 public:
  Sample(const Stories& stories, std::uint64_t k) : stories_(stories), k_(k) {
    const std::vector<std::uint32_t> below = StoriesBelow(stories, k);
    for (std::size_t i = 0; i < std::min(below.size(), kMost); ++i)
      chosen_.push_back(below[i * below.size() / std::min(below.size(), kMost)]);
    alike_.resize(chosen_.size() * stories.releases);
    for (std::size_t r = 0; r < stories.releases; ++r) GatherAlike(r);
  }

  // Whether one of them has a joint class below k over this set. The set has more than one release.
  bool ShowsSomebodyBelow(ReleaseMask set) const {
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      if ((stories_.present[chosen_[i]] & set) != 0 && PeopleAlike(i, set) < k_) return true;
    }
    return false;
  }

 private:
  static constexpr std::size_t kMost = 64;

  bool Agree(std::uint32_t one, std::uint32_t other, std::size_t release) const {
    const bool is_in = (stories_.present[one] >> release & 1) != 0;
    if (is_in != ((stories_.present[other] >> release & 1) != 0)) return false;
    return !is_in || stories_.class_in(one, release) == stories_.class_in(other, release);
  }

  // The stories in the class that a chosen one is in, for each of them.
  void GatherAlike(std::size_t release) {
    std::vector<std::vector<std::size_t>> asking(stories_.strangers[release].size());
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      if ((stories_.present[chosen_[i]] >> release & 1) != 0)
        asking[stories_.class_in(chosen_[i], release)].push_back(i);
    }
    for (std::uint32_t story = 0; story < stories_.count(); ++story) {
      if ((stories_.present[story] >> release & 1) == 0) continue;
      for (const std::size_t i : asking[stories_.class_in(story, release)])
        alike_[i * stories_.releases + release].push_back(story);
    }
  }

  std::uint64_t PeopleAlike(std::size_t i, ReleaseMask set) const {
    const std::vector<std::uint32_t>* fewest = nullptr;
    for (std::size_t r = 0; r < stories_.releases; ++r) {
      if ((stories_.present[chosen_[i]] & set & ReleaseMask{1} << r) == 0) continue;
      const auto& alike = alike_[i * stories_.releases + r];
      if (fewest == nullptr || alike.size() < fewest->size()) fewest = &alike;
    }
    std::uint64_t people = 0;
    for (const std::uint32_t story : *fewest) {
      bool is_alike = true;
      for (std::size_t r = 0; is_alike && r < stories_.releases; ++r)
        is_alike = (set >> r & 1) == 0 || Agree(chosen_[i], story, r);
      people += is_alike ? stories_.people[story] : 0;
      if (people >= k_) break;
    }
    return people;
  }

  const Stories& stories_;
  std::uint64_t k_;
  std::vector<std::uint32_t> chosen_;
  std::vector<std::vector<std::uint32_t>> alike_;  // by chosen story, then by release
};

// Whether somebody is below k over this set of releases; nothing where the limit is reached.
std::optional<bool> IsAnybodyBelow(const Stories& stories, ReleaseMask set, std::uint64_t k, Membership membership,
                                   WorkLimit& limit) {
  if (!limit.Spend(std::uint64_t{stories.count()} * static_cast<std::uint64_t>(std::popcount(set)))) return {};
  std::vector<std::uint32_t> joint_of(stories.count());
  std::uint32_t count = 1;
  if (std::has_single_bit(set)) {
    const auto r = static_cast<std::size_t>(std::countr_zero(set));
    count = static_cast<std::uint32_t>(stories.strangers[r].size()) + 1;
    for (std::uint32_t story = 0; story < stories.count(); ++story)
      joint_of[story] = (stories.present[story] & set) != 0 ? stories.class_in(story, r) : count - 1;
  }
  for (std::size_t r = 0; !std::has_single_bit(set) && r < stories.releases; ++r) {
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
  return ComposeEach(common, set, FindJointClasses(common, set), {&k, 1}, limit).front();
}

std::vector<Composition> ComposeEach(const CommonReleases& common, std::span<const std::uint32_t> set,
                                     const JointClasses& joint, std::span<const std::uint64_t> ks, WorkLimit limit) {
  std::vector<Composition> compositions(ks.size());
  for (std::size_t i = 0; i < ks.size(); ++i) {
    Composition& composition = compositions[i];
    for (const std::uint32_t people : joint.people) composition.people += people;
    composition.known = composition.unknown = composition.unknown_at_best = CountJointClasses(joint, ks[i]);
  }
  if (ks.empty() || compositions.back().known.below_k == 0 || AreAllInAll(common, set, joint)) return compositions;
  const bool is_too_many = set.size() > kMostReleasesInMask;
  std::optional<Stories> stories;
  if (!is_too_many) stories = TellStoriesOf(common, set, joint);
  std::optional<SmallestCrowds> found;
  if (stories) found = FindSmallestCrowds(*stories, ks.back(), limit);
  for (std::size_t i = 0; i < ks.size(); ++i) {
    if (compositions[i].known.below_k == 0) continue;
    compositions[i].unknown_at_best = {};
    compositions[i].every_choice = false;
    if (!stories) continue;
    compositions[i].unknown = {};
    CountUnknown(*stories, *found, ks[i], compositions[i]);
  }
  return compositions;
}

MinimalSets FindMinimalSets(const CommonReleases& common, std::span<const std::uint32_t> set, std::uint64_t k,
                            Membership membership, WorkLimit limit) {
  return FindMinimalSets(common, set, FindJointClasses(common, set), k, membership, limit);
}

MinimalSets FindMinimalSets(const CommonReleases& common, std::span<const std::uint32_t> set, const JointClasses& joint,
                            std::uint64_t k, Membership membership, WorkLimit limit) {
  MinimalSets minimal;
  minimal.every_set = set.size() <= kMostReleasesInMask;
  if (!minimal.every_set) return minimal;
  const Stories stories = TellStoriesOf(common, set, joint);
  if (StoriesBelow(stories, k).empty()) return minimal;
  // Crowds may be larger than joint classes where somebody is absent.
  const bool is_whole = std::ranges::all_of(stories.present, [&](ReleaseMask mask) { return mask == stories.all(); });
  const Sample sample(stories, k);
  std::vector<ReleaseMask> found;
  std::size_t tried = 0;
  for (std::vector<ReleaseMask> open = {0}; !open.empty() && minimal.every_set;) {
    std::vector<ReleaseMask> safe;
    for (const ReleaseMask one : Enlarge(open, stories.releases)) {
      if (std::ranges::any_of(found, [one](ReleaseMask part) { return (part & one) == part; })) continue;
      const bool is_seen =
          !std::has_single_bit(one) && (membership == Membership::kKnown || is_whole) && sample.ShowsSomebodyBelow(one);
      const auto is_below = is_seen                     ? std::optional(true)
                            : ++tried <= kMostTriedSets ? IsAnybodyBelow(stories, one, k, membership, limit)
                                                        : std::nullopt;
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
