#include "guarantee/history/joint_classes.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

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

// People by joint class, cut by one release after the other. Whoever was in none so far has the number 0.
class Cutting {
 public:
  Cutting(std::vector<std::uint32_t> joint, std::uint32_t count) : joint_(std::move(joint)), count_(count) {}

  void By(const CommonRelease& release) {
    // A chain of refinements needs no hashing.
    if (CutsNone(joint_, count_, release.class_of)) return;
    if (TakeClasses(joint_, release)) {
      count_ = release.classes() + 2;
      return;
    }
    PairNumbers numbers(std::max(count_, release.classes()));
    numbers.Add(0, kNotInRelease);
    for (std::size_t person = 0; person < joint_.size(); ++person)
      joint_[person] = numbers.Add(joint_[person], release.class_of[person]);
    count_ = numbers.count();
    is_everybody_alone_ = count_ == joint_.size() + 1;
  }

  // Then no release cuts anything.
  bool IsEverybodyAlone() const { return is_everybody_alone_; }

  // Without those who are in none, and in the order of people.
  JointClasses Finish() && {
    JointClasses joint{std::move(joint_), {}};
    std::vector<std::uint32_t> in_order(count_, kInNoRelease);
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

 private:
  std::vector<std::uint32_t> joint_;
  std::uint32_t count_;
  bool is_everybody_alone_ = false;
};

}  // namespace

std::vector<std::uint32_t> AllReleases(const CommonReleases& common) {
  std::vector<std::uint32_t> places(common.releases.size());
  std::iota(places.begin(), places.end(), 0U);
  return places;
}

JointClasses FindJointClasses(const CommonReleases& common, std::span<const std::uint32_t> set) {
  Cutting people(std::vector<std::uint32_t>(common.people), 1);
  for (const std::uint32_t r : set) {
    people.By(common.releases[r]);
    if (people.IsEverybodyAlone()) break;
  }
  return std::move(people).Finish();
}

JointClasses CutJointClasses(JointClasses joint, const CommonRelease& release) {
  const auto count = static_cast<std::uint32_t>(joint.people.size());
  for (std::uint32_t& number : joint.of_person) number = number == kInNoRelease ? 0 : number + 1;
  Cutting people(std::move(joint.of_person), count + 1);
  people.By(release);
  return std::move(people).Finish();
}

}  // namespace pentimento
