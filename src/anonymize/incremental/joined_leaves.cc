#include "anonymize/incremental/joined_leaves.h"

#include <functional>

#include "anonymize/incremental/member_codes.h"
#include "base/parallel.h"
#include "base/parallel_sort.h"

namespace pentimento {
namespace {

constexpr std::size_t kReachedLeavesPerTask = 1 << 10;

// Calls step(node, its children, which of them) on the way of a row to its leaf, which is returned.
template <typename Step>
NodeNumber WalkToLeaf(const IncrementalTree& tree, const EncodedTable& batch, std::size_t row, const Step& step) {
  NodeNumber number = 0;
  for (RegionNode node = tree.node(0); !node.is_leaf();) {
    const auto children = tree.children(node);
    const std::size_t child = ChildOfCode(children, batch.quasi_identifiers[node.column][row]);
    step(node, children, child);
    number = node.first_child + static_cast<NodeNumber>(child);
    node = tree.Current(number, children[child]);
  }
  return number;
}

// Rows in the order of their leaves.
void FindLeaves(const IncrementalTree& tree, const EncodedTable& batch, JoinedLeaves& joined) {
  std::vector<std::uint64_t> leaf_and_row(batch.rows);
  ParallelFor(batch.rows, kRowsPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const NodeNumber leaf = WalkToLeaf(tree, batch, row, [](const auto&...) {});
      leaf_and_row[row] = std::uint64_t{leaf} << 32 | row;
    }
  });
  ParallelSort(leaf_and_row.begin(), leaf_and_row.end(), std::less<>());
  joined.rows.reserve(batch.rows);
  for (const std::uint64_t both : leaf_and_row) {
    const auto node = static_cast<NodeNumber>(both >> 32);
    if (joined.leaves.empty() || joined.leaves.back().node != node)
      joined.leaves.push_back({node, static_cast<std::uint32_t>(joined.rows.size())});
    ++joined.leaves.back().row_count;
    joined.rows.push_back(static_cast<std::uint32_t>(both));
  }
}

void FindRegions(const IncrementalTree& tree, const EncodedTable& batch, JoinedLeaves& joined) {
  const std::size_t columns = tree.root_region().size();
  joined.regions.resize(joined.size() * columns);
  ParallelFor(joined.size(), kReachedLeavesPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t leaf = begin; leaf < end; ++leaf) {
      Interval* const region = joined.regions.data() + leaf * columns;
      std::ranges::copy(tree.root_region(), region);
      WalkToLeaf(tree, batch, joined.newcomers_of(leaf).front(),
                 [&](const RegionNode& node, const auto& children, std::size_t child) {
                   region[node.column] = RegionOfChild(children, child, region[node.column]);
                 });
    }
  });
}

void FindEarlierMembers(const IncrementalView& series, JoinedLeaves& joined) {
  LeafLookup lookup(series);
  joined.first_part.reserve(joined.size() + 1);
  for (JoinedLeaf& leaf : joined.leaves) {
    joined.first_part.push_back(static_cast<std::uint32_t>(joined.parts.size()));
    lookup.AppendParts(leaf.node, joined.parts);
    for (std::size_t p = joined.first_part.back(); p < joined.parts.size(); ++p)
      leaf.member_count += joined.parts[p].count;
  }
  joined.first_part.push_back(static_cast<std::uint32_t>(joined.parts.size()));
}

}  // namespace

JoinedLeaves FindJoinedLeaves(const IncrementalView& series, const IncrementalTree& tree,
                              std::span<const Domain> domains, const EncodedTable& batch) {
  JoinedLeaves joined;
  FindLeaves(tree, batch, joined);
  FindRegions(tree, batch, joined);
  FillLanes(batch, domains, joined.rows, joined.codes);
  FindEarlierMembers(series, joined);
  return joined;
}

}  // namespace pentimento
