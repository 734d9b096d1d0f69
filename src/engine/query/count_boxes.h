// Counts from one generalized table, many queries at once: for each set of equal rows, which share of its box meets the
// query.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/query/label_meanings.h"
#include "table/code_column.h"
#include "utility/count_estimate.h"

namespace pentimento {

// The rows of a table over some of its columns; equal ones are one.
class BoxTable {
 public:
  BoxTable(std::size_t rows, std::span<const CodeColumn* const> columns);

  std::size_t size() const { return rows_like_it_.size(); }
  std::span<const std::uint32_t> codes(std::size_t column) const { return codes_[column]; }
  std::span<const std::uint32_t> rows_like_it() const { return rows_like_it_; }

 private:
  std::vector<std::vector<std::uint32_t>> codes_;  // by column and different row
  std::vector<std::uint32_t> rows_like_it_;
};

struct BoxQuery {
  struct Condition {
    std::uint32_t column = 0;
    std::vector<CellMatch> match_of_code;
  };
  std::vector<Condition> conditions;  // each column once
};

// The answers in the order of the queries, the same with any number of threads.
std::vector<CountEstimate> CountInBoxes(const BoxTable& table, std::span<const BoxQuery> queries);

}  // namespace pentimento
