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

Specializer::Specializer(NodeRows& rows, const ClassLimits& limits, std::span<const ColumnLevels> levels)
    : rows_(rows),
      limits_(limits),
      levels_(levels),
      counter_(limits, MostChildren(levels)),
      planner_(limits),
      branch_of_child_(MostChildren(levels)) {}

std::optional<Specialization> Specializer::Specialize(Places node, std::span<const Interval> bounds) {
  // Two parts, each a class: a single one would have the bounds of the node and be no specialization.
  if (node.size() < 2 * limits_.smallest_class()) return std::nullopt;
  bar_ = {};
  bool is_found = false;
  SortByWidth(bounds);
  double best_width = 0;
  for (const auto [width, column] : widest_first_) {
    // A narrower column has to specialize more rows; among those as wide, fewer branches will do.
    if (is_found && width < best_width) bar_.branches = 0;
    // Nothing is better than all rows in two branches.
    if (bar_.specialized == node.size() && bar_.branches <= 2) break;
    if (!Try(node, column, bounds[column])) continue;
    is_found = true;
    best_width = width;
  }
  if (!is_found) return std::nullopt;
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
bool Specializer::Try(Places node, std::size_t column, Interval bounds) {
  if (child_of_row_.size() < node.size()) child_of_row_.resize(node.size());
  const auto children = std::span(child_of_row_).first(node.size());
  rows_.column(column).Visit([&](const auto codes) {
    levels_[column].FindChildren(codes.subspan(node.begin, node.size()), bounds, children, median_room_);
  });
  const BranchCounts* const counted = rows_.signatures().Visit([&](const auto signatures) {
    return counter_.Count(std::span<const Code>(children), signatures.subspan(node.begin, node.size()), bar_);
  });
  if (counted == nullptr) return false;
  std::optional<BranchPlan> plan = planner_.Plan(*counted, bar_.specialized + (bar_.branches == 0 ? 1 : 0));
  if (!plan) return false;
  if (!bar_.IsBeatenBy(plan->specialized, plan->standing)) return false;
  bar_ = {plan->specialized, plan->standing};
  plan_ = *std::move(plan);
  branches_ = counted->branches;
  std::swap(child_of_row_, best_child_of_row_);
  return true;
}

// What comes back first, then branch after branch, each in the order it was in.
Specialization Specializer::MoveRows(Places node) {
  Specialization made;
  made.remainder = {node.begin, node.end - plan_.specialized};
  next_place_.assign(branches_.size() + 1, 0);
  first_pulled_.assign(branches_.size() + 1, 0);
  auto place = static_cast<std::uint32_t>(made.remainder.size());
  for (std::uint32_t b = 0, p = 0; b < branches_.size(); ++b) {
    branch_of_child_[branches_[b].child] = b;
    std::uint32_t pulled = 0;
    for (; p < plan_.pulled.size() && plan_.pulled[p].branch == b; ++p) pulled += plan_.pulled[p].rows;
    first_pulled_[b + 1] = p;
    if (!plan_.stands[b]) continue;
    next_place_[b] = place;
    place += branches_[b].rows - pulled;
    made.branches.push_back({node.begin + next_place_[b], node.begin + place});
  }
  to_.resize(node.size());
  rows_.signatures().Visit([&](const auto signatures) {
    for (std::size_t i = 0; i < node.size(); ++i)
      to_[i] = PlaceOf(branch_of_child_[best_child_of_row_[i]], signatures[node.begin + i]);
  });
  rows_.Move(node.begin, to_, move_room_);
  return made;
}

// Of the rows of a signature that are pulled back out of a branch, the first ones are.
std::uint32_t Specializer::PlaceOf(std::uint32_t branch, Code signature) {
  std::uint32_t& back = next_place_.back();
  if (!plan_.stands[branch]) return back++;
  for (std::uint32_t p = first_pulled_[branch]; p < first_pulled_[branch + 1]; ++p) {
    if (plan_.pulled[p].signature != signature || plan_.pulled[p].rows == 0) continue;
    --plan_.pulled[p].rows;
    return back++;
  }
  return next_place_[branch]++;
}

}  // namespace pentimento::recode
