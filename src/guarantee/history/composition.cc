#include "guarantee/history/composition.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/parallel.h"
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

bool IsIn(const CommonRelease& release, std::uint32_t person) { return release.class_of[person] != kNotInRelease; }

// Whether all releases of the set hold the same people, each of them known. Then everybody's crowds are joint classes
// (history.md).
bool HoldTheSamePeople(const CommonReleases& common, std::span<const std::uint32_t> set) {
  std::atomic<bool> is_same = true;
  ParallelFor(set.size(), 1, [&](std::size_t begin, std::size_t end) {
    const CommonRelease& first = common.releases[set.front()];
    for (std::size_t i = begin; i < end; ++i) {
      const CommonRelease& release = common.releases[set[i]];
      std::uint32_t present = 0;
      std::uint32_t unlike_first = 0;
      for (std::uint32_t person = 0; person < common.people; ++person) {
        present += IsIn(release, person) ? 1U : 0U;
        unlike_first += IsIn(release, person) != IsIn(first, person) ? 1U : 0U;
      }
      const auto rows = std::accumulate(release.rows.begin(), release.rows.end(), std::uint64_t{0});
      if (unlike_first != 0 || rows != present) is_same = false;
    }
  });
  return is_same;
}

// Others have crowds of k, whatever the choice of releases.
std::vector<std::uint32_t> StoriesBelow(const Stories& stories, std::uint64_t k) {
  std::vector<std::uint32_t> below;
  for (std::uint32_t story = 0; story < stories.count(); ++story) {
    if (stories.joint[story] < k) below.push_back(story);
  }
  return below;
}

// Everybody in some classes of a release.
std::vector<std::vector<std::uint32_t>> SomeClasses(const CommonRelease& release) {
  constexpr std::uint8_t kMost = 8;
  constexpr std::uint8_t kOther = 0xff;
  std::vector<std::uint8_t> number(release.classes(), kOther);
  std::vector<std::vector<std::uint32_t>> classes;
  for (std::size_t i = 0; i < kMost; ++i) {
    const ClassNumber one = release.class_of[release.class_of.size() * i / kMost];
    if (one == kNotInRelease || number[one] != kOther) continue;
    number[one] = static_cast<std::uint8_t>(classes.size());
    classes.emplace_back();
  }
  for (std::uint32_t person = 0; person < release.class_of.size(); ++person) {
    const ClassNumber one = release.class_of[person];
    if (one != kNotInRelease && number[one] != kOther) classes[number[one]].push_back(person);
  }
  return classes;
}

// Asks set after set whether somebody is below k over it.
class SetChecker {
 public:
  SetChecker(const CommonReleases& common, std::span<const std::uint32_t> set, std::uint64_t k, Membership membership,
             WorkLimit limit)
      : common_(common), set_(set), k_(k), limit_(limit), some_classes_(set.size()) {
    is_same_people_ = HoldTheSamePeople(common, set);
    if (membership == Membership::kUnknown && !is_same_people_) stories_ = TellStoriesOf(common, set);
  }

  // Nothing where the limit is reached.
  std::optional<bool> IsAnybodyBelow(ReleaseMask mask) {
    const std::vector<std::uint32_t> places = PlacesOf(set_, mask);
    if (is_same_people_ && places.size() == 1) return HasSmall(common_.releases[places.front()].rows);
    if (!stories_ && IsAnyOfSomeBelow(mask, places)) return true;
    if (!limit_.Spend(std::uint64_t{common_.people} * places.size())) return std::nullopt;
    const JointClasses joint = FindJointClasses(common_, places);
    if (!stories_ || !HasSmall(joint.people)) return HasSmall(joint.people);
    return IsAnyCrowdBelow(mask, joint);
  }

  // Whether somebody's joint class is below k over all of them, and so perhaps somebody's crowd over some of them.
  bool IsAnyJointBelow() {
    return IsAnyOfSomeBelow(/*mask=*/1, set_) || HasSmall(FindJointClasses(common_, set_).people);
  }

 private:
  bool HasSmall(std::span<const std::uint32_t> classes) const {
    return std::ranges::any_of(classes, [&](std::uint32_t people) { return people > 0 && people < k_; });
  }

  // Of a few classes of the first release: where many are below k, somebody of these is.
  bool IsAnyOfSomeBelow(ReleaseMask mask, std::span<const std::uint32_t> places) {
    auto& some = some_classes_[static_cast<std::size_t>(std::countr_zero(mask))];
    if (!some) some = SomeClasses(common_.releases[places.front()]);
    return std::ranges::any_of(*some, [&](const std::vector<std::uint32_t>& people) {
      std::map<std::vector<ClassNumber>, std::uint64_t> count;
      for (const std::uint32_t person : people) {
        std::vector<ClassNumber> classes;
        for (const std::uint32_t place : places) classes.push_back(common_.releases[place].class_of[person]);
        ++count[std::move(classes)];
      }
      return std::ranges::any_of(count, [&](const auto& joint) { return joint.second < k_; });
    });
  }

  std::optional<bool> IsAnyCrowdBelow(ReleaseMask mask, const JointClasses& joint) {
    std::vector<std::uint32_t> below;
    for (std::uint32_t story = 0; story < stories_->count(); ++story) {
      const std::uint32_t number = joint.of_person[stories_->person[story]];
      if (number != kInNoRelease && joint.people[number] < k_) below.push_back(story);
    }
    const auto crowds = FindCrowds(*stories_, mask, below, limit_);
    if (!crowds) return std::nullopt;
    return std::ranges::any_of(*crowds, [&](const Crowd& crowd) { return crowd.at_least < k_; });
  }

  const CommonReleases& common_;
  std::span<const std::uint32_t> set_;
  std::uint64_t k_;
  WorkLimit limit_;
  bool is_same_people_ = false;
  std::vector<std::optional<std::vector<std::vector<std::uint32_t>>>> some_classes_;  // by release of the set
  std::optional<Stories> stories_;  // where crowds are more than joint classes
};

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

ComposedReleases::ComposedReleases(const CommonReleases& common, std::span<const std::uint32_t> set,
                                   const JointClasses& joint, std::uint64_t most_k, WorkLimit limit)
    : most_k_(most_k) {
  if (joint.people.empty()) return;
  joint_of_size_.resize(std::size_t{std::ranges::max(joint.people)} + 1);
  for (const std::uint32_t people : joint.people) ++joint_of_size_[people];
  crowds_are_joint_ = std::ranges::min(joint.people) >= most_k || HoldTheSamePeople(common, set);
  if (crowds_are_joint_) return;
  every_choice_ = set.size() <= kMostReleasesInMask;
  if (every_choice_) FindSmallCrowds(TellStoriesOf(common, set), limit);
}

void ComposedReleases::FindSmallCrowds(const Stories& stories, WorkLimit limit) {
  const std::vector<std::uint32_t> looked_at = StoriesBelow(stories, most_k_);
  constexpr std::uint64_t kNoBound = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint32_t story : looked_at)
    small_crowds_.push_back({stories.joint[story], stories.people[story], {kNoBound, kNoBound}});
  const auto sets = DecidingSets(stories, kMostChoices);
  every_choice_ = sets.has_value();
  for (const ReleaseMask set : sets ? *sets : std::vector<ReleaseMask>{stories.all()}) {
    const auto crowds = FindCrowds(stories, WithoutRefined(stories, set), looked_at, limit);
    if (!crowds) every_choice_ = false;
    for (std::size_t i = 0; crowds && i < looked_at.size(); ++i) {
      if ((stories.present[looked_at[i]] & set) == 0) continue;
      Crowd& smallest = small_crowds_[i].crowd;
      smallest.at_least = std::min(smallest.at_least, (*crowds)[i].at_least);
      smallest.at_most = std::min(smallest.at_most, (*crowds)[i].at_most);
    }
  }
}

Composition ComposedReleases::Count(std::uint64_t k) const {
  Check(k <= most_k_, "a k that crowds were not looked at for");
  Composition composition;
  for (std::size_t size = 1; size < joint_of_size_.size(); ++size) {
    if (joint_of_size_[size] == 0) continue;
    composition.people += size * joint_of_size_[size];
    CountCrowd(size, size * joint_of_size_[size], k, composition.known);
  }
  composition.unknown = composition.unknown_at_best = composition.known;
  if (composition.known.below_k > 0 && !crowds_are_joint_) CountUnknown(k, composition);
  return composition;
}

void ComposedReleases::CountUnknown(std::uint64_t k, Composition& composition) const {
  composition.every_choice = every_choice_;
  composition.unknown_at_best = {};
  if (every_choice_) composition.unknown = {};
  for (const SmallCrowd& small : small_crowds_) {
    if (small.joint >= k) continue;
    if (every_choice_) CountCrowd(small.crowd.at_least, small.people, k, composition.unknown);
    CountCrowd(small.crowd.at_most, small.people, k, composition.unknown_at_best);
  }
  // Where nobody is below k it is enough to say how many there are at least.
  for (CrowdCounts* counts : {&composition.unknown, &composition.unknown_at_best}) {
    for (std::size_t size = k; counts->below_k == 0 && size < joint_of_size_.size(); ++size) {
      if (joint_of_size_[size] > 0) CountCrowd(size, 0, k, *counts);
    }
  }
}

Composition Compose(const CommonReleases& common, std::span<const std::uint32_t> set, std::uint64_t k,
                    WorkLimit limit) {
  return ComposedReleases(common, set, FindJointClasses(common, set), k, limit).Count(k);
}

MinimalSets FindMinimalSets(const CommonReleases& common, std::span<const std::uint32_t> set, std::uint64_t k,
                            Membership membership, WorkLimit limit) {
  MinimalSets minimal;
  minimal.every_set = set.size() <= kMostReleasesInMask;
  if (!minimal.every_set || set.empty() || common.people == 0) return minimal;
  SetChecker checker(common, set, k, membership, limit);
  if (!checker.IsAnyJointBelow()) return minimal;
  std::vector<ReleaseMask> found;
  std::size_t tried = 0;
  for (std::vector<ReleaseMask> open = {0}; !open.empty() && minimal.every_set;) {
    std::vector<ReleaseMask> safe;
    for (const ReleaseMask one : Enlarge(open, set.size())) {
      if (std::ranges::any_of(found, [one](ReleaseMask part) { return (part & one) == part; })) continue;
      const auto is_below = ++tried <= kMostTriedSets ? checker.IsAnybodyBelow(one) : std::nullopt;
      minimal.every_set = is_below.has_value();
      if (!minimal.every_set) break;
      (*is_below ? found : safe).push_back(one);
    }
    open = std::move(safe);
  }
  for (const ReleaseMask one : found) minimal.sets.push_back(PlacesOf(set, one));
  return minimal;
}

}  // namespace pentimento
