// The tree of a series, put together from its segments.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <span>
#include <vector>

#include "anonymize/incremental/series_view.h"
#include "base/mix64.h"
#include "taxonomy/domain.h"

namespace pentimento {

class SeriesTree {
 public:
  // `series` must outlive the tree. A series without segments is one leaf, the whole domain.
  SeriesTree(const SeriesView& series, std::span<const Domain> domains);

  NodeNumber node_count() const { return first_node_.back(); }
  RegionNode node(NodeNumber number) const;
  bool is_leaf(NodeNumber number) const { return node(number).is_leaf(); }
  // Children lie in one segment.
  std::span<const RegionNode> children(const RegionNode& node) const {
    return Nodes(node.first_child, node.child_count);
  }

  // Calls body(leaf, region) for every leaf, from left to right.
  template <typename Body>
  void ForEachLeaf(const Body& body) const {
    struct Open {
      NodeNumber number;
      Box region;
    };
    std::vector<Open> open{{0, root_region_}};
    while (!open.empty()) {
      Open next = std::move(open.back());
      open.pop_back();
      const RegionNode at = node(next.number);
      if (at.is_leaf()) {
        body(next.number, next.region);
        continue;
      }
      const auto siblings = children(at);
      for (std::size_t child = siblings.size(); child-- > 0;) {
        open.push_back({at.first_child + static_cast<NodeNumber>(child), next.region});
        Interval& cut = open.back().region[at.column];
        cut = RegionOfChild(siblings, child, cut);
      }
    }
  }

 private:
  std::span<const RegionNode> Nodes(NodeNumber first, std::size_t count) const;

  std::vector<std::span<const RegionNode>> nodes_;  // by segment
  std::vector<NodeNumber> first_node_;              // of each segment, and past the last
  tsl::robin_map<NodeNumber, NodeSplit, Mix64> splits_;
  Box root_region_;
};

}  // namespace pentimento
