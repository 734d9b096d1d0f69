// What several releases tell together about people, counted: how many have a crowd below k, for either attacker, and
// which releases it takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "guarantee/history/crowds.h"
#include "guarantee/history/joint_classes.h"
#include "release/common_releases.h"

namespace pentimento {

// Who looks: both know everybody's quasi-identifiers.
enum class Membership {
  kUnknown,  // but not who is in which release: sees crowds
  kKnown     // and who is in which release: sees joint classes
};

struct CrowdCounts {
  std::uint64_t below_k = 0;   // people
  std::uint64_t alone = 0;     // of them
  std::uint64_t smallest = 0;  // people in the smallest crowd where somebody's is below k; else at least so many; 0
                               // where there are no people

  friend bool operator==(const CrowdCounts&, const CrowdCounts&) = default;
};

// Over the releases together and every choice of them: of each person the smallest crowd counts.
struct Composition {
  std::uint64_t people = 0;     // in at least one of the releases
  CrowdCounts known;            // for whoever knows who is in which release; exact
  CrowdCounts unknown;          // for whoever does not, by the lower bound of every crowd: at least this small
  CrowdCounts unknown_at_best;  // the same by the upper bound
  // False: there were too many choices of releases. Then `unknown` counts by joint classes, which are no larger than
  // crowds, and `unknown_at_best` by what was looked at.
  bool every_choice = true;

  bool is_exact() const { return every_choice && unknown == unknown_at_best; }
};

// The releases at some places, looked at once, and counted for as many k as are asked for.
class ComposedReleases {
 public:
  // `joint`: over this set.
  ComposedReleases(const CommonReleases& common, std::span<const std::uint32_t> set, const JointClasses& joint,
                   std::uint64_t most_k, WorkLimit limit = {});

  // REQUIRES: k <= most_k.
  Composition Count(std::uint64_t k) const;

 private:
  struct SmallCrowd {
    std::uint64_t joint = 0;   // how many people the joint class has
    std::uint64_t people = 0;  // with this crowd
    Crowd crowd;               // the smallest one over any choice of releases
  };
  void FindSmallCrowds(const Stories& stories, WorkLimit limit);
  void CountUnknown(std::uint64_t k, Composition& composition) const;

  std::uint64_t most_k_ = 0;
  std::vector<std::uint64_t> joint_of_size_;  // how many joint classes have so many people
  bool crowds_are_joint_ = true;              // no crowd below most_k is larger than its joint class
  bool every_choice_ = true;
  std::vector<SmallCrowd> small_crowds_;  // of joint classes with fewer than most_k people, where they are more
};

Composition Compose(const CommonReleases& common, std::span<const std::uint32_t> set, std::uint64_t k,
                    WorkLimit limit = {});

// Sets of releases over which somebody's crowd (by its lower bound) or joint class is below k, while over no part of
// the set anybody's is. Places in CommonReleases; smaller sets first. Single releases count: one may be below k itself.
struct MinimalSets {
  std::vector<std::vector<std::uint32_t>> sets;
  bool every_set = true;  // false: the limit was reached, and there may be more
};

MinimalSets FindMinimalSets(const CommonReleases& common, std::span<const std::uint32_t> set, std::uint64_t k,
                            Membership membership, WorkLimit limit = {});

}  // namespace pentimento
