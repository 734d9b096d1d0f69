// How the rows of a node lie in some of its columns: how many in each bin of neighbouring codes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
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

  void Count(const partition::NodeView& node) {
    // Columns with a bin for each code last: those are counted without a shift.
    to_count_.clear();
    for (std::size_t b = 0; b < columns_.size(); ++b) {
      if (columns_[b].bins.shift != 0) to_count_.push_back(b);
    }
    const std::size_t shifted = to_count_.size();
    for (std::size_t b = 0; b < columns_.size(); ++b) {
      if (columns_[b].bins.shift == 0) to_count_.push_back(b);
    }
    CountKinds(node, columns_.size(), shifted, std::make_index_sequence<kColumnsAtOnce + 1>());
  }

  std::span<const Column> columns() const { return columns_; }
  std::span<std::uint32_t> CellsOf(const Column& column) {
    return std::span(cells_).subspan(column.first_cell, column.cell_count);
  }

 private:
  // Calls CountColumns for as many columns as there are, of which so many are shifted.
  template <std::size_t... kNumbers>
  void CountKinds(const partition::NodeView& node, std::size_t columns, std::size_t shifted,
                  std::index_sequence<kNumbers...>) {
    ((columns == kNumbers ? CountShifted<kNumbers>(node, shifted, std::make_index_sequence<kNumbers + 1>()) : void()),
     ...);
  }
  template <std::size_t kColumns, std::size_t... kNumbers>
  void CountShifted(const partition::NodeView& node, std::size_t shifted, std::index_sequence<kNumbers...>) {
    ((shifted == kNumbers ? CountColumns<kColumns, kNumbers>(node) : void()), ...);
  }

  // The innermost loop, for several columns at once. Everything but the cells is copied first: the compiler must
  // otherwise assume that a cell is one of the numbers it looks up.
  template <std::size_t kColumns, std::size_t kShifted>
  void CountColumns(const partition::NodeView& node) {
    std::array<std::size_t, kColumns> column;
    std::array<Code, kColumns> base;
    std::array<int, kColumns> shift;
    std::array<std::uint32_t*, kColumns> cells;
    for (std::size_t b = 0; b < kColumns; ++b) {
      const Column& binned = columns_[to_count_[b]];
      column[b] = binned.column;
      base[b] = binned.bins.base;
      shift[b] = binned.bins.shift;
      cells[b] = &cells_[binned.first_cell];
    }
    const auto records = rows_->records(node.buffer);
    for (std::size_t i = node.begin; i < node.end; ++i) {
      const auto* const codes = records.codes(i);
#pragma GCC unroll 4
      for (std::size_t b = 0; b < kColumns; ++b) {
        const Code above_base = Code{codes[column[b]]} - base[b];
        ++cells[b][b < kShifted ? above_base >> shift[b] : above_base];
      }
    }
  }

  const Rows* rows_;
  std::span<const partition::ColumnShape> shapes_;
  // Reused from node to node.
  std::vector<Column> columns_;
  std::vector<std::size_t> to_count_;
  std::vector<std::uint32_t> cells_;
};

}  // namespace pentimento::global
