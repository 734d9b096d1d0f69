// Specializes one node: tries every attribute on paper and moves the rows of the node for the best of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "anonymize/partition/packed_rows.h"
#include "anonymize/recode/branch_counter.h"
#include "anonymize/recode/branch_plan.h"
#include "anonymize/recode/column_levels.h"
#include "anonymize/recode/placement.h"
#include "anonymize/sensitive/class_limits.h"
#include "base/random.h"

namespace pentimento::recode {

// One specializer is used for many nodes, by one thread. Nodes that are worked on at the same time do not overlap.
// Rows: a PackedRows with signatures.
template <typename Rows>
class Specializer {
 public:
  // `lots`: draws which rows are pulled back where any of several would do.
  Specializer(Rows& rows, const ClassLimits& limits, std::span<const ColumnLevels> levels, const Random& lots)
      : rows_(rows),
        limits_(limits),
        levels_(levels),
        counter_(limits),
        planner_(limits),
        placement_(MostChildren(levels), lots) {}

  // `bounds`: the node's lowest and highest code in each column. Nothing where no attribute can be specialized; then
  // no row has moved. Otherwise the rows are in the other buffer. Good until the next call.
  const Specialization* Specialize(Places node, std::span<const Interval> bounds) {
    // Two parts, each a class: a single one would have the bounds of the node and be no specialization.
    if (node.size() < 2 * limits_.smallest_class()) return nullptr;
    best_.branches.clear();
    Bar bar;
    double best_width = 0;
    SortByWidth(bounds);
    for (const auto [width, column] : widest_first_) {
      // A narrower column has to specialize more rows; among those as wide, fewer branches will do.
      if (bar.specialized > 0 && width < best_width) bar.branches = 0;
      // Nothing is better than all rows in two branches.
      if (bar.specialized == node.size() && bar.branches <= 2) break;
      if (!Try(node, column, bounds[column], bar)) continue;
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

  // How wide a column would be published for the node as it is. Only an order to try them in: no verdict depends on it.
  void SortByWidth(std::span<const Interval> bounds) {
    widest_first_.clear();
    for (std::size_t c = 0; c < bounds.size(); ++c) {
      if (bounds[c].lo < bounds[c].hi) widest_first_.push_back({levels_[c].PublishedWidth(bounds[c]), c});
    }
    std::ranges::sort(widest_first_, [](const Width& a, const Width& b) {
      return a.width != b.width ? a.width > b.width : a.column < b.column;
    });
  }

  // Whether the column beats those before it.
  bool Try(Places node, std::size_t column, Interval bounds, Bar bar) {
    const auto level = counter_.Count(
        ColumnOfNode<typename Rows::Records>{rows_.records(node.buffer), column, node.begin, node.end, bounds},
        levels_[column], bar);
    if (!level) return false;
    const BranchCounts& counts = counter_.counts();
    const BranchPlan* const plan = planner_.Plan(counts, bar.specialized + (bar.branches == 0 ? 1 : 0));
    if (plan == nullptr || !bar.IsBeatenBy(plan->specialized, plan->standing)) return false;
    best_.column = column;
    best_.level = *level;
    best_.plan = *plan;
    best_.branches = counts.branches;
    return true;
  }

  void MoveRows(Places node) {
    const auto records = rows_.records(node.buffer);
    const std::size_t column = best_.column;
    best_.level.Visit([&](const auto child_of) {
      if (!best_.plan.pulled.empty()) {
        // Lots are drawn row after row.
        return rows_.MoveTo(node.buffer, node.begin, node.end, [&](std::size_t i) {
          return placement_.Next(child_of(records.codes(i)[column]), records.signature(i));
        });
      }
      if (partition::RowTasks(node.begin, node.end).count() == 1) {
        return rows_.MoveTo(node.buffer, node.begin, node.end,
                            [&](std::size_t i) { return placement_.Next(child_of(records.codes(i)[column])); });
      }
      Box bounds(placement_.next().size() * levels_.size());
      rows_.MoveParts(
          node.buffer, node.begin, node.end, column, [&](Code code) { return placement_.SlotOf(child_of(code)); },
          placement_.next(), bounds);
    });
  }

  struct Width {
    double width;
    std::size_t column;
  };

  Rows& rows_;
  const ClassLimits& limits_;
  std::span<const ColumnLevels> levels_;
  BranchCounter counter_;
  BranchPlanner planner_;
  Choice best_;
  Placement placement_;
  std::vector<Width> widest_first_;  // columns in which the members differ
};

}  // namespace pentimento::recode
