#include "release/global_horizon.h"

#include <algorithm>

#include "base/big_natural.h"
#include "base/certified_log.h"
#include "base/check.h"

namespace pentimento {
namespace {

constexpr std::uint64_t kMostExact = 1'000;
constexpr std::uint64_t kMostRows = std::uint64_t{1} << 32;

bool IsBorne(std::uint64_t l, std::uint64_t holders, std::uint64_t rows, std::uint64_t releases) {
  BigNatural never(l);
  BigNatural required(l - 1);
  for (std::uint64_t i = 0; i < releases; ++i) {
    never *= rows - holders;
    required *= rows;
  }
  return never >= required;
}

}  // namespace

std::uint64_t MostReleases(std::uint64_t l, std::uint64_t holders, std::uint64_t rows) {
  Check(l >= 2 && l <= kMostRows && holders <= rows && rows <= kMostRows, "a horizon outside of its range");
  if (holders == 0) return kAnyNumberOfReleases;
  if (holders > rows - holders) return 0;
  const LogBounds budget = BoundLog(l, l - 1);
  const LogBounds cost = BoundLog(rows, rows - holders);
  const auto at_least = static_cast<std::uint64_t>(budget.at_least / cost.at_most);
  const auto at_most = static_cast<std::uint64_t>(budget.at_most / cost.at_least);
  if (at_least == at_most || at_most > kMostExact) return at_least;
  return IsBorne(l, holders, rows, at_most) ? at_most : at_least;
}

std::uint64_t ReleasesLeft(LogCost remaining, std::uint64_t holders, std::uint64_t rows) {
  return holders == 0 ? kAnyNumberOfReleases : remaining / CostOfExposure(holders, rows);
}

}  // namespace pentimento
