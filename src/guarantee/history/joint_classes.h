// Who cannot be told apart over several releases by whoever also knows who is in which of them: the joint classes.
//
// 1. Two people are in one joint class if they have the same class, or the same absence, in each of the releases.
// 2. Whoever is in none of the releases is in no joint class.
// 3. Strangers (common_releases.h, 3) are not people of a joint class: nobody can tell what they are in elsewhere.
//
// See history.md for what follows from them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "release/common_releases.h"

namespace pentimento {

inline constexpr std::uint32_t kInNoRelease = 0xffffffff;

struct JointClasses {
  std::vector<std::uint32_t> of_person;  // kInNoRelease for whoever is in none
  std::vector<std::uint32_t> people;     // by joint class; never 0
};

// The places of all releases, from 0.
std::vector<std::uint32_t> AllReleases(const CommonReleases& common);

// Over the releases at these places. Joint classes are numbered in the order of their first people. O(releases x
// people), side by side.
// REQUIRES: class_of of each release has one element for each person, a class that is there or kNotInRelease.
JointClasses FindJointClasses(const CommonReleases& common, std::span<const std::uint32_t> set);

// What the last release of a set changes, in one go: the joint classes over the others, and over all of them.
struct JointClassesByLast {
  JointClasses before;
  JointClasses after;
};
JointClassesByLast FindJointClassesByLast(const CommonReleases& common, std::span<const std::uint32_t> set);

}  // namespace pentimento
