// What several releases say together of the values of a sensitive column, if everybody's value stays: for whoever knows
// everybody's quasi-identifiers and who is in which release. All numbers are of people.
//
// 1. What is called certain holds in every world in which values stay and the releases are true. Nothing is certain
//    where there is no such world (the contradicted).
// 2. A share of a joint class has the value in every such world: whoever picks one of its people is right with at least
//    this chance. It is a lower bound of the posterior, which may be higher.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "audit/stay_estimate.h"
#include "audit/stay_joint.h"
#include "audit/stay_search.h"
#include "base/ratio.h"
#include "guarantee/history/joint_classes.h"
#include "release/common_releases.h"

namespace pentimento {

struct StayQuestion {
  std::string column;
  std::vector<std::size_t> releases;  // their numbers; each has bags of the column
  Ratio alpha = {1, 2};
  const JointClasses* joint = nullptr;  // over these releases in this order, where somebody has found them already
  std::uint32_t estimate_rounds = 0;    // how often the posterior is fitted, at most; 0 for no estimate
};

struct StayLimits {
  std::uint64_t work = 1'000'000'000;  // unknowns of sums looked at
  StaySearchLimits search = {};
};

// Bounds on how many people of a joint class have a value.
struct StayBound {
  std::uint32_t value = 0;
  std::uint32_t least = 0;
  std::uint32_t most = 0;
};

struct StayingValues {
  std::uint32_t people = 0;              // in at least one of the releases
  std::uint32_t certain_by_support = 0;  // of those certain: one value is in all bags
  std::uint32_t certain = 0;
  std::uint32_t above_alpha = 0;   // a share of more than alpha has one value for sure; the certain are among them
  std::uint32_t contradicted = 0;  // values do not stay, or a release is not true
  std::uint32_t unsettled = 0;     // neither certain nor contradicted, and perhaps certain all the same
  bool stopped = false;            // the work was used up

  // A person number each.
  std::optional<std::uint32_t> certain_witness;
  std::optional<std::uint32_t> above_alpha_witness;
  std::optional<std::uint32_t> contradiction_witness;

  std::optional<StayEstimate> estimate;

  // By person and by joint class, for whoever asks of single people. A person in none of the releases has
  // kNoJointClass.
  std::vector<std::uint32_t> joint_of_person;
  std::vector<std::uint32_t> joint_size;      // without those of strangers
  std::vector<std::uint32_t> begin;           // by joint class, and one more
  std::vector<StayBound> bounds;              // of values in all its bags that are not ruled out; ascending
  std::vector<std::uint8_t> is_exact;         // by joint class: each bound is reached in some world
  std::vector<std::uint8_t> is_contradicted;  // by joint class

  // Whether nobody else's value is certain.
  bool exact() const { return unsettled == 0; }
  // None of a contradicted person, or of one who is in none of the releases.
  std::span<const StayBound> BoundsOf(std::uint32_t person) const;
  std::optional<std::uint32_t> CertainValue(std::uint32_t person) const;
};

StayingValues InferStayingValues(const CommonReleases& common, const StayQuestion& question,
                                 const StayLimits& limits = {});

}  // namespace pentimento
