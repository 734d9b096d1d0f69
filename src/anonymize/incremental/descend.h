// A whole batch finds its leaves at once: rows go down the tree together and part where their codes do, so that every
// node is looked at once and rows are read in sequence, however many they are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "anonymize/incremental/series_tree.h"
#include "base/interval.h"
#include "table/encoded_table.h"
#include "taxonomy/domain.h"

namespace pentimento {

struct ReachedLeaf {
  NodeNumber node = 0;
  std::uint32_t first_row = 0;  // into Reached::rows
  std::uint32_t row_count = 0;
  std::uint32_t region = 0;  // into Reached::regions, in boxes
};

struct Reached {
  std::vector<ReachedLeaf> leaves;  // ascending by node, each once
  std::vector<std::uint32_t> rows;  // of the batch; those of one leaf are neighbours and ascend
  std::vector<Interval> regions;    // one interval per column and leaf

  std::span<const Interval> region(const ReachedLeaf& leaf, std::size_t columns) const {
    return std::span(regions).subspan(std::size_t{leaf.region} * columns, columns);
  }
};

Reached Descend(const SeriesTree& tree, const EncodedTable& batch, std::span<const Domain> domains);

}  // namespace pentimento
