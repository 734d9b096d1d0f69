// The tree of a series, put together from its segments.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <span>
#include <vector>

#include "anonymize/incremental/incremental_view.h"
#include "base/mix64.h"
#include "taxonomy/domain.h"

namespace pentimento {

class IncrementalTree {
 public:
  // `series` must outlive the tree. A series without segments is one leaf, the whole domain.
  IncrementalTree(const IncrementalView& series, std::span<const Domain> domains);

  NodeNumber node_count() const { return first_node_.back(); }
  RegionNode node(NodeNumber number) const { return Current(number, Nodes(number, 1).front()); }
  // A node as it is now, given as the segment that made it has it: a leaf may have been cut since.
  RegionNode Current(NodeNumber number, RegionNode as_made) const {
    return as_made.is_leaf() ? CutSince(number, as_made) : as_made;
  }
  bool is_leaf(NodeNumber number) const { return node(number).is_leaf(); }
  // Children lie in one segment.
  std::span<const RegionNode> children(const RegionNode& node) const {
    return Nodes(node.first_child, node.child_count);
  }

  const Box& root_region() const { return root_region_; }

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
  // The first release usually made most nodes.
  std::span<const RegionNode> Nodes(NodeNumber first, std::size_t count) const {
    if (first - 1 < first_segment_.size()) return first_segment_.subspan(first - 1, count);
    return LaterNodes(first, count);
  }
  std::span<const RegionNode> LaterNodes(NodeNumber first, std::size_t count) const;
  RegionNode CutSince(NodeNumber number, RegionNode leaf) const;

  std::vector<std::span<const RegionNode>> nodes_;  // by segment
  std::span<const RegionNode> first_segment_;       // numbered from 1: the root is 0
  std::vector<NodeNumber> first_node_;              // of each segment, and past the last
  tsl::robin_map<NodeNumber, NodeSplit, Mix64> splits_;
  Box root_region_;
};

}  // namespace pentimento
