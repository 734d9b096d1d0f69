// The tree of cuts as it is kept for a series: every leaf is a region of the declared domain, the leaves tile it, and a
// newcomer finds the leaf by descending. A node's children are neighbours in the array and tile the node in one column.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "base/interval.h"

namespace pentimento {

using NodeNumber = std::uint32_t;

// 16 bytes without padding: nodes are kept in files as they are.
struct RegionNode {
  static constexpr std::uint32_t kLeaf = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t column = kLeaf;  // the column that is cut; kLeaf: nothing is
  NodeNumber first_child = 0;
  std::uint32_t child_count = 0;  // children in the order of their codes
  Code start = 0;                 // the node's lowest code in the column that its parent cuts

  bool is_leaf() const { return column == kLeaf; }
  friend bool operator==(const RegionNode&, const RegionNode&) = default;
};

// Where a tree begins: neighbouring records, and the region they share where regions are published.
struct RegionRoot {
  std::size_t begin = 0;
  std::size_t end = 0;
  Box region;
};

// Which of a node's children, given in their order, a code belongs to.
inline std::size_t ChildOfCode(std::span<const RegionNode> children, Code code) {
  // Nearly all nodes have two, and which of them it is cannot be foretold: no branch.
  if (children.size() == 2) return children[1].start <= code ? 1 : 0;
  const auto after = std::ranges::upper_bound(children.subspan(1), code, {}, &RegionNode::start);
  return static_cast<std::size_t>(after - children.begin()) - 1;
}

// The region of one child in the column that its parent cuts, where `region` is the parent's.
inline Interval RegionOfChild(std::span<const RegionNode> children, std::size_t child, Interval region) {
  if (child > 0) region.lo = children[child].start;
  if (child + 1 < children.size()) region.hi = children[child + 1].start - 1;
  return region;
}

}  // namespace pentimento
