#include "base/log_budget.h"

#include <algorithm>

#include "base/certified_log.h"
#include "base/check.h"

namespace pentimento {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr int kFinerBits = kFineLogBits - kLogCostBits;

// Above ln(larger / smaller) by less than 2 units: by at most 1 for the rounding, and by 2^8 of the 2^33 fine units
// that make one unit for the bounds.
LogCost LogRoundedUp(std::uint64_t larger, std::uint64_t smaller) {
  if (larger == smaller) return 0;
  if (larger - smaller > smaller) return kBeyondBudget;
  return static_cast<LogCost>(BoundLog(larger, smaller).at_most >> kFinerBits) + 1;
}

// 1 - exp(-x) = x (1 - x/2 (1 - x/3 (1 - ...))), for x up to 1. Each bracket is between 0 and 1, and wrong by less than
// 2 units plus half of what the next one is wrong by: less than 4 together. What follows the 20th is below x^20/20!,
// another 2 units. So the result is wrong by less than kChanceError.
constexpr LogCost kChanceError = 8;

LogCost RoughChance(LogCost x) {
  LogCost bracket = kBeyondBudget;
  for (LogCost k = 20; k >= 2; --k)
    bracket = kBeyondBudget - static_cast<LogCost>(Wide{x} * bracket >> kLogCostBits) / k;
  return static_cast<LogCost>(Wide{x} * bracket >> kLogCostBits);
}

constexpr int kShareBits = kLogCostBits - 32;

}  // namespace

LogCost CostOfExposure(std::uint64_t holders, std::uint64_t rows) {
  Check(holders <= rows && rows <= std::uint64_t{1} << 32, "a class with more holders than rows");
  return LogRoundedUp(rows, rows - holders);
}

LogCost CostOfDraws(std::uint64_t holders, std::uint64_t rows, std::uint64_t drawn) {
  Check(holders <= rows && drawn <= rows && rows <= std::uint64_t{1} << 32, "more rows are drawn than there are");
  // C(n-s, r) / C(n, r) = C(n-r, s) / C(n, s), so the shorter of both products will do.
  const std::uint64_t factors = std::min(holders, drawn);
  const std::uint64_t left = rows - std::max(holders, drawn);
  if (left < factors) return kBeyondBudget;
  LogCost cost = 0;
  for (std::uint64_t i = 0; i < factors && cost < kBeyondBudget; ++i)
    cost = AddCosts(cost, LogRoundedUp(rows - i, left - i));
  return cost;
}

LogCost BudgetOfLimit(std::uint64_t l) {
  Check(l >= 2 && l <= std::uint64_t{1} << 32, "a limit outside of its range");
  return static_cast<LogCost>(BoundLog(l, l - 1).at_least >> kFinerBits);
}

ClassShare LargestShare(LogCost remaining) {
  // A cost may be above the truth by the slack, so the truth must stay below what is left by as much.
  if (remaining <= kLogCostSlack) return 0;
  const LogCost chance = RoughChance(std::min(remaining, kBeyondBudget) - kLogCostSlack);
  if (chance <= kChanceError) return 0;
  return std::min((chance - kChanceError) >> kShareBits, kWholeClass / 2);
}

ClassShare ChanceOfCost(LogCost cost) {
  return ((RoughChance(std::min(cost, kBeyondBudget)) + kChanceError) >> kShareBits) + 1;
}

}  // namespace pentimento
