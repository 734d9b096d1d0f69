// What a match of two releases has to pass: one link for each pair of columns that is compared.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "release/joined_releases.h"

namespace pentimento {

// The cells at both ends pass where one contains the other (path), where they have a code in common (overlap), or
// where they are not both inside the values that exclude each other (exclusion).
enum class LinkKind { kPath, kOverlap, kExclusion };

struct LinkEnd {
  ReleaseColumn at;
  Interval values;  // of an exclusion
};

struct JoinLink {
  LinkKind kind = LinkKind::kPath;
  LinkEnd left;
  LinkEnd right;
};

// The new release, and those that a requirement is against.
std::vector<std::uint32_t> TakingPart(std::span<const std::uint32_t> against);

// The links among these releases, each between two different ones. Common attributes and impossible pairs of other
// releases have none. Three releases with a common attribute have three links: being on one path is not transitive.
std::vector<JoinLink> LinksAmong(const JoinedReleases& releases, std::span<const std::uint32_t> taking_part);

// What a link looks at. Of an exclusion that is only whether the cell lies inside the values, as [1,1] or [0,0], so
// that rows that differ in nothing else have one join value.
inline Interval JoinCell(LinkKind kind, const LinkEnd& end, Interval cell) {
  if (kind != LinkKind::kExclusion) return cell;
  return end.values.Contains(cell) ? Interval{1, 1} : Interval{0, 0};
}

inline bool JoinCellsMatch(LinkKind kind, Interval left, Interval right) {
  if (kind == LinkKind::kPath) return left.Contains(right) || right.Contains(left);
  if (kind == LinkKind::kOverlap) return left.Intersects(right);
  return left.lo == 0 || right.lo == 0;
}

}  // namespace pentimento
