#include "audit/stay_joint.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "guarantee/history/joint_classes.h"

namespace pentimento {
namespace {

static_assert(kNoJointClass == kInNoRelease);

void GroupPeople(const CommonReleases& common, JointClasses found, StayJointClasses& joint) {
  joint.joint_of_person = std::move(found.of_person);
  joint.size = std::move(found.people);
  joint.first_person.reserve(joint.size.size());
  for (std::uint32_t person = 0; person < common.people; ++person) {
    if (joint.joint_of_person[person] == joint.known()) joint.first_person.push_back(person);
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

StayJointClasses GroupJointly(const CommonReleases& common, std::span<const std::size_t> releases,
                              const JointClasses* found) {
  StayJointClasses joint;
  joint.class_base = {0};
  for (const std::size_t r : releases) {
    const CommonRelease& release = common.releases.at(r);
    Check(release.class_of.size() == common.people, "a release does not say of everybody which class it is");
    joint.releases.push_back(&release);
    joint.class_base.push_back(joint.class_base.back() + release.classes());
  }
  Check(!joint.releases.empty(), "no release was given");
  const std::vector<std::uint32_t> places(releases.begin(), releases.end());
  GroupPeople(common, found != nullptr ? *found : FindJointClasses(common, places), joint);
  AddStrangers(joint);
  return joint;
}

const ValueBags& BagsOf(const CommonRelease& release, std::string_view column) {
  const auto found = std::ranges::find(release.values, column, &ValueBags::column);
  Check(found != release.values.end(), "a release has no bags of the sensitive column that was asked for");
  return *found;
}

}  // namespace pentimento
