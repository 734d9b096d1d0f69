#include "audit/stay_joint.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "base/mix64.h"

namespace pentimento {
namespace {

// By person, of its classes in all releases; 0 for those in none.
std::vector<std::uint64_t> HashClasses(const StayJointClasses& joint, std::uint32_t people) {
  std::vector<std::uint64_t> hashes(people, 0);
  for (std::size_t r = 0; r < joint.releases.size(); ++r) {
    const std::vector<ClassNumber>& class_of = joint.releases[r]->class_of;
    for (std::uint32_t p = 0; p < people; ++p) {
      if (class_of[p] == kNotInRelease) continue;
      const std::uint64_t mixed = Mix64{}(std::uint64_t{r} << 32 | class_of[p]);
      hashes[p] = Mix64{}(hashes[p] + mixed) | 1;
    }
  }
  return hashes;
}

bool AreTogether(const StayJointClasses& joint, std::uint32_t a, std::uint32_t b) {
  return std::ranges::all_of(
      joint.releases, [&](const CommonRelease* release) { return release->class_of[a] == release->class_of[b]; });
}

// By class in a release, those in none at the end; then by number.
std::vector<std::uint32_t> OrderPeople(const CommonRelease& release, std::uint32_t people) {
  const auto place_of = [&](std::uint32_t p) { return std::min(release.class_of[p], release.classes()); };
  std::vector<std::uint32_t> next(std::size_t{release.classes()} + 2, 0);
  for (std::uint32_t p = 0; p < people; ++p) ++next[place_of(p) + std::size_t{1}];
  for (std::size_t c = 0; c + 1 < next.size(); ++c) next[c + 1] += next[c];
  std::vector<std::uint32_t> order(people);
  for (std::uint32_t p = 0; p < people; ++p) order[next[place_of(p)]++] = p;
  return order;
}

void ListClasses(StayJointClasses& joint) {
  joint.classes.reserve(joint.releases.size() * joint.first_person.size());
  for (const CommonRelease* release : joint.releases) {
    for (const std::uint32_t person : joint.first_person) joint.classes.push_back(release->class_of[person]);
  }
}

void GroupPeople(StayJointClasses& joint, std::uint32_t people) {
  const std::vector<std::uint64_t> hashes = HashClasses(joint, people);
  joint.joint_of_person.assign(people, kNoJointClass);
  const std::size_t places = std::bit_ceil(std::size_t{people} * 2 + 1);
  std::vector<std::uint32_t> place(places, kNoJointClass);
  for (const std::uint32_t p : OrderPeople(*joint.releases.front(), people)) {
    if (hashes[p] == 0) continue;
    std::size_t at = (hashes[p] >> 1) & (places - 1);
    while (place[at] != kNoJointClass) {
      const std::uint32_t other = joint.first_person[place[at]];
      if (hashes[other] == hashes[p] && AreTogether(joint, other, p)) break;
      at = (at + 1) & (places - 1);
    }
    if (place[at] == kNoJointClass) {
      place[at] = joint.count();
      joint.size.push_back(0);
      joint.first_person.push_back(p);
    }
    joint.joint_of_person[p] = place[at];
    ++joint.size[place[at]];
  }
}

void AddStrangers(StayJointClasses& joint) {
  for (std::uint32_t r = 0; r < joint.releases.size(); ++r) {
    const CommonRelease& release = *joint.releases[r];
    std::vector<std::uint32_t> known(release.classes(), 0);
    for (const ClassNumber number : release.class_of) {
      if (number != kNotInRelease) ++known[number];
    }
    for (ClassNumber c = 0; c < release.classes(); ++c) {
      Check(known[c] <= release.rows[c], "a class of a release has fewer rows than people");
      if (known[c] == release.rows[c]) continue;
      joint.size.push_back(release.rows[c] - known[c]);
      joint.strangers.push_back({.release = r, .number = c});
    }
  }
}

}  // namespace

StayJointClasses GroupJointly(const CommonReleases& common, std::span<const std::size_t> releases) {
  StayJointClasses joint;
  joint.class_base = {0};
  for (const std::size_t r : releases) {
    const CommonRelease& release = common.releases.at(r);
    Check(release.class_of.size() == common.people, "a release does not say of everybody which class it is");
    joint.releases.push_back(&release);
    joint.class_base.push_back(joint.class_base.back() + release.classes());
  }
  Check(!joint.releases.empty(), "no release was given");
  GroupPeople(joint, common.people);
  ListClasses(joint);
  AddStrangers(joint);
  return joint;
}

const ValueBags& BagsOf(const CommonRelease& release, std::string_view column) {
  const auto found = std::ranges::find(release.values, column, &ValueBags::column);
  Check(found != release.values.end(), "a release has no bags of the sensitive column that was asked for");
  return *found;
}

}  // namespace pentimento
