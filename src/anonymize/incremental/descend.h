// A whole batch finds its leaves: rows go down the tree side by side, and are sorted by leaf afterwards.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "anonymize/incremental/series_tree.h"
#include "anonymize/incremental/series_view.h"

namespace pentimento {

struct ReachedLeaf {
  NodeNumber node = 0;
  std::uint32_t first_row = 0;  // into Reached::rows
  std::uint32_t row_count = 0;
};

struct Reached {
  std::vector<ReachedLeaf> leaves;  // ascending by node, each once
  std::vector<std::uint32_t> rows;  // of the batch; those of one leaf are neighbours and ascend

  std::span<const std::uint32_t> rows_of(const ReachedLeaf& leaf) const {
    return std::span(rows).subspan(leaf.first_row, leaf.row_count);
  }
};

// `batch`: the codes of `rows` rows, row after row.
Reached Descend(const SeriesTree& tree, const CodeLanes& batch, std::size_t rows);

}  // namespace pentimento
