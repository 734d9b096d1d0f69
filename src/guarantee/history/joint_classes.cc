#include "guarantee/history/joint_classes.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "guarantee/history/pair_numbers.h"

namespace pentimento {
namespace {

// Whether the people of each joint class have one class, or are absent together, and nobody is new: then the release
// cuts none.
bool CutsNone(std::span<const std::uint32_t> joint, std::uint32_t count, std::span<const ClassNumber> class_of) {
  constexpr ClassNumber kNotMet = 0xfffffffe;
  std::vector<ClassNumber> class_of_joint(count, kNotMet);
  class_of_joint[0] = kNotInRelease;
  for (std::size_t person = 0; person < joint.size(); ++person) {
    ClassNumber& number = class_of_joint[joint[person]];
    if (number == kNotMet) number = class_of[person];
    if (number != class_of[person]) return false;
  }
  return true;
}

// Whether the people of each class, and those who are absent, are in one joint class: then the classes are the joint
// classes. Whoever was in none so far, and is absent, keeps the number 0.
bool TakeClasses(std::span<std::uint32_t> joint, const CommonRelease& release) {
  const std::uint32_t absent = release.classes();
  std::vector<std::uint32_t> joint_of_class(std::size_t{absent} + 1, kInNoRelease);
  for (std::size_t person = 0; person < joint.size(); ++person) {
    std::uint32_t& number = joint_of_class[std::min(release.class_of[person], absent)];
    if (number == kInNoRelease) number = joint[person];
    if (number != joint[person]) return false;
  }
  const std::uint32_t number_of_absent = joint_of_class[absent] == 0 ? 0 : absent + 1;
  for (std::size_t person = 0; person < joint.size(); ++person)
    joint[person] = release.class_of[person] == kNotInRelease ? number_of_absent : release.class_of[person] + 1;
  return true;
}

}  // namespace

std::vector<std::uint32_t> AllReleases(const CommonReleases& common) {
  std::vector<std::uint32_t> places(common.releases.size());
  std::iota(places.begin(), places.end(), 0U);
  return places;
}

JointClasses FindJointClasses(const CommonReleases& common, std::span<const std::uint32_t> set) {
  JointClasses joint;
  // Everybody together, and cut by one release after the other. Whoever was in none so far keeps the number 0.
  joint.of_person.resize(common.people);
  std::uint32_t count = 1;
  for (const std::uint32_t r : set) {
    const std::vector<ClassNumber>& class_of = common.releases[r].class_of;
    // A chain of refinements needs no hashing.
    if (CutsNone(joint.of_person, count, class_of)) continue;
    if (TakeClasses(joint.of_person, common.releases[r])) {
      count = common.releases[r].classes() + 2;
      continue;
    }
    PairNumbers numbers(std::max(count, common.releases[r].classes()));
    numbers.Add(0, kNotInRelease);
    for (std::uint32_t person = 0; person < common.people; ++person)
      joint.of_person[person] = numbers.Add(joint.of_person[person], class_of[person]);
    count = numbers.count();
    if (count == common.people + 1) break;  // everybody is in one, and alone
  }
  // Without the first, who are in none, and in the order of people.
  std::vector<std::uint32_t> in_order(count, kInNoRelease);
  for (std::uint32_t& number : joint.of_person) {
    if (number == 0) {
      number = kInNoRelease;
      continue;
    }
    if (in_order[number] == kInNoRelease) {
      in_order[number] = static_cast<std::uint32_t>(joint.people.size());
      joint.people.push_back(0);
    }
    number = in_order[number];
    ++joint.people[number];
  }
  return joint;
}

}  // namespace pentimento
