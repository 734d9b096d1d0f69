// A release on some of its columns: its different rows, and how many records are like each. Where ten million rows
// become the few that a join has to look at.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/interval.h"
#include "guarantee/xy/joined_view.h"

namespace pentimento {

struct CollapsedRows {
  std::vector<std::uint32_t> columns;  // of the release, ascending
  std::vector<Interval> cells;         // columns.size() per row
  std::vector<std::uint64_t> records;  // by row
  std::vector<std::uint64_t> example;  // by row: the first record like it
  // Which of these rows each row of the input is like, or each row of the earlier release.
  std::vector<std::uint32_t> row_of_record;

  std::size_t rows() const { return records.size(); }
  std::size_t place(std::uint32_t column) const;  // of one of `columns`
  Interval cell(std::size_t row, std::size_t at) const { return cells[row * columns.size() + at]; }
};

CollapsedRows CollapseNewRelease(const NewReleaseView& view, std::vector<std::uint32_t> columns);
CollapsedRows CollapseEarlierRelease(const EarlierRelease& release, std::vector<std::uint32_t> columns);

}  // namespace pentimento
