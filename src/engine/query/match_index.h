// The columns of one table, laid out for finding the rows that meet a condition: for every column and every code a bit
// set of its rows. A condition on a column is the union of few of them, several conditions are an intersection. What
// queries need of a block of words lies together. A column of many codes keeps its codes instead, and is asked row by
// row, last.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "table/code_column.h"

namespace pentimento {

// Where the rows of each class are in bit sets of a whole table. Classes lie side by side, sorted by size, so that
// neighbours have the same size. One of up to 64 rows has a lane of bits in a word, a larger one whole words. The bits
// that no row needs are never set.
//
// Words are handled in blocks: all that queries need to know of a block fits into a near cache. No class is in two
// blocks, so blocks are counted apart and added up.
inline constexpr std::uint32_t kWordBits = 64;
// Blocks are whole steps of words, which is how bit sets are combined.
inline constexpr std::uint32_t kWordStep = 8;

// Classes of one size, one after the other.
struct ClassRun {
  std::uint32_t class_size = 0;
  std::uint32_t words = 0;  // of classes with lanes of at most 16 bits an even number
};

struct WordBlock {
  std::size_t first_word = 0;
  std::uint32_t words = 0;
  std::vector<ClassRun> runs;  // their words are the first of the block; those after them are empty
};

struct ClassLayout {
  std::vector<WordBlock> blocks;
  std::size_t words = 0;
  std::uint32_t largest_block = 0;            // in words
  std::vector<std::uint64_t> first_position;  // by class: of the bit of its first row; the others follow
  std::vector<std::uint64_t> rows;            // by word: which bits are rows
};

ClassLayout LayOutClasses(std::span<const std::uint32_t> class_sizes);

// Small classes have lanes of 1, 2, 4, 8 or 16 bits, so that many of them are counted in one go; larger ones have as
// many bits as rows. Only for classes of at most 64 rows.
inline constexpr std::uint32_t kWidestCommonLane = 16;
constexpr std::uint32_t LaneBits(std::uint32_t class_size) {
  return class_size <= kWidestCommonLane ? std::bit_ceil(class_size) : class_size;
}

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
