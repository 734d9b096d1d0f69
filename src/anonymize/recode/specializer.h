// Specializes one node: tries every attribute on paper and moves the rows of the node for the best of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "anonymize/recode/branch_counter.h"
#include "anonymize/recode/branch_plan.h"
#include "anonymize/recode/column_levels.h"
#include "anonymize/recode/node_rows.h"
#include "anonymize/sensitive/class_limits.h"
#include "base/random.h"

namespace pentimento::recode {

// A range of places in NodeRows.
struct Places {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
};

struct Specialization {
  Places remainder;              // may be empty
  std::vector<Places> branches;  // never empty
};

// One specializer is used for many nodes, by one thread.
class Specializer {
 public:
  // `lots`: draws which rows are pulled back where any of several would do.
  Specializer(NodeRows& rows, const ClassLimits& limits, std::span<const ColumnLevels> levels, Random lots);

  // `bounds`: the node's lowest and highest code in each column. Nothing where no attribute can be specialized; then
  // no row has moved.
  std::optional<Specialization> Specialize(Places node, std::span<const Interval> bounds);

 private:
  // The best attribute so far. `branches` is empty where there is none.
  struct Choice {
    std::size_t column = 0;
    Level level;
    BranchPlan plan;
    std::vector<Branch> branches;
  };

  void SortByWidth(std::span<const Interval> bounds);
  bool Try(Places node, std::size_t column, Interval bounds, Bar bar);
  Specialization MoveRows(Places node);
  std::vector<Places> PlaceBranches(Places node);
  void FindPlaces(Places node);
  bool IsPulledBack(std::uint32_t branch, Code signature);

  NodeRows& rows_;
  const ClassLimits& limits_;
  std::span<const ColumnLevels> levels_;
  Random lots_;
  BranchCounter counter_;
  BranchPlanner planner_;
  NodeRows::Room move_room_;
  Choice best_;

  // Columns in which the members differ, those that are published widest first.
  struct Width {
    double width;
    std::size_t column;
  };
  std::vector<Width> widest_first_;

  // While rows move.
  std::vector<std::uint32_t> branch_of_child_;
  std::vector<std::uint32_t> next_place_;    // by branch; the last one is for what comes back
  std::vector<std::uint32_t> first_pulled_;  // by branch, into the plan's; one more at the end
  std::vector<std::uint32_t> to_;
};

}  // namespace pentimento::recode
