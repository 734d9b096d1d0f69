// Numbers combinations: rows that have equal codes in several columns get equal numbers, in the order in which the
// combinations first occur.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "table/code_column.h"

namespace pentimento {

struct Combinations {
  std::vector<std::uint32_t> of_row;
  std::uint32_t count = 0;
};

// Columns are gathered into one key per row, and rows with equal keys are only looked for when a key is full or nothing
// is to come: that is what costs.
class CombinationNumbering {
 public:
  explicit CombinationNumbering(std::size_t rows) : rows_(rows) {}

  // Tells rows apart that differ in code_of(row), which is below `codes`.
  template <typename CodeOf>
  void Refine(std::uint64_t codes, const CodeOf& code_of) {
    if (codes <= 1) return;
    if (keys_.empty()) keys_.resize(rows_);
    if (keys_below_ > std::numeric_limits<std::uint64_t>::max() / codes) Shorten();
    constexpr std::size_t kChunk = std::size_t{1} << 16;
    ParallelFor(rows_, kChunk, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) keys_[row] = keys_[row] * codes + code_of(row);
    });
    keys_below_ *= codes;
  }
  void Refine(std::uint64_t codes, const CodeColumn& column) {
    column.Visit([&](auto values) { Refine(codes, [&](std::size_t row) { return std::uint64_t{values[row]}; }); });
  }

  Combinations Finish() &&;

 private:
  void Shorten();

  std::size_t rows_;
  std::vector<std::uint64_t> keys_;  // empty: all alike so far
  std::uint64_t keys_below_ = 1;
};

// By number: the first row that has it.
std::vector<std::uint32_t> FirstRows(const Combinations& combinations);

// Numbers rows by whole columns.
Combinations NumberCombinations(std::size_t rows, std::span<const CodeColumn* const> columns);

}  // namespace pentimento
