// What decides about a match of records of two releases, for the maker.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "release/xy_releases.h"

namespace pentimento {

struct MatchCondition {
  ReleaseColumn one;  // of the release with the smaller number
  ReleaseColumn other;
  bool by_overlap = false;
  std::optional<std::pair<Interval, Interval>> exclude;  // of an impossible pair

  bool Fits(Interval left, Interval right) const {
    if (exclude) return !exclude->first.Contains(left) || !exclude->second.Contains(right);
    return by_overlap ? left.Intersects(right) : left.Contains(right) || right.Contains(left);
  }
};

// Among the new release and those that are chosen.
std::vector<MatchCondition> ConditionsAmong(const XyReleases& releases, std::span<const std::uint32_t> chosen);

}  // namespace pentimento
