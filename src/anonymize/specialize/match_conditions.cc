#include "anonymize/specialize/match_conditions.h"

#include <algorithm>

namespace pentimento {

std::vector<MatchCondition> ConditionsAmong(const XyReleases& releases, std::span<const std::uint32_t> chosen) {
  const auto takes_part = [&](const ReleaseColumn& at) {
    return at.release == 0 || std::ranges::find(chosen, at.release) != chosen.end();
  };
  std::vector<MatchCondition> conditions;
  for (const CommonAttribute& attribute : releases.common) {
    for (const ReleaseColumn one : attribute.columns) {
      for (const ReleaseColumn other : attribute.columns) {
        if (one.release < other.release && takes_part(one) && takes_part(other))
          conditions.push_back({one, other, attribute.by_overlap, std::nullopt});
      }
    }
  }
  for (const ImpossiblePair& pair : releases.impossible) {
    if (pair.left.release == pair.right.release || !takes_part(pair.left) || !takes_part(pair.right)) continue;
    if (pair.left.release < pair.right.release) {
      conditions.push_back({pair.left, pair.right, false, std::pair(pair.left_values, pair.right_values)});
    } else {
      conditions.push_back({pair.right, pair.left, false, std::pair(pair.right_values, pair.left_values)});
    }
  }
  return conditions;
}

}  // namespace pentimento
