// In which classes of one release each person can be, for whoever knows everybody's quasi-identifiers. Where boxes
// overlap, the box alone does not say: but every row is about one person, and a class has so many rows. Who can be
// where is decided by all of it together: an assignment of people to rows is a flow, two assignments differ by circles,
// so a person can be in a class if and only if both are in one strongly connected component of what is left of the flow
// (audit/pairing_blocks.h).
//
// 1. A person can be in a class that is listed, and in no other: in some assignment of all people, if is_exact; else
//    the list may be too long, never too short.
// 2. People with equal boxes can be in the same classes: they are one profile.
// 3. Where there is no assignment, or the limits are reached, nothing follows, and the classes whose boxes meet the
//    person's are listed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/interval.h"
#include "release/classes.h"

namespace pentimento {

struct SeatingQuestion {
  // The boxes of the classes; who is in them is not looked at. Equal boxes of two classes are told apart, as group_id
  // does: classes that nobody can tell apart are the caller's to merge (release/equal_boxes.h).
  const Classes& classes;
  std::span<const std::uint32_t> rows;  // by class
  // What is known of each person: an interval for each column, person after person. Whose codes are known has intervals
  // of one code.
  std::span<const Interval> people;
  bool all_are_in = true;     // each of these people has a row in the release
  bool all_are_known = true;  // each row is about one of these people
};

// Beyond these nothing is looked for, and the outcome says so.
struct SeatingLimits {
  std::uint64_t most_pairs = std::uint64_t{1} << 27;  // of a profile and a class; a pair takes 4 bytes
  std::uint64_t most_steps = std::uint64_t{1} << 32;  // looks at a pair
};

enum class SeatingOutcome {
  kSeated,
  // The release is not about these people, all of them and nobody else, or somebody's quasi-identifiers are others.
  kNoAssignment,
  kTooManyPairs,  // nothing is listed
  kTooManySteps,
};

struct Seating {
  SeatingOutcome outcome = SeatingOutcome::kSeated;
  bool is_exact = false;  // everybody's codes are known, and the outcome is kSeated

  std::vector<std::uint32_t> profile_of_person;
  std::vector<std::uint64_t> begin;   // by profile, and one more
  std::vector<ClassNumber> possible;  // ascending for each profile
  std::uint64_t people = 0;
  std::uint64_t in_no_box = 0;                    // people whom no box meets
  std::uint64_t in_several_boxes = 0;             // whom more than one box meets
  std::uint64_t narrowed = 0;                     // of those: some class whose box meets theirs is ruled out
  std::uint64_t forced = 0;                       // of those: one class is left
  std::optional<std::uint32_t> narrowed_witness;  // the first such person
  std::optional<std::uint32_t> forced_witness;

  std::span<const ClassNumber> ClassesOf(std::uint32_t person) const {
    const std::uint32_t profile = profile_of_person[person];
    return std::span(possible).subspan(begin[profile], begin[profile + 1] - begin[profile]);
  }
};

// REQUIRES: the classes have columns, and `rows` has an element for each of them.
Seating SeatPeople(const SeatingQuestion& question, const SeatingLimits& limits = {});

}  // namespace pentimento
