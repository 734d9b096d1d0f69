#include "engine/query/class_layout.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

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

}  // namespace pentimento
