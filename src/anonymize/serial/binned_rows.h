// How the rows of a node lie in some of its columns: how many in each bin of neighbouring codes, and of which levels.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "anonymize/partition/column_cuts.h"
#include "anonymize/partition/cut_finder.h"
#include "anonymize/serial/capped_items.h"
#include "base/parallel.h"

namespace pentimento::serial {

// Rows, or where levels are told apart (few rows) the rows in the lower half and a bit for each level in the upper.
using BinCell = std::uint32_t;

inline constexpr int kCellRowBits = 16;
inline constexpr BinCell kCellRows = (BinCell{1} << kCellRowBits) - 1;
static_assert(kMostLevels + kCellRowBits <= 32);

template <bool kLevels>
std::uint32_t RowsIn(BinCell cell) {
  return kLevels ? cell & kCellRows : cell;
}
template <bool kLevels>
std::uint32_t LevelsIn(BinCell cell) {
  return kLevels ? cell >> kCellRowBits : 0;
}
// With one more row.
template <bool kLevels>
BinCell OneMore(BinCell cell, Code lane) {
  return kLevels ? (cell + 1) | BinCell{1} << (kCellRowBits + CappedItems::LevelOf(lane)) : cell + 1;
}

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
      const partition::Bins bins = partition::LayOutBins(shapes_[c], node.members[c], max_bins);
      const std::size_t count = ((node.members[c].hi - bins.base) >> bins.shift) + 1;
      columns_.push_back({c, bins, cells, count});
      cells += count;
    }
    cells_.assign(cells, 0);
  }

  template <bool kLevels>
  void Count(const partition::NodeView& node) {
    const std::size_t fours = columns_.size() / 4;
    const auto count_four = [&](std::size_t four) { CountColumns<4, kLevels>(node, 4 * four); };
    if (node.end - node.begin > kManyRows) {
      ParallelForAlone(fours, count_four);
    } else {
      for (std::size_t four = 0; four < fours; ++four) count_four(four);
    }
    std::size_t done = 4 * fours;
    for (; done + 2 <= columns_.size(); done += 2) CountColumns<2, kLevels>(node, done);
    if (done < columns_.size()) CountColumns<1, kLevels>(node, done);
  }

  std::span<const Column> columns() const { return columns_; }
  std::span<BinCell> CellsOf(const Column& column) {
    return std::span(cells_).subspan(column.first_cell, column.cell_count);
  }

 private:
  // At the top of the tree there are fewer nodes than threads.
  static constexpr std::size_t kManyRows = std::size_t{1} << 19;

  // The innermost loop, for several columns at once. Everything but the cells is copied first: the compiler must
  // otherwise assume that a cell is one of the numbers it looks up.
  template <std::size_t kColumns, bool kLevels>
  void CountColumns(const partition::NodeView& node, std::size_t first) {
    std::array<std::size_t, kColumns> column;
    std::array<Code, kColumns> base;
    std::array<int, kColumns> shift;
    std::array<BinCell*, kColumns> cells;
    for (std::size_t b = 0; b < kColumns; ++b) {
      const Column& binned = columns_[first + b];
      column[b] = binned.column;
      base[b] = binned.bins.base;
      shift[b] = binned.bins.shift;
      cells[b] = &cells_[binned.first_cell];
    }
    const auto records = rows_->records(node.buffer);
    for (std::size_t i = node.begin; i < node.end; ++i) {
      const auto* const codes = records.codes(i);
      const Code lane = kLevels ? records.signature(i) : 0;
#pragma GCC unroll 4
      for (std::size_t b = 0; b < kColumns; ++b) {
        BinCell& cell = cells[b][(Code{codes[column[b]]} - base[b]) >> shift[b]];
        cell = OneMore<kLevels>(cell, lane);
      }
    }
  }

  const Rows* rows_;
  std::span<const partition::ColumnShape> shapes_;
  // Reused from node to node.
  std::vector<Column> columns_;
  std::vector<BinCell> cells_;
};

}  // namespace pentimento::serial
