#include "engine/query/count_boxes.h"

#include <algorithm>
#include <numeric>

#include "base/parallel.h"
#include "engine/published/published_table.h"
#include "table/combinations.h"

namespace pentimento {
namespace {

constexpr std::size_t kBoxesAtOnce = 4096;  // their codes stay near while all queries look at them
constexpr std::size_t kMostParts = 64;

// The rows of a piece that still may meet a query, and what their cells said to it so far.
struct Left {
  std::vector<std::uint32_t> rows;
  std::vector<CellMatch> matches;
};

CountEstimate CountInPiece(const BoxTable& table, std::size_t begin, std::size_t end, const BoxQuery& query,
                           Left& left) {
  left.rows.resize(end - begin);
  std::iota(left.rows.begin(), left.rows.end(), static_cast<std::uint32_t>(begin));
  left.matches.assign(end - begin, {1, true, true});
  std::size_t count = end - begin;
  for (const BoxQuery::Condition& condition : query.conditions) {
    const std::span<const std::uint32_t> codes = table.codes(condition.column);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const CellMatch& cell = condition.match_of_code[codes[left.rows[i]]];
      const CellMatch& before = left.matches[i];
      left.rows[kept] = left.rows[i];
      left.matches[kept] = {before.share * cell.share, true, before.certain && cell.certain};
      kept += cell.possible ? 1 : 0;
    }
    count = kept;
  }
  CountEstimate sum;
  for (std::size_t i = 0; i < count; ++i)
    sum += EstimateInBox(static_cast<double>(table.rows_like_it()[left.rows[i]]), left.matches[i].share,
                         left.matches[i].certain);
  return sum;
}

}  // namespace

BoxTable::BoxTable(std::size_t rows, std::span<const CodeColumn* const> columns) {
  const Combinations combinations = NumberCombinations(rows, columns);
  rows_like_it_.assign(combinations.count, 0);
  codes_.assign(columns.size(), std::vector<std::uint32_t>(combinations.count));
  for (const std::uint32_t combination : combinations.of_row) ++rows_like_it_[combination];
  for (std::size_t i = 0; i < columns.size(); ++i) {
    columns[i]->Visit([&](auto cells) {
      for (std::size_t row = 0; row < rows; ++row) codes_[i][combinations.of_row[row]] = cells[row];
    });
  }
}

std::vector<CountEstimate> CountInBoxes(const BoxTable& table, std::span<const BoxQuery> queries) {
  std::vector<CountEstimate> answers(queries.size());
  const std::size_t pieces = (table.size() + kBoxesAtOnce - 1) / kBoxesAtOnce;
  const std::size_t parts = std::min(kMostParts, pieces);
  std::vector<std::vector<CountEstimate>> of_part(parts, answers);
  ParallelFor(parts, 1, [&](std::size_t begin, std::size_t end) {
    Left left;
    for (std::size_t part = begin; part < end; ++part) {
      for (std::size_t piece = pieces * part / parts; piece < pieces * (part + 1) / parts; ++piece) {
        const std::size_t first = piece * kBoxesAtOnce, last = std::min(first + kBoxesAtOnce, table.size());
        for (std::size_t i = 0; i < queries.size(); ++i)
          of_part[part][i] += CountInPiece(table, first, last, queries[i], left);
      }
    }
  });
  for (const std::vector<CountEstimate>& counts : of_part) {
    for (std::size_t i = 0; i < queries.size(); ++i) answers[i] += counts[i];
  }
  return answers;
}

}  // namespace pentimento
