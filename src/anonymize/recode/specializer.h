// Specializes one node: tries every attribute on paper and moves the rows of the node for the best of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "anonymize/limits/class_rule.h"
#include "anonymize/partition/packed_rows.h"
#include "anonymize/recode/branch_counter.h"
#include "anonymize/recode/branch_plan.h"
#include "anonymize/recode/column_levels.h"
#include "anonymize/recode/placement.h"

namespace pentimento::recode {

// One specializer is used for many nodes, by one thread. Nodes that are worked on at the same time do not overlap.
// Rows: a PackedRows with signatures.
template <typename Rows>
class Specializer {
 public:
  Specializer(Rows& rows, const ClassRule& rule, std::span<const ColumnLevels> levels)
      : rows_(rows), rule_(rule), levels_(levels), counter_(rule), planner_(rule), placement_(MostChildren(levels)) {}

  // `bounds`: the node's lowest and highest code in each column. Nothing where no attribute can be specialized; then
  // no row has moved. Otherwise the rows are in the other buffer. Good until the next call.
  const Specialization* Specialize(Places node, std::span<const Interval> bounds) {
    // Two parts, each a class: a single one would have the bounds of the node and be no specialization.
    if (node.size() < 2 * rule_.smallest_class()) return nullptr;
    best_.branches.clear();
    Bar bar;
    double best_width = 0;
    SortByWidth(bounds);
    for (const auto& [width, has_two_children, column] : widest_first_) {
      // A narrower column has to specialize more rows; among those as wide, fewer branches will do, and as many in a
      // lower column.
      if (bar.specialized > 0 && width < best_width) bar.branches = 0;
      const bool wins_ties = bar.specialized > 0 && bar.branches > 0 && column < best_.column;
      if (bar.specialized == node.size() && bar.branches <= 2) {
        // Nothing is better than all rows in two branches.
        if (bar.branches == 0) break;
        if (!wins_ties) continue;
      }
      if (!Try(node, column, bounds[column], {bar.specialized, bar.branches + (wins_ties ? 1 : 0)})) continue;
      bar = {best_.plan.specialized, best_.plan.standing};
      best_width = width;
    }
    if (best_.branches.empty()) return nullptr;
    const Specialization& made = placement_.Begin(node, best_);
    MoveRows(node);
    return &made;
  }

 private:
  static std::size_t MostChildren(std::span<const ColumnLevels> levels) {
    std::size_t most = 0;
    for (const ColumnLevels& column : levels) most = std::max(most, column.most_children());
    return most;
  }

  // How wide a column would be published for the node as it is. Only an order to try them in: no result depends on it.
  // Among those as wide, two children come first: if these take all rows, most of the others need not be counted.
  void SortByWidth(std::span<const Interval> bounds) {
    widest_first_.clear();
    for (std::size_t c = 0; c < bounds.size(); ++c) {
      if (bounds[c].lo == bounds[c].hi) continue;
      widest_first_.push_back({levels_[c].PublishedWidth(bounds[c]), levels_[c].HasTwoChildrenBelow(bounds[c]), c});
    }
    std::ranges::sort(widest_first_, [](const Width& a, const Width& b) {
      if (a.width != b.width) return a.width > b.width;
      return a.has_two_children != b.has_two_children ? a.has_two_children : a.column < b.column;
    });
  }

  // Whether the column beats those before it.
  bool Try(Places node, std::size_t column, Interval bounds, Bar bar) {
    const auto level = counter_.Count(
        ColumnOfNode<typename Rows::Records>{rows_.records(node.buffer), column, node.begin, node.end, bounds},
        levels_[column], bar);
    if (!level) return false;
    const BranchCounts& counts = counter_.counts();
    const auto records = rows_.records(node.buffer);
    BranchPlan* const plan = planner_.Plan(
        counts, bar.specialized + (bar.branches == 0 ? 1 : 0),
        [&](std::size_t i) { return level->ChildOf(records.codes(node.begin + i)[column]); },
        [&](std::size_t i) { return records.signature(node.begin + i); });
    if (plan == nullptr || !bar.IsBeatenBy(plan->specialized, plan->standing)) return false;
    best_.column = column;
    best_.level = *level;
    std::swap(best_.plan, *plan);
    counter_.SwapBranches(best_.branches);
    return true;
  }

  void MoveRows(Places node) {
    const auto records = rows_.records(node.buffer);
    best_.level.Visit([&](const auto child_of) {
      rows_.MoveBlocks(node.buffer, node.begin, node.end, [&](std::size_t first, std::span<std::size_t> places) {
        placement_.Place(
            places, [=, column = best_.column](std::size_t i) { return child_of(records.codes(first + i)[column]); });
      });
    });
  }

  struct Width {
    double width;
    bool has_two_children;
    std::size_t column;
  };

  Rows& rows_;
  const ClassRule& rule_;
  std::span<const ColumnLevels> levels_;
  BranchCounter counter_;
  BranchPlanner planner_;
  Choice best_;
  Placement placement_;
  std::vector<Width> widest_first_;  // columns in which the members differ
};

}  // namespace pentimento::recode
