// Joint classes: the people with the same class, or the same absence, in each of some releases. Nobody can tell them
// apart by these releases, so what these say of values is a matter of how many people of a joint class have which.
//
// 1. Joint classes are numbered in the order of their first people, as in guarantee/history. Whoever is in none of the
//    releases is in none.
// 2. After those of known people come the strangers: those of one class of one release are a joint class that is in
//    that release only, as nobody can tell where else they are.
// 3. No joint class is empty, and the sizes of those in a class add up to its rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "guarantee/history/joint_classes.h"
#include "release/common_releases.h"

namespace pentimento {

// The joint class of whoever is in none of the releases.
inline constexpr std::uint32_t kNoJointClass = 0xffffffff;

// Refers to the releases that it was made of.
struct StayJointClasses {
  std::vector<const CommonRelease*> releases;
  std::vector<std::uint32_t> class_base;  // by release, and one more: the number of its class 0 among all classes
  std::vector<std::uint32_t> joint_of_person;
  std::vector<std::uint32_t> size;          // by joint class
  std::vector<std::uint32_t> first_person;  // by joint class of known people
  struct Strangers {
    std::uint32_t release = 0;
    ClassNumber number = 0;
  };
  std::vector<Strangers> strangers;  // by joint class, after those of known people

  std::uint32_t known() const { return static_cast<std::uint32_t>(first_person.size()); }
  std::uint32_t count() const { return static_cast<std::uint32_t>(size.size()); }
  // kNotInRelease where it is not in the release at this position.
  ClassNumber ClassIn(std::uint32_t release, std::uint32_t joint) const {
    if (joint < known()) return releases[release]->class_of[first_person[joint]];
    const Strangers& of = strangers[joint - known()];
    return of.release == release ? of.number : kNotInRelease;
  }
  // Calls `use` with the position of a release and the class in it, release by release, for those that it is in.
  template <typename Use>
  void ForEachClass(std::uint32_t joint, Use use) const {
    if (joint >= known()) {
      const Strangers& of = strangers[joint - known()];
      use(of.release, of.number);
      return;
    }
    for (std::uint32_t r = 0; r < releases.size(); ++r) {
      const ClassNumber number = releases[r]->class_of[first_person[joint]];
      if (number != kNotInRelease) use(r, number);
    }
  }
  // Calls `use` with each joint class in one release and the class it is in. Whoever goes through all joint classes
  // release by release finds what belongs to a class in the cache.
  template <typename Use>
  void ForEachIn(std::uint32_t release, Use use) const {
    const std::vector<ClassNumber>& of = releases[release]->class_of;
    for (std::uint32_t j = 0; j < known(); ++j) {
      if (of[first_person[j]] != kNotInRelease) use(j, of[first_person[j]]);
    }
    for (std::uint32_t i = 0; i < strangers.size(); ++i) {
      if (strangers[i].release == release) use(known() + i, strangers[i].number);
    }
  }
};

// REQUIRES: the releases of these numbers are well-formed (common_releases.h), without a person of several rows.
// `found`: the joint classes over these releases, where somebody knows them; null where they have to be found.
StayJointClasses GroupJointly(const CommonReleases& common, std::span<const std::size_t> releases,
                              const JointClasses* found = nullptr);

// The bags of the column in a release. REQUIRES: it has them.
const ValueBags& BagsOf(const CommonRelease& release, std::string_view column);

}  // namespace pentimento
