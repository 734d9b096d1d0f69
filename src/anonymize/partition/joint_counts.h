// Counts the members of a node by code and signature at once, for several columns in one pass over the rows: all that
// is asked about a cut of these columns follows from it. For nodes in which every row is a person.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "anonymize/partition/class_limits.h"
#include "anonymize/partition/joint_column.h"
#include "anonymize/partition/node_view.h"
#include "anonymize/partition/row_tasks.h"

namespace pentimento::partition {

template <typename Rows>
class JointCounts {
 public:
  // Nodes of more than `most_rows` rows are not counted.
  JointCounts(const Rows& rows, const ClassLimits& limits, std::size_t columns,
              std::size_t most_rows = WideLimitLanes::kMostRows)
      : rows_(&rows),
        most_rows_(std::min<std::uint64_t>(most_rows, WideLimitLanes::kMostRows)),
        shift_(JointColumn::ShiftFor(limits.rule)),
        columns_(columns, JointColumn(limits)),
        is_counted_(columns, 0) {}

  // Another node is looked at.
  void Forget() { std::ranges::fill(is_counted_, std::uint8_t{0}); }

  bool Has(std::size_t column) const { return is_counted_[column] != 0; }
  JointColumn& of(std::size_t column) { return columns_[column]; }

  // Whether counting costs less than ordering the members.
  bool Fit(const NodeView& node, std::size_t column) const {
    return IsPossible(node) && CellsOf(node, column) <= kMostCellsPerRow * node.rows();
  }
  // Counts those of the columns that fit.
  void Count(const NodeView& node, std::span<const std::size_t> columns) {
    CountIf(node, columns, [&](std::size_t column) { return Fit(node, column); });
  }
  // Counts those of the columns that cost hardly more than counting the codes alone.
  void CountCheap(const NodeView& node, std::span<const std::size_t> columns) {
    if (!IsPossible(node)) return;
    CountIf(node, columns,
            [&](std::size_t column) { return CellsOf(node, column) <= node.rows() / kCheapRowsPerCell; });
  }

 private:
  static constexpr std::size_t kMostCellsPerRow = 8;
  static constexpr std::size_t kCheapRowsPerCell = 2;
  static constexpr std::size_t kAtOnce = 4;

  bool IsPossible(const NodeView& node) const { return !Rows::kHasPersons && node.rows() <= most_rows_; }
  std::size_t CellsOf(const NodeView& node, std::size_t column) const { return node.members[column].size() << shift_; }

  template <typename Wanted>
  void CountIf(const NodeView& node, std::span<const std::size_t> columns, const Wanted& is_wanted) {
    wanted_.clear();
    for (const std::size_t column : columns) {
      if (!Has(column) && is_wanted(column)) wanted_.push_back(column);
    }
    for (std::size_t done = 0; done < wanted_.size(); done += kAtOnce)
      CountTogether(node, std::span(wanted_).subspan(done, std::min(kAtOnce, wanted_.size() - done)));
  }

  void CountTogether(const NodeView& node, std::span<const std::size_t> columns) {
    std::array<std::span<std::uint32_t>, kAtOnce> cells;
    for (std::size_t b = 0; b < columns.size(); ++b) cells[b] = columns_[columns[b]].Begin(node.members[columns[b]]);
    const RowTasks tasks(node.begin, node.end);
    if (tasks.count() == 1) {
      CountRows(node, node.begin, node.end, columns, cells);
    } else {
      CountInTasks(node, tasks, columns, cells);
    }
    for (const std::size_t column : columns) {
      columns_[column].End();
      is_counted_[column] = 1;
    }
  }

  void CountInTasks(const NodeView& node, const RowTasks& tasks, std::span<const std::size_t> columns,
                    const std::array<std::span<std::uint32_t>, kAtOnce>& cells) const {
    std::vector<std::vector<std::uint32_t>> of_task(tasks.count());
    tasks.ForEach([&](std::size_t task, std::size_t begin, std::size_t end) {
      std::size_t total = 0;
      for (std::size_t b = 0; b < columns.size(); ++b) total += cells[b].size();
      of_task[task].assign(total, 0);
      std::array<std::span<std::uint32_t>, kAtOnce> own;
      for (std::size_t b = 0, offset = 0; b < columns.size(); offset += cells[b++].size())
        own[b] = std::span(of_task[task]).subspan(offset, cells[b].size());
      CountRows(node, begin, end, columns, own);
    });
    for (const std::vector<std::uint32_t>& counted : of_task) {
      const std::uint32_t* next = counted.data();
      for (std::size_t b = 0; b < columns.size(); ++b) {
        for (std::uint32_t& cell : cells[b]) cell += *next++;
      }
    }
  }

  void CountRows(const NodeView& node, std::size_t begin, std::size_t end, std::span<const std::size_t> columns,
                 const std::array<std::span<std::uint32_t>, kAtOnce>& cells) const {
    switch (columns.size()) {
      case 1:
        return CountColumns<1>(node, begin, end, columns, cells);
      case 2:
        return CountColumns<2>(node, begin, end, columns, cells);
      case 3:
        return CountColumns<3>(node, begin, end, columns, cells);
      default:
        return CountColumns<kAtOnce>(node, begin, end, columns, cells);
    }
  }

  // Everything but the cells is copied first: the compiler must otherwise assume that a cell is one of the numbers it
  // looks up.
  template <std::size_t kColumns>
  void CountColumns(const NodeView& node, std::size_t begin, std::size_t end, std::span<const std::size_t> columns,
                    const std::array<std::span<std::uint32_t>, kAtOnce>& cells) const {
    std::array<std::size_t, kColumns> column;
    std::array<Code, kColumns> lowest;
    std::array<std::uint32_t*, kColumns> first;
    for (std::size_t b = 0; b < kColumns; ++b) {
      column[b] = columns[b];
      lowest[b] = node.members[columns[b]].lo;
      first[b] = cells[b].data();
    }
    const int shift = shift_;
    const auto records = rows_->records(node.buffer);
    for (std::size_t i = begin; i < end; ++i) {
      const auto* const codes = records.codes(i);
      const std::size_t signature = records.signature(i);
#pragma GCC unroll 4
      for (std::size_t b = 0; b < kColumns; ++b)
        ++first[b][(std::size_t{Code{codes[column[b]]} - lowest[b]} << shift) + signature];
    }
  }

  const Rows* rows_;
  std::uint64_t most_rows_;
  int shift_;
  std::vector<JointColumn> columns_;
  std::vector<std::uint8_t> is_counted_;
  std::vector<std::size_t> wanted_;
};

}  // namespace pentimento::partition
