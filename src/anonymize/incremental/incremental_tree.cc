#include "anonymize/incremental/incremental_tree.h"

#include <algorithm>

namespace pentimento {
namespace {

constexpr RegionNode kUncutRoot{};

}  // namespace

IncrementalTree::IncrementalTree(const IncrementalView& series, std::span<const Domain> domains) {
  for (const Domain& domain : domains) root_region_.push_back(domain.root());
  // The root is there before the first release, which then cuts it like any other leaf.
  nodes_.push_back({&kUncutRoot, 1});
  first_node_ = {0, 1};
  if (!series.segments.empty()) first_segment_ = series.segments.front().nodes;
  for (const SegmentView& segment : series.segments) {
    nodes_.push_back(segment.nodes);
    first_node_.push_back(first_node_.back() + static_cast<NodeNumber>(segment.nodes.size()));
    for (const NodeSplit& split : segment.splits) splits_.insert_or_assign(split.node, split);
  }
}

std::span<const RegionNode> IncrementalTree::LaterNodes(NodeNumber first, std::size_t count) const {
  const auto after = std::upper_bound(first_node_.begin(), first_node_.end(), first);
  const auto segment = static_cast<std::size_t>(after - first_node_.begin()) - 1;
  return nodes_[segment].subspan(first - first_node_[segment], count);
}

RegionNode IncrementalTree::CutSince(NodeNumber number, RegionNode leaf) const {
  const auto split = splits_.find(number);
  if (split == splits_.end()) return leaf;
  leaf.column = split->second.column;
  leaf.first_child = split->second.first_child;
  leaf.child_count = split->second.child_count;
  return leaf;
}

}  // namespace pentimento
