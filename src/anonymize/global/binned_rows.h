// How the rows of a node lie in some of its columns: how many in each bin of neighbouring codes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "anonymize/partition/column_cuts.h"
#include "anonymize/partition/cut_finder.h"

namespace pentimento::global {

template <typename Rows>
class BinnedRows {
 public:
  static constexpr std::size_t kColumnsAtOnce = 4;

  struct Column {
    std::size_t column;
    partition::Bins bins;
    std::size_t first_cell;
    std::size_t cell_count;

    Code BinOf(Code code) const { return (code - bins.base) >> bins.shift; }
  };

  BinnedRows(const Rows& rows, std::span<const partition::ColumnShape> shapes) : rows_(&rows), shapes_(shapes) {}

  void LayOut(const partition::NodeView& node, std::span<const std::size_t> columns, std::size_t max_bins) {
    columns_.clear();
    std::size_t cells = 0;
    for (const std::size_t c : columns) {
      // Taxonomies are cut at children, which bins would straddle.
      const std::size_t most = shapes_[c].follows_taxonomy() ? node.members[c].size() : max_bins;
      const partition::Bins bins = partition::LayOutBins(shapes_[c], node.members[c], most);
      const std::size_t count = ((node.members[c].hi - bins.base) >> bins.shift) + 1;
      columns_.push_back({c, bins, cells, count});
      cells += count;
    }
    cells_.assign(cells, 0);
  }

  // The innermost loop. Everything but the cells is copied first: the compiler must otherwise assume that a cell is one
  // of the numbers it looks up.
  void Count(const partition::NodeView& node) {
    struct Counted {
      std::size_t column;
      Code base;
      int shift;
      std::uint32_t* cells;
    };
    std::array<Counted, kColumnsAtOnce> counted;
    const std::size_t columns = columns_.size();
    for (std::size_t b = 0; b < columns; ++b) {
      const Column& binned = columns_[b];
      counted[b] = {binned.column, binned.bins.base, binned.bins.shift, &cells_[binned.first_cell]};
    }
    const auto records = rows_->records(node.buffer);
    for (std::size_t i = node.begin; i < node.end; ++i) {
      const auto* const codes = records.codes(i);
      for (std::size_t b = 0; b < columns; ++b)
        ++counted[b].cells[(Code{codes[counted[b].column]} - counted[b].base) >> counted[b].shift];
    }
  }

  std::span<const Column> columns() const { return columns_; }
  std::span<std::uint32_t> CellsOf(const Column& column) {
    return std::span(cells_).subspan(column.first_cell, column.cell_count);
  }

 private:
  const Rows* rows_;
  std::span<const partition::ColumnShape> shapes_;
  // Reused from node to node.
  std::vector<Column> columns_;
  std::vector<std::uint32_t> cells_;
};

}  // namespace pentimento::global
