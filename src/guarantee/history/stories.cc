#include "guarantee/history/stories.h"

#include "base/check.h"
#include "guarantee/history/joint_classes.h"
#include "guarantee/history/pair_numbers.h"

namespace pentimento {
namespace {

// Joint classes, cut further by the classes that cover the absent.
std::vector<std::uint32_t> NumberStories(const CommonReleases& common, std::span<const std::uint32_t> set,
                                         const JointClasses& joint) {
  std::vector<std::uint32_t> story = joint.of_person;
  for (const std::uint32_t r : set) {
    const CommonRelease& release = common.releases[r];
    if (release.covering.empty()) continue;
    PairNumbers numbers(joint.people.size());
    for (std::uint32_t person = 0; person < common.people; ++person) {
      if (story[person] == kInNoRelease) continue;
      const bool is_in = release.class_of[person] != kNotInRelease;
      story[person] = numbers.Add(story[person], is_in ? kNotInRelease : release.covering[person]);
    }
  }
  return story;
}

void AddStory(const CommonReleases& common, std::span<const std::uint32_t> set, std::uint32_t person,
              Stories& stories) {
  ReleaseMask present = 0;
  ReleaseMask known = 0;
  for (std::size_t i = 0; i < set.size(); ++i) {
    const CommonRelease& release = common.releases[set[i]];
    const ReleaseMask bit = ReleaseMask{1} << i;
    const bool is_in = release.class_of[person] != kNotInRelease;
    const ClassNumber number = is_in ? release.class_of[person] : release.CoveringOf(person);
    if (is_in) present |= bit;
    if (number != kNobodyKnows) known |= bit;
    stories.classes.push_back(number == kNobodyKnows ? kNotInRelease : number);
  }
  stories.present.push_back(present);
  stories.known.push_back(known);
  stories.people.push_back(0);
  stories.person.push_back(person);
}

// The rows of each class that are about nobody who is known.
std::vector<std::uint32_t> StrangersOf(const CommonRelease& release) {
  std::vector<std::uint32_t> strangers = release.rows;
  for (const ClassNumber number : release.class_of) {
    if (number != kNotInRelease && strangers[number] > 0) --strangers[number];
  }
  return strangers;
}

}  // namespace

std::vector<std::uint32_t> PlacesOf(std::span<const std::uint32_t> set, ReleaseMask mask) {
  std::vector<std::uint32_t> places;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if ((mask >> i & 1) != 0) places.push_back(set[i]);
  }
  return places;
}

Stories TellStoriesOf(const CommonReleases& common, std::span<const std::uint32_t> set) {
  return TellStoriesOf(common, set, FindJointClasses(common, set));
}

Stories TellStoriesOf(const CommonReleases& common, std::span<const std::uint32_t> set, const JointClasses& joint) {
  Check(set.size() <= kMostReleasesInMask, "too many releases for one mask");
  Stories stories;
  stories.releases = set.size();
  stories.of_person = NumberStories(common, set, joint);
  std::vector<std::uint32_t> in_order(common.people, kInNoRelease);
  for (std::uint32_t person = 0; person < common.people; ++person) {
    std::uint32_t& story = stories.of_person[person];
    if (story == kInNoRelease) continue;
    if (in_order[story] == kInNoRelease) {
      in_order[story] = stories.count();
      AddStory(common, set, person, stories);
      stories.joint.push_back(joint.people[joint.of_person[person]]);
    }
    story = in_order[story];
    ++stories.people[story];
  }
  for (const std::uint32_t r : set) {
    std::uint64_t all = 0;
    for (const std::uint32_t some : stories.strangers.emplace_back(StrangersOf(common.releases[r]))) all += some;
    stories.all_strangers.push_back(all);
  }
  return stories;
}

}  // namespace pentimento
