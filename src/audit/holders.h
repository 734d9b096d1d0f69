// Who has one value of a sensitive column for sure, by two releases, if values stay: exactly. How many people of each
// joint class have the value is a flow from the classes of one release to those of the other, with the counts of the
// value as what goes in and comes out. It can change by cycles of the residual graph only, so that whatever is between
// two of its strongly connected components is forced.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "release/common_releases.h"

namespace pentimento {

struct ValueHolders {
  // Whether there is a world; where not, values do not stay, and every bound is trivial.
  bool is_possible = true;
  // Whether every bound is reached. Where the work was used up it is only known of joint classes of one person, and
  // HasIt and HasItNot are exact of all: with an edge that is full, or empty, no way leads back over the edge itself,
  // so it is forced if and only if it is between two components.
  bool is_exact = true;
  std::vector<std::uint32_t> joint_of_person;  // kNoJointClass for whoever is in neither release
  std::vector<std::uint32_t> joint_size;       // by joint class of known people
  std::vector<std::uint32_t> least;            // by joint class: how many of them have the value
  std::vector<std::uint32_t> most;

  // Of a person in one of the releases.
  bool HasIt(std::uint32_t person) const {
    return least[joint_of_person[person]] == joint_size[joint_of_person[person]];
  }
};

// Looks at no more than `work` joint classes to tighten the bounds of those with more than one person.
// REQUIRES: both releases have bags of the column.
ValueHolders FindHolders(const CommonReleases& common, std::string_view column, std::uint32_t value,
                         std::array<std::size_t, 2> releases, std::uint64_t work = 100'000'000);

}  // namespace pentimento
