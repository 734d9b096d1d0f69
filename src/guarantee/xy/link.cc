#include "guarantee/xy/link.h"

#include <algorithm>

namespace pentimento {

std::vector<std::uint32_t> TakingPart(std::span<const std::uint32_t> against) {
  std::vector<std::uint32_t> releases = {0};
  releases.insert(releases.end(), against.begin(), against.end());
  return releases;
}

std::vector<JoinLink> LinksAmong(const JoinedReleases& releases, std::span<const std::uint32_t> taking_part) {
  const auto takes_part = [&](const ReleaseColumn& at) {
    return std::ranges::find(taking_part, at.release) != taking_part.end();
  };
  std::vector<JoinLink> links;
  for (const CommonAttribute& attribute : releases.common) {
    const LinkKind kind = attribute.by_overlap ? LinkKind::kOverlap : LinkKind::kPath;
    for (const ReleaseColumn left : attribute.columns) {
      for (const ReleaseColumn right : attribute.columns) {
        if (left.release >= right.release || !takes_part(left) || !takes_part(right)) continue;
        links.push_back({kind, {left, {}}, {right, {}}});
      }
    }
  }
  for (const ImpossiblePair& pair : releases.impossible) {
    if (pair.left.release == pair.right.release || !takes_part(pair.left) || !takes_part(pair.right)) continue;
    links.push_back({LinkKind::kExclusion, {pair.left, pair.left_values}, {pair.right, pair.right_values}});
  }
  return links;
}

}  // namespace pentimento
