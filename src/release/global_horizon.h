// How long a series can last under the global guarantee, before anything is published. Pure numbers; which side they
// are rounded to is said for each.
#pragma once

#include <cstdint>
#include <limits>

#include "base/log_budget.h"

namespace pentimento {

inline constexpr std::uint64_t kAnyNumberOfReleases = std::numeric_limits<std::uint64_t>::max();

// How many releases the budget of somebody allows who is in a class with `holders` of `rows` in each of them: the
// largest K with l * (rows-holders)^K >= (l-1) * rows^K. With the frequency of an item in the whole table it bounds
// every series of a fixed population, because the mean exposure in a release is that frequency however people are
// grouped, and the cost is convex. Exact up to 1,000 releases; beyond that never too large, and too small by one at
// most. l and rows up to 2^32.
std::uint64_t MostReleases(std::uint64_t l, std::uint64_t holders, std::uint64_t rows);

// The same with what is left of a budget, in a series that is under way. A promise: never too large.
std::uint64_t ReleasesLeft(LogCost remaining, std::uint64_t holders, std::uint64_t rows);

}  // namespace pentimento
