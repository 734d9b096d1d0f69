#include "anonymize/recode/specializer.h"

#include <algorithm>
#include <utility>

namespace pentimento::recode {
namespace {

std::size_t MostChildren(std::span<const ColumnLevels> levels) {
  std::size_t most = 0;
  for (const ColumnLevels& column : levels) most = std::max(most, column.most_children());
  return most;
}

}  // namespace

Specializer::Specializer(NodeRows& rows, const ClassLimits& limits, std::span<const ColumnLevels> levels, Random lots)
    : rows_(rows),
      limits_(limits),
      levels_(levels),
      lots_(lots),
      counter_(limits, MostChildren(levels)),
      planner_(limits),
      branch_of_child_(MostChildren(levels)) {}

std::optional<Specialization> Specializer::Specialize(Places node, std::span<const Interval> bounds) {
  // Two parts, each a class: a single one would have the bounds of the node and be no specialization.
  if (node.size() < 2 * limits_.smallest_class()) return std::nullopt;
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
  if (best_.branches.empty()) return std::nullopt;
  return MoveRows(node);
}

// How wide a column would be published for the node as it is. Only an order to try them in: no verdict depends on it.
void Specializer::SortByWidth(std::span<const Interval> bounds) {
  widest_first_.clear();
  for (std::size_t c = 0; c < bounds.size(); ++c) {
    if (bounds[c].lo < bounds[c].hi) widest_first_.push_back({levels_[c].PublishedWidth(bounds[c]), c});
  }
  std::ranges::sort(widest_first_, [](const Width& a, const Width& b) {
    return a.width != b.width ? a.width > b.width : a.column < b.column;
  });
}

// Whether the column beats those before it.
bool Specializer::Try(Places node, std::size_t column, Interval bounds, Bar bar) {
  const std::optional<Level> level =
      counter_.Count({rows_.column(column), rows_.signatures(), node.begin, node.size(), bounds}, levels_[column], bar);
  if (!level) return false;
  const BranchCounts& counts = counter_.counts();
  std::optional<BranchPlan> plan = planner_.Plan(counts, bar.specialized + (bar.branches == 0 ? 1 : 0));
  if (!plan || !bar.IsBeatenBy(plan->specialized, plan->standing)) return false;
  best_.column = column;
  best_.level = *level;
  best_.plan = *std::move(plan);
  best_.branches = counts.branches;
  return true;
}

// What comes back first, then branch after branch, each in the order it was in.
Specialization Specializer::MoveRows(Places node) {
  Specialization made;
  made.remainder = {node.begin, node.end - best_.plan.specialized};
  made.branches = PlaceBranches(node);
  FindPlaces(node);
  rows_.Move(node.begin, to_, move_room_);
  return made;
}

std::vector<Places> Specializer::PlaceBranches(Places node) {
  const BranchPlan& plan = best_.plan;
  const auto branches = static_cast<std::uint32_t>(best_.branches.size());
  std::vector<Places> standing;
  next_place_.assign(branches + 1, 0);
  first_pulled_.assign(branches + 1, 0);
  auto place = static_cast<std::uint32_t>(node.size() - plan.specialized);
  for (std::uint32_t b = 0, p = 0; b < branches; ++b) {
    const Branch& branch = best_.branches[b];
    branch_of_child_[branch.child] = plan.stands[b] ? b : branches;
    std::uint32_t pulled = 0;
    for (; p < plan.pulled.size() && plan.pulled[p].branch == b; ++p) pulled += plan.pulled[p].rows;
    first_pulled_[b + 1] = p;
    if (!plan.stands[b]) continue;
    next_place_[b] = place;
    place += branch.rows - pulled;
    standing.push_back({node.begin + next_place_[b], node.begin + place});
  }
  return standing;
}

void Specializer::FindPlaces(Places node) {
  to_.resize(node.size());
  const Level level = best_.level;
  rows_.column(best_.column).Visit([&](const auto codes) {
    if (best_.plan.pulled.empty()) {
      for (std::size_t i = 0; i < node.size(); ++i)
        to_[i] = next_place_[branch_of_child_[level.ChildOf(codes[node.begin + i])]]++;
      return;
    }
    rows_.signatures().Visit([&](const auto signatures) {
      const auto back = static_cast<std::uint32_t>(best_.branches.size());
      for (std::size_t i = 0; i < node.size(); ++i) {
        const std::uint32_t branch = branch_of_child_[level.ChildOf(codes[node.begin + i])];
        const bool comes_back = branch == back || IsPulledBack(branch, signatures[node.begin + i]);
        to_[i] = next_place_[comes_back ? back : branch]++;
      }
    });
  });
}

// Drawn by lot, row after row: as likely as so many of those that are left are still to be pulled back. Whoever knows
// the order of the input does not know who it was.
bool Specializer::IsPulledBack(std::uint32_t branch, Code signature) {
  for (std::uint32_t p = first_pulled_[branch]; p < first_pulled_[branch + 1]; ++p) {
    PulledBack& pulled = best_.plan.pulled[p];
    if (pulled.signature != signature) continue;
    if (pulled.rows == 0) return false;
    if (lots_.Below(pulled.of--) >= pulled.rows) return false;
    --pulled.rows;
    return true;
  }
  return false;
}

}  // namespace pentimento::recode
