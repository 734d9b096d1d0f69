// Where the rows of each class stand in bit sets of a whole table. Classes lie side by side, sorted by size, so that
// neighbours have the same size. One of up to 64 rows has a lane of bits in a word, a larger one whole words. The bits
// that no row needs are never set.
//
// Words are handled in blocks: all that queries need to know of a block fits into a near cache. No class is in two
// blocks, so blocks are counted apart and added up.
#pragma once

#include <bit>
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

}  // namespace pentimento
