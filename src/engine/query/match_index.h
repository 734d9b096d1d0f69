// The columns of one table, laid out for finding the rows that meet a condition: for every column and every code a bit
// set of its rows. A condition on a column is the union of few of them, several conditions are an intersection. What
// queries need of a block of words lies together. A column of many codes keeps its codes instead, and is asked row by
// row, last.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/query/class_layout.h"
#include "table/code_column.h"

namespace pentimento {

// Which codes of a column meet a condition, ready for use.
struct ColumnMatch {
  std::uint32_t column = 0;
  std::vector<std::uint8_t> by_code;  // 1 where it does
  // The codes whose bit sets have to be united: those that meet the condition, or where those are the fewer, as
  // `negated` says, those that do not.
  std::vector<std::uint32_t> codes;
  bool negated = false;
};
ColumnMatch MakeColumnMatch(std::uint32_t column, std::vector<std::uint8_t> by_code);

class MatchIndex {
 public:
  struct Column {
    const CodeColumn* codes = nullptr;  // by row
    std::uint32_t code_count = 0;
  };
  // Row i of the columns stands at position_of_row[i] of the layout.
  MatchIndex(const ClassLayout& layout, std::span<const std::uint64_t> position_of_row,
             std::span<const Column> columns);

  // The rows of the block that meet all conditions, into `found`, which has room for the block.
  void Find(const WordBlock& block, std::span<const ColumnMatch> matches, std::uint64_t* found) const;

 private:
  struct Place {
    std::uint32_t first_set = 0;       // of the bit sets of a block
    std::vector<std::uint32_t> codes;  // by position, where there are no bit sets
  };
  void FillBitSets(const CodeColumn& codes, std::span<const std::uint64_t> position_of_row, const Place& place);

  const ClassLayout* layout_;
  std::vector<Place> places_;        // by column
  std::uint32_t sets_ = 0;           // in each block
  std::vector<std::uint64_t> bits_;  // by block, bit set and word
};

}  // namespace pentimento
