// A match of the join that shows a value on X, and how it is told.
#pragma once

#include <optional>
#include <string>

#include "guarantee/xy/fold.h"
#include "guarantee/xy/joined_view.h"

namespace pentimento {

// Which values a witness shall have; no y: any.
struct WitnessValues {
  std::uint32_t one_x = 0;
  std::uint32_t others_x = 0;
  std::optional<std::uint32_t> one_y = std::nullopt;
  std::optional<std::uint32_t> others_y = std::nullopt;
};

// The first match with these values. There is one; the side `one` is the new release.
MatchWitness FindWitness(const JoinSides& sides, const WitnessValues& wanted);

// "row 12 of the input has it, with records like record 7 of 'immigration-2025'"
std::string Describe(const MatchWitness& witness, const JoinedReleases& releases);

}  // namespace pentimento
