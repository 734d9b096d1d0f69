// Of a series in which people who have left keep their rows: how many are still there, and how few of them share a
// class. k counts everybody; whoever sees which rows are empty can set those who have left aside.
#pragma once

#include <cstdint>
#include <span>

#include "release/classes.h"

namespace pentimento {

struct LivingCounts {
  std::uint64_t living = 0;
  std::uint64_t withdrawn = 0;
  std::uint64_t among_few = 0;  // living, in a class with fewer than k living
  std::uint64_t fewest = 0;     // living, of the classes that have any; 0 where nobody is
};

// Classes with equal boxes are one. `is_withdrawn`: by row.
LivingCounts CountLiving(const Classes& classes, std::span<const std::uint8_t> is_withdrawn, std::uint64_t k);

}  // namespace pentimento
