#include "guarantee/xy/collapsed_rows.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "base/parallel.h"
#include "guarantee/xy/numbering.h"

namespace pentimento {
namespace {

// Tells rows apart by one more column. Returns how many numbers there are then.
std::uint32_t RefineBy(const CodeColumn& column, std::uint32_t count, std::vector<std::uint32_t>& number_of_row) {
  return column.Visit([&](auto codes) {
    const std::uint64_t limit = codes.empty() ? 1 : std::uint64_t{*std::ranges::max_element(codes)} + 1;
    return RefineNumbers(
        count, limit, [&](std::size_t row) { return std::uint32_t{codes[row]}; }, number_of_row);
  });
}

// Rows with equal cells in these columns have equal numbers. Some numbers may have no row.
NumberedTuples NumberRows(const NewReleaseView& view, std::span<const std::uint32_t> columns) {
  const Classes& draft = view.draft;
  const auto exact = std::ranges::lower_bound(columns, draft.columns);
  const NumberedTuples of_group = NumberTuples(
      draft.count(), static_cast<std::size_t>(exact - columns.begin()),
      [&](std::size_t group, std::size_t place) { return draft.box(static_cast<ClassNumber>(group))[columns[place]]; });
  NumberedTuples of_row{std::vector<std::uint32_t>(view.rows()), of_group.count};
  ParallelFor(view.rows(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) of_row.number[row] = of_group.number[draft.of_row[row]];
  });
  for (auto column = exact; column != columns.end(); ++column)
    of_row.count = RefineBy(*view.exact[*column - draft.columns], of_row.count, of_row.number);
  return of_row;
}

Interval CellOf(const NewReleaseView& view, std::size_t row, std::uint32_t column) {
  if (column < view.draft.columns) return view.draft.box(view.draft.of_row[row])[column];
  const Code code = (*view.exact[column - view.draft.columns])[row];
  return {code, code};
}

}  // namespace

std::size_t CollapsedRows::place(std::uint32_t column) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(columns, column) - columns.begin());
}

CollapsedRows CollapseNewRelease(const NewReleaseView& view, std::vector<std::uint32_t> columns) {
  NumberedTuples tuples = NumberRows(view, columns);
  // Numbered again in the order of the rows, so that numbers without a row are gone.
  constexpr std::uint32_t kUnplaced = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> place(tuples.count, kUnplaced);
  CollapsedRows collapsed{
      .columns = std::move(columns), .cells = {}, .records = {}, .example = {}, .row_of_record = {}};
  for (std::size_t row = 0; row < view.rows(); ++row) {
    std::uint32_t& known = place[tuples.number[row]];
    if (known == kUnplaced) {
      known = static_cast<std::uint32_t>(collapsed.records.size());
      collapsed.records.push_back(0);
      collapsed.example.push_back(row);
    }
    tuples.number[row] = known;
    ++collapsed.records[known];
  }
  collapsed.row_of_record = std::move(tuples.number);
  collapsed.cells.reserve(collapsed.rows() * collapsed.columns.size());
  for (const std::uint64_t row : collapsed.example) {
    for (const std::uint32_t column : collapsed.columns) collapsed.cells.push_back(CellOf(view, row, column));
  }
  return collapsed;
}

CollapsedRows CollapseEarlierRelease(const EarlierRelease& release, std::vector<std::uint32_t> columns) {
  NumberedTuples tuples = NumberTuples(release.rows(), columns.size(),
                                       [&](std::size_t row, std::size_t c) { return release.row(row)[columns[c]]; });
  CollapsedRows collapsed{
      .columns = std::move(columns), .cells = {}, .records = {}, .example = {}, .row_of_record = {}};
  for (std::size_t row = 0; row < release.rows(); ++row) {
    const std::uint32_t number = tuples.number[row];
    if (number == collapsed.rows()) {
      collapsed.records.push_back(0);
      collapsed.example.push_back(release.example[row]);
      for (const std::uint32_t column : collapsed.columns) collapsed.cells.push_back(release.row(row)[column]);
    }
    collapsed.records[number] += release.records[row];
  }
  collapsed.row_of_record = std::move(tuples.number);
  return collapsed;
}

}  // namespace pentimento
