#include "anonymize/incremental/top_of_tree.h"

#include <algorithm>
#include <utility>

namespace pentimento {
namespace {

// A tree can be as deep as it has leaves; rows take that many steps through the tables, arrived or not.
constexpr std::size_t kMostLevels = 12;

// The nodes below a node are numbered from its first child on.
NodeNumber OrderOf(const TopOfTree::Place& place) {
  return place.node.is_leaf() ? place.number : place.node.first_child;
}

// Whether the children are parts of the region: what a table is made from must not lead outside of it.
bool Tile(std::span<const RegionNode> children, Interval region) {
  Code last = region.lo;
  return std::ranges::all_of(children.subspan(1), [&](const RegionNode& child) {
    return std::exchange(last, child.start) < child.start && child.start <= region.hi;
  });
}

}  // namespace

TopOfTree::TopOfTree(const IncrementalTree& tree, std::size_t wanted, std::size_t codes) {
  std::vector<Place> nodes{{0, tree.node(0), tree.root_region()}};  // by step
  std::vector<std::size_t> level{0};
  std::vector<bool> leads_on{false};
  steps_.emplace_back();
  std::size_t places = 1;
  for (std::size_t s = 0; s < nodes.size() && places < wanted; ++s) {
    const RegionNode node = nodes[s].node;
    if (node.is_leaf() || level[s] == kMostLevels) continue;
    const Interval whole = nodes[s].region[node.column];
    const auto children = tree.children(node);
    if (next_.size() + whole.size() > codes || !Tile(children, whole)) continue;
    steps_[s] = {static_cast<std::uint32_t>(next_.size()) - whole.lo, node.column, ~std::uint32_t{0}};
    leads_on[s] = true;
    levels_ = std::max(levels_, level[s] + 1);
    for (std::size_t child = 0; child < children.size(); ++child) {
      const NodeNumber number = node.first_child + static_cast<NodeNumber>(child);
      Place below{number, tree.Current(number, children[child]), nodes[s].region};
      below.region[node.column] = RegionOfChild(children, child, whole);
      next_.insert(next_.end(), below.region[node.column].size(), static_cast<std::uint32_t>(nodes.size()));
      nodes.push_back(std::move(below));
      level.push_back(level[s] + 1);
      leads_on.push_back(false);
      steps_.emplace_back();
    }
    places += children.size() - 1;
  }

  std::vector<std::uint32_t> ends;
  for (std::uint32_t s = 0; s < nodes.size(); ++s) {
    if (leads_on[s]) continue;
    steps_[s].first = static_cast<std::uint32_t>(next_.size());
    next_.push_back(s);
    ends.push_back(s);
  }
  std::ranges::sort(ends, {}, [&](std::uint32_t s) { return OrderOf(nodes[s]); });
  place_of_step_.resize(nodes.size());
  for (const std::uint32_t s : ends) {
    place_of_step_[s] = static_cast<std::uint32_t>(places_.size());
    places_.push_back(std::move(nodes[s]));
  }
}

}  // namespace pentimento
