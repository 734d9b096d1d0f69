// Grows the tree of cuts over packed rows with caps, large subtrees side by side. Leaves and their order are the same
// for any number of threads: a node's cut depends on its rows alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "anonymize/global/capped_cut_finder.h"
#include "anonymize/partition/packed_rows.h"
#include "base/parallel.h"

namespace pentimento::global {

struct TreeOptions {
  std::uint64_t k = 1;
  CategoryForm form = CategoryForm::kTaxonomy;
  bool wants_boxes = true;
};

// The leaves of one subtree, from left to right: neighbouring ranges of records, and how each is published.
struct SubtreeLeaves {
  std::size_t begin = 0;
  std::vector<std::uint32_t> ends;
  std::vector<Interval> boxes;  // one interval per column and leaf, where they are wanted
};

template <typename Rows>
class CappedTree {
 public:
  // `holders`: how many of the records are of people who hold something. Records lie in the order of HoldersFirst.
  CappedTree(Rows& rows, std::size_t holders, const LaneOfRow& lane_of_row, std::span<const Domain> domains,
             const TreeOptions& options, const CappedItems& items)
      : rows_(rows),
        holders_(holders),
        lane_of_row_(lane_of_row),
        domains_(domains),
        options_(options),
        items_(items),
        prices_(options.k, rows.size()) {
    for (const Domain& domain : domains) shapes_.emplace_back(domain, options.form);
    for (const partition::ColumnShape& shape : shapes_) {
      widths_.emplace_back(shape);
      paths_.emplace_back(shape);
    }
  }

  std::vector<SubtreeLeaves> Grow() {
    Nodes root{{{0, rows_.size(), partition::Buffer::kFront, holders_}}, Box(domains_.size())};
    FindBounds(root.boxes);
    tasks_.Run([this, &root] { GrowSubtree(root); });
    tasks_.Wait();
    std::sort(subtrees_.begin(), subtrees_.end(),
              [](const SubtreeLeaves& a, const SubtreeLeaves& b) { return a.begin < b.begin; });
    return std::move(subtrees_);
  }

 private:
  struct Node {
    std::size_t begin;
    std::size_t end;
    partition::Buffer buffer;
    std::size_t holders;  // so many of its records, the first ones, are of people who hold something
  };
  // Nodes with the bounds of their members.
  struct Nodes {
    std::vector<Node> nodes;
    Box boxes;
  };

  // Subtrees above this many rows are tasks of their own.
  static constexpr std::size_t kTaskRows = std::size_t{1} << 15;

  // Of all rows.
  void FindBounds(Box& bounds) {
    rows_.Bounds(partition::Buffer::kFront, 0, 1, bounds);
    ParallelFor(rows_.size(), kTaskRows, [&](std::size_t begin, std::size_t end) {
      Box here(bounds.size());
      rows_.Bounds(partition::Buffer::kFront, begin, end, here);
      const std::scoped_lock lock(mutex_);
      for (std::size_t c = 0; c < here.size(); ++c)
        bounds[c] = {std::min(bounds[c].lo, here[c].lo), std::max(bounds[c].hi, here[c].hi)};
    });
  }

  // Depth first with a stack of its own: how deep the tree gets depends on the data.
  void GrowSubtree(Nodes open) {
    CappedCutFinder<Rows> finder(rows_, lane_of_row_, {shapes_, widths_, paths_, prices_, items_});
    SubtreeLeaves leaves;
    leaves.begin = open.nodes.front().begin;
    const std::size_t columns = domains_.size();
    Box box;
    Nodes parts;
    while (!open.nodes.empty()) {
      const Node node = open.nodes.back();
      box.assign(open.boxes.end() - static_cast<std::ptrdiff_t>(columns), open.boxes.end());
      open.nodes.pop_back();
      open.boxes.resize(open.boxes.size() - columns);
      const std::optional<CappedCut> cut = finder.FindCut({node.begin, node.end, node.buffer, box, {}}, node.holders);
      if (!cut) {
        rows_.Settle(node.buffer, node.begin, node.end);
        AddLeaf(node, box, leaves);
        continue;
      }
      if (cut->children.empty()) {
        DivideInTwo(node, *cut, parts);
      } else {
        DivideIntoChildren(node, *cut, box[cut->column], parts);
      }
      const bool is_task = node.end - node.begin > kTaskRows;
      for (std::size_t part = parts.nodes.size(); part-- > 0;) {
        const auto bounds = std::span(parts.boxes).subspan(part * columns, columns);
        if (is_task) {
          tasks_.Run(
              [this, root = Nodes{{parts.nodes[part]}, Box(bounds.begin(), bounds.end())}] { GrowSubtree(root); });
        } else {
          open.nodes.push_back(parts.nodes[part]);
          open.boxes.insert(open.boxes.end(), bounds.begin(), bounds.end());
        }
      }
    }
    if (leaves.ends.empty()) return;
    const std::scoped_lock lock(mutex_);
    subtrees_.push_back(std::move(leaves));
  }

  // `members`: of the node in the column of the cut.
  void DivideIntoChildren(const Node& node, const CappedCut& cut, Interval members, Nodes& parts) {
    std::size_t begin = node.begin;
    std::size_t holders = 0;
    const auto add = [&](std::size_t end, std::size_t holders_of_part) {
      parts.nodes.push_back({begin, end, Other(node.buffer), holders_of_part});
      begin = end;
      holders += holders_of_part;
    };
    parts.nodes.clear();
    for (const ChildPart& child : cut.children) add(begin + child.rows, child.holders);
    if (begin < node.end) add(node.end, node.holders - holders);
    parts.boxes.resize(parts.nodes.size() * domains_.size());
    if (parts.nodes.size() == 2) {
      const Interval leaves = cut.children[0].leaves;
      const auto is_child = [lo = leaves.lo, last = leaves.hi - leaves.lo](Code code) { return code - lo <= last; };
      return MoveIntoTwo(node, cut.column, is_child, parts);
    }
    std::vector<std::size_t> next;
    for (const Node& part : parts.nodes) next.push_back(part.begin);
    const PartOfCode part_of_code(cut.children, members, node.end - node.begin);
    part_of_code.Visit([&](auto part_of) {
      rows_.MoveParts(node.buffer, node.begin, node.end, cut.column, part_of, next, parts.boxes);
    });
  }

  void DivideInTwo(const Node& node, const CappedCut& cut, Nodes& sides) {
    const std::size_t middle = node.begin + cut.below;
    const partition::Buffer other = Other(node.buffer);
    sides.nodes.clear();
    sides.nodes.push_back({node.begin, middle, other, cut.holders_below});
    sides.nodes.push_back({middle, node.end, other, node.holders - cut.holders_below});
    sides.boxes.resize(2 * domains_.size());
    MoveIntoTwo(
        node, cut.column, [at = cut.at](Code code) { return code < at; }, sides);
  }

  template <typename IsFirst>
  void MoveIntoTwo(const Node& node, std::size_t column, const IsFirst& is_first, Nodes& parts) {
    const std::span<Interval> bounds(parts.boxes);
    rows_.MoveTwoParts(node.buffer, node.begin, node.end, column, is_first, parts.nodes[0].end - node.begin,
                       bounds.first(domains_.size()), bounds.last(domains_.size()));
  }

  void AddLeaf(const Node& node, std::span<const Interval> box, SubtreeLeaves& leaves) const {
    leaves.ends.push_back(static_cast<std::uint32_t>(node.end));
    if (!options_.wants_boxes) return;
    for (std::size_t c = 0; c < box.size(); ++c)
      leaves.boxes.push_back(paths_[c].has_rows() ? paths_[c].Cover(box[c]) : domains_[c].Cover(box[c], options_.form));
  }

  Rows& rows_;
  std::size_t holders_;
  LaneOfRow lane_of_row_;
  std::span<const Domain> domains_;
  TreeOptions options_;
  const CappedItems& items_;
  partition::CutPrices prices_;
  std::vector<partition::ColumnShape> shapes_;
  std::vector<PublishedWidths> widths_;  // of the same columns
  std::vector<TaxonomyPaths> paths_;     // likewise
  TaskGroup tasks_;
  std::mutex mutex_;
  std::vector<SubtreeLeaves> subtrees_;
};

}  // namespace pentimento::global
