// A whole batch finds its leaves: tables take all rows through the top of the tree, then those who stand at one place
// go on together. Codes and rows come out leaf by leaf, with the region of every leaf.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "anonymize/incremental/incremental_tree.h"
#include "anonymize/incremental/incremental_view.h"
#include "table/encoded_table.h"
#include "taxonomy/domain.h"

namespace pentimento {

struct ReachedLeaf {
  NodeNumber node = 0;
  std::uint32_t first_row = 0;  // into Reached::rows
  std::uint32_t row_count = 0;
  std::uint32_t region = 0;  // into Reached::regions
};

struct Reached {
  std::vector<ReachedLeaf> leaves;  // ascending by node, each once
  std::vector<std::uint32_t> rows;  // of the batch; those of one leaf are neighbours and ascend
  OwnedLanes codes;                 // of `rows`, one after the other
  OwnedLanes regions;               // lowest and highest code of every column, region after region

  std::span<const std::uint32_t> rows_of(const ReachedLeaf& leaf) const {
    return std::span(rows).subspan(leaf.first_row, leaf.row_count);
  }
  Interval RegionOf(const ReachedLeaf& leaf, std::size_t column, std::size_t columns) const {
    const std::size_t lane = (std::size_t{leaf.region} * columns + column) * 2;
    return std::visit([&](const auto& lanes) { return Interval{lanes[lane], lanes[lane + 1]}; }, regions);
  }
  // Calls body(column, interval) for the region of the leaf. Intervals come in registers: written in halves and read as
  // a whole right after, each would be waited for.
  template <typename Body>
  void VisitRegion(const ReachedLeaf& leaf, std::size_t columns, const Body& body) const {
    std::visit(
        [&](const auto& lanes) {
          const auto* const lane = lanes.data() + std::size_t{leaf.region} * 2 * columns;
          for (std::size_t c = 0; c < columns; ++c) body(c, Interval{lane[2 * c], lane[2 * c + 1]});
        },
        regions);
  }
  void CopyRegion(const ReachedLeaf& leaf, std::span<Interval> region) const {
    VisitRegion(leaf, region.size(), [&](std::size_t column, Interval interval) { region[column] = interval; });
  }
};

Reached Descend(const IncrementalTree& tree, std::span<const Domain> domains, const EncodedTable& batch);

}  // namespace pentimento
