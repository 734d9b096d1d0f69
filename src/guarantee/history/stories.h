// People with the same story are alike to everybody who looks at some releases: they have the same class, or the same
// absence and the same covering class, in each of them. Crowds are computed story by story instead of person by person.
//
// 1. The r-th bit of a mask stands for the r-th release of the set that the stories were told of.
// 2. `classes` has, for each story, one number per release: the class that it is in, or the one that covers it.
//    kNotInRelease where no class does, or nobody knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "guarantee/history/joint_classes.h"
#include "release/common_releases.h"

namespace pentimento {

using ReleaseMask = std::uint64_t;
inline constexpr std::size_t kMostReleasesInMask = 64;

struct Stories {
  std::size_t releases = 0;
  std::vector<std::uint32_t> of_person;               // kInNoRelease for whoever is in none of the releases
  std::vector<std::uint32_t> people;                  // by story, as all that follow
  std::vector<std::uint32_t> person;                  // the first of them
  std::vector<std::uint32_t> joint;                   // how many people their joint class has over all the releases
  std::vector<ReleaseMask> present;                   // the releases they are in; never 0
  std::vector<ReleaseMask> known;                     // those of which it is known which class covers them, if any
  std::vector<ClassNumber> classes;                   // `releases` per story
  std::vector<std::vector<std::uint32_t>> strangers;  // by release and class
  std::vector<std::uint64_t> all_strangers;           // by release

  std::uint32_t count() const { return static_cast<std::uint32_t>(people.size()); }
  ClassNumber class_in(std::uint32_t story, std::size_t release) const { return classes[story * releases + release]; }
  ReleaseMask all() const {
    return releases == kMostReleasesInMask ? ~ReleaseMask{0} : (ReleaseMask{1} << releases) - 1;
  }
};

// The releases of a mask, by their places in CommonReleases.
std::vector<std::uint32_t> PlacesOf(std::span<const std::uint32_t> set, ReleaseMask mask);

// REQUIRES: at most kMostReleasesInMask releases, and those of FindJointClasses (joint_classes.h); `covering` is empty
// or has one element for each person.
Stories TellStoriesOf(const CommonReleases& common, std::span<const std::uint32_t> set);
// `joint`: over this set.
Stories TellStoriesOf(const CommonReleases& common, std::span<const std::uint32_t> set, const JointClasses& joint);

}  // namespace pentimento
