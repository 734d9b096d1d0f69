#include "anonymize/incremental/joined_leaves.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "anonymize/incremental/member_codes.h"

namespace pentimento {
namespace {

// All rows go down together, parted among the children of a node: each node is looked at once, rows of one leaf end up
// side by side, and the regions of leaves come out by the way. Row by row, the nodes that every row waits for cost 5 %
// of a release of changes.
class Descent {
 public:
  Descent(const IncrementalTree& tree, const EncodedTable& batch, JoinedLeaves& joined)
      : tree_(tree), batch_(batch), joined_(joined), scratch_(batch.rows), child_of_(batch.rows) {
    joined.rows.resize(batch.rows);
    std::iota(joined.rows.begin(), joined.rows.end(), 0U);
  }

  void Run() {
    if (batch_.rows == 0) return;
    std::vector<Open> open{{0, 0, static_cast<std::uint32_t>(batch_.rows), tree_.root_region()}};
    while (!open.empty()) {
      Open at = std::move(open.back());
      open.pop_back();
      const RegionNode node = tree_.node(at.number);
      if (node.is_leaf()) {
        joined_.leaves.push_back({at.number, at.begin, at.end - at.begin, 0, joined_.leaves.size()});
        joined_.regions.insert(joined_.regions.end(), at.region.begin(), at.region.end());
        continue;
      }
      const auto children = tree_.children(node);
      Part(children, node.column, at.begin, at.end);
      for (std::size_t child = children.size(); child-- > 0;) {
        if (ends_[child] == ends_[child + 1]) continue;
        Open& next = open.emplace_back(node.first_child + static_cast<NodeNumber>(child), ends_[child],
                                       ends_[child + 1], at.region);
        next.region[node.column] = RegionOfChild(children, child, at.region[node.column]);
      }
    }
    std::ranges::sort(joined_.leaves, {}, &JoinedLeaf::node);
  }

 private:
  struct Open {
    NodeNumber number;
    std::uint32_t begin;
    std::uint32_t end;
    Box region;
  };

  // Rows of one child follow another's, in their order; ends_[child] is where the child's begin.
  void Part(std::span<const RegionNode> children, std::size_t column, std::uint32_t begin, std::uint32_t end) {
    std::uint32_t* const rows = joined_.rows.data();
    ends_.assign(children.size() + 2, 0);
    batch_.quasi_identifiers[column].Visit([&](const auto codes) {
      for (std::uint32_t i = begin; i < end; ++i) {
        child_of_[i] = static_cast<std::uint32_t>(ChildOfCode(children, codes[rows[i]]));
        ++ends_[child_of_[i] + 2];
      }
    });
    ends_[1] = begin;
    std::partial_sum(ends_.begin() + 1, ends_.end(), ends_.begin() + 1);
    for (std::uint32_t i = begin; i < end; ++i) scratch_[ends_[child_of_[i] + 1]++] = rows[i];
    std::copy(scratch_.begin() + begin, scratch_.begin() + end, rows + begin);
    ends_[0] = begin;
  }

  const IncrementalTree& tree_;
  const EncodedTable& batch_;
  JoinedLeaves& joined_;
  std::vector<std::uint32_t> scratch_;
  std::vector<std::uint32_t> child_of_;
  std::vector<std::uint32_t> ends_;
};

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
  Descent(tree, batch, joined).Run();
  FillCodes(batch, domains, joined.rows, joined.codes);
  FindEarlierMembers(series, joined);
  return joined;
}

}  // namespace pentimento
