#include "engine/query/match_index.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/check.h"
#include "base/parallel.h"

// The loops below are compiled twice where that helps: once for processors with wide registers.
#if defined(__x86_64__)
#define PENTIMENTO_WIDE __attribute__((target("avx2")))
#endif

namespace pentimento {
namespace {

// 154 bit sets of this many words, as UCI Adult needs them, are 80 kB.
constexpr std::uint32_t kBlockWords = 64;

// Hands out words, and begins a new block where the old one is full.
class Blocks {
 public:
  explicit Blocks(ClassLayout& layout) : layout_(layout) {}

  // The first of `words` words for classes of this size.
  std::size_t Take(std::uint32_t class_size, std::uint32_t words) {
    if (used_ > 0 && layout_.blocks.back().runs.back().class_size != class_size) MakeEven();
    if (used_ == 0 || used_ + words > kBlockWords) {
      End();
      layout_.blocks.push_back({layout_.words, 0, {}});
    }
    std::vector<ClassRun>& runs = layout_.blocks.back().runs;
    if (runs.empty() || runs.back().class_size != class_size) runs.push_back({class_size, 0});
    runs.back().words += words;
    used_ += words;
    return layout_.words + used_ - words;
  }

  void End() {
    if (used_ == 0) return;
    MakeEven();
    WordBlock& block = layout_.blocks.back();
    block.words = (used_ + kWordStep - 1) / kWordStep * kWordStep;
    layout_.words += block.words;
    layout_.largest_block = std::max(layout_.largest_block, block.words);
    used_ = 0;
  }

 private:
  // Small classes are counted two words at a time; an empty word does no harm to any other.
  void MakeEven() {
    ClassRun& run = layout_.blocks.back().runs.back();
    if (run.class_size > kWidestCommonLane || run.words % 2 == 0) return;
    ++run.words;
    ++used_;
  }

  ClassLayout& layout_;
  std::uint32_t used_ = 0;  // words of the last block
};

void MarkRows(std::span<const std::uint32_t> class_sizes, ClassLayout& layout) {
  layout.rows.assign(layout.words, 0);
  for (std::size_t number = 0; number < class_sizes.size(); ++number) {
    const std::uint64_t first = layout.first_position[number], end = first + class_sizes[number];
    for (std::uint64_t at = first; at < end;) {
      const std::uint64_t bits = std::min<std::uint64_t>(end - at, kWordBits - at % kWordBits);
      const std::uint64_t ones = bits == kWordBits ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
      layout.rows[at / kWordBits] |= ones << at % kWordBits;
      at += bits;
    }
  }
}

constexpr std::uint32_t kMostBitSets = 256;  // for one column

// found &= the union of some bit sets of a block, or its complement. `sets` are those of one column.
[[gnu::always_inline]] inline void Narrow(const std::uint64_t* sets, std::uint32_t words, const ColumnMatch& match,
                                          std::uint64_t* found) {
  const std::uint64_t flip = match.negated ? ~std::uint64_t{0} : 0;
  for (std::uint32_t word = 0; word < words; word += kWordStep) {
    std::uint64_t united[kWordStep] = {};
    for (const std::uint32_t code : match.codes) {
      const std::uint64_t* set = sets + std::size_t{code} * words + word;
      for (std::uint32_t i = 0; i < kWordStep; ++i) united[i] |= set[i];
    }
    for (std::uint32_t i = 0; i < kWordStep; ++i) found[word + i] &= united[i] ^ flip;
  }
}

void NarrowPlainly(const std::uint64_t* sets, std::uint32_t words, const ColumnMatch& match, std::uint64_t* found) {
  Narrow(sets, words, match, found);
}

#if defined(PENTIMENTO_WIDE)
PENTIMENTO_WIDE void NarrowWidely(const std::uint64_t* sets, std::uint32_t words, const ColumnMatch& match,
                                  std::uint64_t* found) {
  Narrow(sets, words, match, found);
}
const auto NarrowWell = __builtin_cpu_supports("avx2") ? NarrowWidely : NarrowPlainly;
#else
const auto NarrowWell = NarrowPlainly;
#endif

// Asks for the code of each row that is left.
void NarrowByCode(const std::uint32_t* codes, std::uint32_t words, const ColumnMatch& match, std::uint64_t* found) {
  for (std::uint32_t word = 0; word < words; ++word) {
    for (std::uint64_t left = found[word]; left != 0; left &= left - 1) {
      const int bit = std::countr_zero(left);
      if (match.by_code[codes[word * kWordBits + static_cast<std::uint32_t>(bit)]] == 0)
        found[word] &= ~(std::uint64_t{1} << bit);
    }
  }
}

}  // namespace

ClassLayout LayOutClasses(std::span<const std::uint32_t> class_sizes) {
  ClassLayout layout;
  layout.first_position.resize(class_sizes.size());
  std::vector<std::uint32_t> by_size(class_sizes.size());
  std::iota(by_size.begin(), by_size.end(), 0U);
  std::ranges::stable_sort(by_size, {}, [&](std::uint32_t number) { return class_sizes[number]; });
  Blocks blocks(layout);
  for (std::size_t i = 0; i < by_size.size();) {
    const std::uint32_t size = class_sizes[by_size[i]];
    Check(size > 0, "a class has rows");
    const std::uint32_t lane_bits = size <= kWordBits ? LaneBits(size) : kWordBits;
    const std::size_t word = blocks.Take(size, (size + kWordBits - 1) / kWordBits);
    const auto goes_on = [&] { return i < by_size.size() && class_sizes[by_size[i]] == size; };
    for (std::uint32_t bit = 0; bit + lane_bits <= kWordBits && goes_on(); bit += lane_bits, ++i)
      layout.first_position[by_size[i]] = word * kWordBits + bit;
  }
  blocks.End();
  MarkRows(class_sizes, layout);
  return layout;
}

ColumnMatch MakeColumnMatch(std::uint32_t column, std::vector<std::uint8_t> by_code) {
  ColumnMatch match{column, std::move(by_code), {}, false};
  const auto met = static_cast<std::size_t>(std::ranges::count(match.by_code, std::uint8_t{1}));
  match.negated = met > match.by_code.size() / 2;
  for (std::uint32_t code = 0; code < match.by_code.size(); ++code) {
    if ((match.by_code[code] == 1) != match.negated) match.codes.push_back(code);
  }
  return match;
}

MatchIndex::MatchIndex(const ClassLayout& layout, std::span<const std::uint64_t> position_of_row,
                       std::span<const Column> columns)
    : layout_(&layout), places_(columns.size()) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    places_[i].first_set = sets_;
    if (columns[i].code_count <= kMostBitSets) sets_ += columns[i].code_count;
  }
  bits_.assign(layout.words * sets_, 0);
  ParallelFor(columns.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (columns[i].code_count <= kMostBitSets) {
        FillBitSets(*columns[i].codes, position_of_row, places_[i]);
        continue;
      }
      places_[i].codes.assign(layout.words * kWordBits, 0);
      for (std::size_t row = 0; row < position_of_row.size(); ++row)
        places_[i].codes[position_of_row[row]] = (*columns[i].codes)[row];
    }
  });
}

void MatchIndex::FillBitSets(const CodeColumn& codes, std::span<const std::uint64_t> position_of_row,
                             const Place& place) {
  // Codes go to their positions first, so that the bit sets are then written from front to back.
  std::vector<std::uint8_t> at_position(layout_->words * kWordBits, 0);
  codes.Visit([&](auto cells) {
    for (std::size_t row = 0; row < cells.size(); ++row)
      at_position[position_of_row[row]] = static_cast<std::uint8_t>(cells[row]);
  });
  for (const WordBlock& block : layout_->blocks) {
    std::uint64_t* sets = bits_.data() + block.first_word * sets_ + std::size_t{place.first_set} * block.words;
    for (std::uint32_t word = 0; word < block.words; ++word) {
      const std::uint8_t* cells = at_position.data() + (block.first_word + word) * kWordBits;
      for (std::uint64_t left = layout_->rows[block.first_word + word]; left != 0; left &= left - 1) {
        const int bit = std::countr_zero(left);
        sets[std::size_t{cells[bit]} * block.words + word] |= std::uint64_t{1} << bit;
      }
    }
  }
}

void MatchIndex::Find(const WordBlock& block, std::span<const ColumnMatch> matches, std::uint64_t* found) const {
  std::copy_n(layout_->rows.data() + block.first_word, block.words, found);
  const std::uint64_t* sets = bits_.data() + block.first_word * sets_;
  for (const ColumnMatch& match : matches) {
    const Place& place = places_[match.column];
    if (place.codes.empty()) NarrowWell(sets + std::size_t{place.first_set} * block.words, block.words, match, found);
  }
  for (const ColumnMatch& match : matches) {
    const Place& place = places_[match.column];
    if (!place.codes.empty())
      NarrowByCode(place.codes.data() + block.first_word * kWordBits, block.words, match, found);
  }
}

}  // namespace pentimento
