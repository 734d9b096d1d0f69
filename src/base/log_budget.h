// The arithmetic of the accountant. That somebody was never linked to a value is a product of shares; in logarithms
// each exposure is a cost, and a limit is a budget. Costs are rounded up, budgets and what is left of them down, so
// what fits here fits in truth. Fixed point from end to end: equal on every machine.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>

#include "base/mix64.h"
#include "base/ratio.h"

namespace pentimento {

// In units of 2^-62.
using LogCost = std::uint64_t;

inline constexpr int kLogCostBits = 62;

// More than any budget: with l of at least 2, a chance above one half is above every limit. Costs go no higher, so two
// of them can be added.
inline constexpr LogCost kBeyondBudget = LogCost{1} << kLogCostBits;

// A cost that is not 0 is above the truth by less than this, unless it is kBeyondBudget.
inline constexpr LogCost kLogCostSlack = 2;

// -ln(1 - holders/rows), rounded up: what it costs to be one of `rows` of which `holders` have the value. Nothing where
// nobody has it; kBeyondBudget where more than half have it. At most 2^32 rows.
LogCost CostOfExposure(std::uint64_t holders, std::uint64_t rows);

// The same for a person with `drawn` of these rows, whichever they are: -ln(C(rows-holders, drawn) / C(rows, drawn)).
// Above the truth by less than kLogCostSlack for each of min(holders, drawn) factors.
LogCost CostOfDraws(std::uint64_t holders, std::uint64_t rows, std::uint64_t drawn);

// Never above kBeyondBudget, and never around the corner to a small number, whatever was read as having been spent.
inline LogCost AddCosts(LogCost a, LogCost b) {
  const LogCost capped = a < kBeyondBudget ? a : kBeyondBudget;
  return b < kBeyondBudget - capped ? capped + b : kBeyondBudget;
}

// -ln(1 - 1/l), rounded down by less than kLogCostSlack; l from 2 to 2^32.
LogCost BudgetOfLimit(std::uint64_t l);

// Shares of a class in units of 2^-32.
using ClassShare = std::uint64_t;

inline constexpr ClassShare kWholeClass = ClassShare{1} << 32;

// The largest share that what is left allows, rounded down, at most one half: where holders/rows is within it,
// CostOfExposure(holders, rows) is at most `remaining`. Loses less than one unit of 2^-32 and a bit: somebody with
// nothing spent is better verified by 1/l itself.
ClassShare LargestShare(LogCost remaining);

// The chance that this cost stands for, 1 - exp(-cost), in the same units and rounded up; for people to read.
ClassShare ChanceOfCost(LogCost cost);

// Remembers costs: millions of classes have few different numbers of rows and holders. For one thread.
class CostTable {
 public:
  LogCost Of(std::uint32_t holders, std::uint32_t rows) {
    if (holders == 0) return 0;
    const std::uint64_t key = std::uint64_t{holders} << 32 | rows;
    const auto found = costs_.find(key);
    if (found != costs_.end()) return found->second;
    return costs_.emplace(key, CostOfExposure(holders, rows)).first->second;
  }

 private:
  tsl::robin_map<std::uint64_t, LogCost, Mix64> costs_;
};

}  // namespace pentimento
