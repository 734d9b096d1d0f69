// The rows of one place of the tree go down to their leaves together: at every node they are parted among its children,
// so that each node is looked at once, and at the end rows of one leaf are neighbours. The regions of leaves come out
// by the way.
//
// A walk takes one node per call. Whoever has several walks takes turns, and the memory that one needs next is on its
// way while the others go on.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "anonymize/incremental/descend.h"
#include "anonymize/incremental/incremental_tree.h"
#include "anonymize/incremental/row_lanes.h"
#include "anonymize/incremental/top_of_tree.h"

namespace pentimento {

// The leaves of one place, in the order of their nodes as far as one release made them.
template <typename Lane>
struct LeavesOfPlace {
  std::vector<ReachedLeaf> leaves;  // `region` counts from 0
  std::vector<Lane> regions;        // lowest and highest code of every column, leaf after leaf
};

template <typename Lane>
class PlaceWalk {
 public:
  PlaceWalk(const IncrementalTree& tree, std::size_t columns) : tree_(&tree), columns_(columns), region_(2 * columns) {}

  // `rows` and `codes` are those of the place, the first of which has the number `first_row`; they come out in the
  // order of leaves.
  void Begin(const TopOfTree::Place& place, std::uint32_t first_row, std::span<std::uint32_t> rows, Lane* codes,
             LeavesOfPlace<Lane>* found) {
    rows_ = rows;
    codes_ = codes;
    first_row_ = first_row;
    found_ = found;
    rows_before_.assign(rows.begin(), rows.end());
    codes_before_.assign(codes, codes + rows.size() * columns_);
    order_.resize(rows.size());
    above_.resize(rows.size());
    std::iota(order_.begin(), order_.end(), 0U);
    for (std::size_t c = 0; c < columns_; ++c) {
      region_[2 * c] = static_cast<Lane>(place.region[c].lo);
      region_[2 * c + 1] = static_cast<Lane>(place.region[c].hi);
    }
    const auto everybody = static_cast<std::uint32_t>(rows.size());
    if (place.node.is_leaf()) {
      Emit({place.number, 0, everybody, place.node});
    } else {
      Push(place.node, 0, everybody);
    }
  }

  // One node. False: there was none left, and the walk is over.
  bool Step() {
    if (open_.empty()) {
      PutInOrder();
      return false;
    }
    const Open at = open_.back();
    open_.pop_back();
    std::copy_n(open_regions_.end() - static_cast<std::ptrdiff_t>(region_.size()), region_.size(), region_.begin());
    open_regions_.resize(open_regions_.size() - region_.size());

    const auto children = tree_->children(at.node);
    parts_.clear();
    Part(children, 0, children.size(), at.node.column, at.begin, at.end);
    const Lane lo = region_[2 * at.node.column];
    const Lane hi = region_[2 * at.node.column + 1];
    const auto enter = [&](const PartOfNode& part) {
      const bool is_last = part.child + 1 == children.size();
      region_[2 * at.node.column] = part.child == 0 ? lo : static_cast<Lane>(children[part.child].start);
      region_[2 * at.node.column + 1] = is_last ? hi : static_cast<Lane>(children[part.child + 1].start - 1);
    };
    // Leaves at once: nodes are numbered when their parent is cut. The others wait, the first on top.
    for (PartOfNode& part : parts_) {
      part.number = at.node.first_child + part.child;
      part.node = tree_->Current(part.number, children[part.child]);
      if (!part.node.is_leaf()) continue;
      enter(part);
      Emit(part);
    }
    for (std::size_t p = parts_.size(); p-- > 0;) {
      if (parts_[p].node.is_leaf()) continue;
      enter(parts_[p]);
      Push(parts_[p].node, parts_[p].begin, parts_[p].end);
    }
    return true;
  }

 private:
  struct Open {
    RegionNode node;
    std::uint32_t begin = 0;  // into order_
    std::uint32_t end = 0;
  };
  struct PartOfNode {
    NodeNumber number = 0;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    RegionNode node;
    std::uint32_t child = 0;
  };

  // In halves, so that many children cost little more than two; only who has rows is noted.
  void Part(std::span<const RegionNode> children, std::size_t first, std::size_t past, std::size_t column,
            std::uint32_t begin, std::uint32_t end) {
    if (begin == end) return;
    if (past - first == 1) {
      parts_.push_back({0, begin, end, {}, static_cast<std::uint32_t>(first)});
      return;
    }
    const std::size_t middle = first + (past - first) / 2;
    const std::uint32_t at = PartInTwo(column, children[middle].start, begin, end);
    Part(children, first, middle, column, begin, at);
    Part(children, middle, past, column, at, end);
  }

  // Those below `start` first, in their order; returns where the others begin. Without branches on the data.
  std::uint32_t PartInTwo(std::size_t column, Code start, std::uint32_t begin, std::uint32_t end) {
    const Lane* const codes = codes_before_.data() + column;
    std::uint32_t* const order = order_.data();
    std::uint32_t* const above = above_.data();
    std::uint32_t below_end = begin;
    std::uint32_t above_end = 0;
    for (std::uint32_t i = begin; i < end; ++i) {
      const std::uint32_t row = order[i];
      const std::uint32_t is_above = codes[row * columns_] >= start ? 1 : 0;
      order[below_end] = row;
      above[above_end] = row;
      below_end += 1 - is_above;
      above_end += is_above;
    }
    for (std::uint32_t i = 0; i < above_end; ++i) order[below_end + i] = above[i];
    return below_end;
  }

  void Emit(const PartOfNode& leaf) {
    found_->leaves.push_back({leaf.number, first_row_ + leaf.begin, leaf.end - leaf.begin,
                              static_cast<std::uint32_t>(found_->leaves.size())});
    found_->regions.insert(found_->regions.end(), region_.begin(), region_.end());
  }

  void Push(const RegionNode& node, std::uint32_t begin, std::uint32_t end) {
    open_.push_back({node, begin, end});
    open_regions_.insert(open_regions_.end(), region_.begin(), region_.end());
    const auto children = tree_->children(node);
    __builtin_prefetch(&children.front());
    __builtin_prefetch(&children.back());
  }

  void PutInOrder() {
    for (std::size_t i = 0; i < order_.size(); ++i) {
      rows_[i] = rows_before_[order_[i]];
      CopyLanes(codes_before_.data() + order_[i] * columns_, columns_, codes_ + i * columns_);
    }
  }

  const IncrementalTree* tree_;
  std::size_t columns_;
  std::span<std::uint32_t> rows_;
  Lane* codes_ = nullptr;
  std::uint32_t first_row_ = 0;
  LeavesOfPlace<Lane>* found_ = nullptr;
  std::vector<Lane> region_;  // of the node that is looked at
  // Used again for the next place.
  std::vector<std::uint32_t> rows_before_;
  std::vector<Lane> codes_before_;
  std::vector<std::uint32_t> order_;  // rows, counted within the place
  std::vector<std::uint32_t> above_;
  std::vector<Open> open_;
  std::vector<Lane> open_regions_;
  std::vector<PartOfNode> parts_;
};

}  // namespace pentimento
