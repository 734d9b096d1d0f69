#include "guarantee/history/joint_classes.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "guarantee/history/pair_numbers.h"

namespace pentimento {

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
    PairNumbers numbers(std::size_t{count} + common.releases[r].classes());
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
