// Where the rows of each class stand in bit sets of a whole table. Classes lie side by side, sorted by size, so that
// neighbours have the same size; one of up to 64 rows never crosses a word, a larger one begins with a word. So what
// is counted in a class is a few bits of one word, or whole words. The bits between classes are never set.
//
// Words are handled in blocks: all that queries need to know of a block fits into a near cache. No class is in two
// blocks, so blocks are counted apart and added up.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace pentimento {

inline constexpr std::uint32_t kWordBits = 64;
// Blocks are whole steps of words, which is how bit sets are combined.
inline constexpr std::uint32_t kWordStep = 8;

// Classes of one size, one after the other.
struct ClassRun {
  std::uint32_t class_size = 0;
  std::uint32_t words = 0;
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

// kLaneStart[n][bit]: where in its word the class begins that this bit belongs to, if classes have n <= 64 rows.
using LaneStarts = std::array<std::array<std::uint8_t, kWordBits>, kWordBits + 1>;
extern const LaneStarts kLaneStart;

}  // namespace pentimento
