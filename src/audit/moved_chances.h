// How many of the rows with one home are moved, if chance decides: the numbers behind moved_rows.h.
#pragma once

#include <cstdint>
#include <vector>

namespace pentimento {

// Rows with one home: those that stayed and those that were moved, by value. Where limits are given, those moved to one
// class alone.
struct MovedValue {
  std::uint32_t value = 0;
  std::uint32_t rows = 0;   // stayed or moved
  std::uint32_t moved = 0;  // of them
  std::uint32_t least = 0;  // that had to be moved for the limits
  std::uint32_t most = 0;   // that could be
};
struct MovedFromHome {
  std::vector<MovedValue> values;
  std::uint32_t rows = 0;
  std::uint32_t moved = 0;
  bool is_limited = false;  // some number of moved rows is ruled out by the limits
};

// The chances of how many rows of some kind are moved, from `least` on.
struct MoveChances {
  std::uint32_t least = 0;
  std::vector<double> log_chance;

  double Mean() const;
  // The logarithm of the mean of e^(slope * number).
  double LogMoment(double slope) const;
};

// Of `rows` rows `moved` are drawn; `kind` of them are of the kind.
MoveChances Hypergeometric(std::uint32_t rows, std::uint32_t kind, std::uint32_t moved);

// Of each value: the chances of how many are moved, all choices within the limits being equally likely. Takes
// moved * moved * values steps.
std::vector<MoveChances> ChancesWithinLimits(const MovedFromHome& home);

}  // namespace pentimento
