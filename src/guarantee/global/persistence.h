// Whether an item comes and goes, measured: how many of those who had it last time have it again, beside how frequent
// it is. The account multiplies chances as if every release were a fresh draw (global_guarantee.md, Assumes 1), and
// this is the only place where that shows to be wrong.
//
// 1. Ratios are compared as fractions.
// 2. Nothing is held against an item that chance alone explains: of values that are drawn anew, one release in
//    kOneFalseAlarmIn has an item that is remarked on, at most, however small it is and however many items it has.
// 3. The same numbers have the same answer on every machine.
#pragma once

#include <cstdint>

#include "base/ratio.h"

namespace pentimento {

// What one release and the account say of an item. At most 2^32 rows.
struct HeldAgain {
  std::uint64_t rows = 0;     // of the release, a person each
  std::uint64_t holders = 0;  // of them, who have the item
  std::uint64_t known = 0;    // of them, of whom it is on record whether they had it in the last release they were in
  std::uint64_t had = 0;      // of these, who had it
  std::uint64_t again = 0;    // of those, who have it now
};

enum class Persistence : std::uint8_t {
  kUnknown,       // nobody is known to have had it
  kTooFew,        // what was seen can be chance, or whatever could have been seen
  kComesAndGoes,  // and that would have shown
  kStays,         // above kRemarkablePersistence
  kRefused,       // above what the policy allows
};

inline constexpr Ratio kRemarkablePersistence = {2, 1};
inline constexpr std::uint64_t kOneFalseAlarmIn = 1000;

// That so many have it again has a chance of at most 1 / (kOneFalseAlarmIn * items) where those who had it are as
// likely to have it as everybody else. `items`: how many are looked at, at least 1.
bool IsBeyondChance(const HeldAgain& seen, std::uint64_t items);

struct MeasuredPersistence {
  HeldAgain seen;
  Persistence told = Persistence::kUnknown;
};

// How many times its frequency, for people to read; 0 where nobody has it again. No answer depends on it.
inline double PersistenceRatio(const HeldAgain& seen) {
  if (seen.again == 0) return 0;
  return static_cast<double>(seen.again) / static_cast<double>(seen.had) /
         (static_cast<double>(seen.holders) / static_cast<double>(seen.rows));
}

// REQUIRES: again <= had <= known <= rows, again <= holders <= rows, most >= 1.
Persistence ClassifyPersistence(const HeldAgain& seen, Ratio most, std::uint64_t items);

}  // namespace pentimento
