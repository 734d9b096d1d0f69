// Finds the best cut of a node whose parts all keep the limits on sensitive values, over all columns.
//
// The cut that would be taken without limits is taken where it keeps them. Only otherwise the others are looked at, and
// then exactly: every boundary between two codes, and along a taxonomy runs of children that keep the limits, or else
// every boundary between two children. So "nothing" means that none of these is legal in any column.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "anonymize/partition/column_cuts.h"
#include "anonymize/partition/counted_members.h"
#include "anonymize/partition/cut_finder.h"
#include "anonymize/partition/cut_trial.h"
#include "anonymize/partition/limited_runs.h"
#include "anonymize/partition/ordered_members.h"
#include "anonymize/partition/table_limits.h"

namespace pentimento::partition {

template <typename Rows>
class LimitedCutFinder {
 public:
  // The prices' k is the fewest people that any class can have.
  LimitedCutFinder(const Rows& rows, std::span<const ColumnShape> shapes, const CutPrices& prices,
                   const TableLimits& limits)
      : shapes_(shapes),
        prices_(&prices),
        finder_(rows, shapes, prices),
        trial_(rows, limits),
        counted_(rows, limits),
        ordered_(rows, limits) {
    const bool follows_taxonomy = std::ranges::any_of(shapes, &ColumnShape::follows_taxonomy);
    // No further than counts are kept, whatever k is.
    tiny_node_ = std::min<std::uint64_t>(prices.k(), LimitLanes::kMostRows) *
                 (follows_taxonomy ? kTinyClassesOfTaxonomy : kTinyClasses);
  }

  std::optional<Cut> FindCut(const NodeView& node) {
    if (node.rows() / 2 < prices_->k()) return std::nullopt;
    if (node.rows() <= tiny_node_ && counted_.Fit(node)) {
      finder_.OrderColumnsByWidth(node);
    } else {
      std::optional<Cut> cut = finder_.FindCut(node);
      if (!cut || (trial_.IsCheap(node, *cut) && trial_.Keeps(node, *cut))) return cut;
    }
    const std::span<const std::size_t> columns = finder_.columns();
    const std::size_t at_once = finder_.ColumnsAtOnce(node);
    for (std::size_t first = 0; first < columns.size(); first += at_once) {
      if (std::optional<Cut> best = BestOf(node, columns.subspan(first, std::min(at_once, columns.size() - first))))
        return best;
    }
    return std::nullopt;
  }

 private:
  // So few times the fewest people of a class that the cut without limits is more likely to break one than not: sooner
  // along taxonomies, where it has many parts.
  static constexpr std::size_t kTinyClasses = 8;
  static constexpr std::size_t kTinyClassesOfTaxonomy = 32;

  std::optional<Cut> BestOf(const NodeView& node, std::span<const std::size_t> columns) {
    std::optional<Cut> best;
    for (const std::size_t c : columns) {
      std::optional<Cut> cut = BestOfColumn(node, c);
      if (!cut || (best && cut->gain <= best->gain)) continue;
      best = std::move(cut);
      best->column = c;
    }
    return best;
  }

  std::optional<Cut> BestOfColumn(const NodeView& node, std::size_t column) {
    if (counted_.Fit(node, column)) {
      counted_.Load(node, column);
      return BestAmong(node, column, counted_);
    }
    ordered_.Load(node, column);
    return BestAmong(node, column, ordered_);
  }

  template <typename Members>
  std::optional<Cut> BestAmong(const NodeView& node, std::size_t column, Members& members) {
    if (shapes_[column].follows_taxonomy())
      return LimitedCutIntoRuns(shapes_[column], node, column, *prices_, members, run_memory_);
    return BestBoundary(node, column, members);
  }

  template <typename Members>
  std::optional<Cut> BestBoundary(const NodeView& node, std::size_t column, Members& members) {
    const std::optional<Interval> region = node.RegionOf(column);
    const TwoSidedGain gain_of(shapes_[column], region.value_or(node.members[column]), *prices_);
    const auto slots = members.slots();
    members.FindBoundaries();
    std::optional<Cut> best;
    for (std::size_t s = 1; s < slots.size(); ++s) {
      const ClassBoundary boundary = members.BoundaryAt(s);
      if (!boundary.is_legal()) continue;
      const Code at = slots[s].code;
      const std::int64_t gain =
          gain_of.Of(at, region ? at - 1 : slots[s - 1].code, boundary.below.persons, boundary.above.persons);
      if (!best || gain > best->gain)
        best = Cut{.column = column, .gain = gain, .at = at, .below = slots[s].first, .runs = {}};
    }
    return best;
  }

  std::span<const ColumnShape> shapes_;
  const CutPrices* prices_;
  CutFinder<Rows> finder_;
  CutTrial<Rows> trial_;
  CountedMembers<Rows> counted_;
  OrderedMembers<Rows> ordered_;
  RunMemory run_memory_;
  std::size_t tiny_node_;
};

}  // namespace pentimento::partition
