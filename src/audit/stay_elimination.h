// Values ruled out one by one, before sums are looked at: whoever has one value left takes a row with it out of each of
// their bags, and where no such row is left nobody else of the class has the value. The same follows from the sums
// (stay_bounds.h), but most people are decided here, in a fraction of the time and memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "audit/stay_joint.h"
#include "release/common_releases.h"

namespace pentimento {

// What is left of the bags of one release.
struct OpenBags {
  std::size_t values = 0;            // that the column has
  std::vector<std::uint16_t> rows;   // by class and value: of nobody who is decided
  std::vector<std::uint64_t> masks;  // by class: values with rows
};

struct Eliminated {
  std::vector<OpenBags> bags;  // by release
  // Classes, numbered through all releases, that cannot be as published if values stay. All others in which everybody
  // is decided can be.
  std::vector<std::uint32_t> impossible;
};

// `masks`: by joint class, a bit for each value below 64 that is in all of its bags; what is ruled out is taken away.
// Looks at no more than `work` classes of joint classes that are not decided. Nothing, with nothing ruled out, where
// values are too many for a table by class and value.
// REQUIRES: one bag for each release of `joint`; no value of 64 or more.
std::optional<Eliminated> EliminateValues(const StayJointClasses& joint, std::span<const ValueBags* const> bags,
                                          std::vector<std::uint64_t>& masks, std::uint64_t work);

}  // namespace pentimento
