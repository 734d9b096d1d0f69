// How many members of a node have each code of a column and each signature at once. From that every range of codes is
// judged without a look at the rows: the same as OrderedMembers for nodes in which every row is a person.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "anonymize/partition/class_limits.h"
#include "anonymize/partition/class_parts.h"
#include "base/interval.h"

namespace pentimento::partition {

class JointColumn {
 public:
  explicit JointColumn(const ClassLimits& limits)
      : fewest_(limits.rule.fewest_persons()), lanes_(&limits.wide_lanes), shift_(ShiftFor(limits.rule)) {}

  // How far a code is shifted to get to its first cell: a power of two of cells, which begins with one per signature.
  static int ShiftFor(const SensitiveRule& rule) {
    return static_cast<int>(std::bit_width(std::max<std::size_t>(rule.signature_count(), WideLimitLanes::kLanes) - 1));
  }

  // Nothing counted yet. Whoever counts adds to the cells, and then says so.
  std::span<std::uint32_t> Begin(Interval codes) {
    codes_ = codes;
    cells_.assign(codes.size() << shift_, 0);
    return cells_;
  }
  void End() {
    rows_of_codes_.assign(codes_.size(), 0);
    for (std::size_t i = 0; i < rows_of_codes_.size(); ++i) {
      const std::uint32_t* const cells = &cells_[i << shift_];
      std::uint32_t rows = 0;
      for (std::size_t s = 0; s < std::size_t{1} << shift_; ++s) rows += cells[s];
      rows_of_codes_[i] = rows;
    }
    is_summed_up_ = false;
  }

  // Members with each code, from the lowest on.
  std::span<const std::uint32_t> rows_of_codes() const { return rows_of_codes_; }

  // Before anything below is asked.
  void SumUp() {
    if (is_summed_up_) return;
    is_summed_up_ = true;
    const std::size_t words = lanes_->words();
    slots_.clear();
    rows_at_.assign(1, 0);
    counts_.resize((codes_.size() + 1) * words);
    std::fill_n(counts_.begin(), words, Word{});
    for (std::size_t i = 0; i < rows_of_codes_.size(); ++i) {
      if (rows_of_codes_[i] == 0) continue;
      Word* const below = &counts_[slots_.size() * words];
      slots_.push_back({codes_.lo + static_cast<Code>(i), rows_at_.back()});
      rows_at_.push_back(rows_at_.back() + rows_of_codes_[i]);
      std::copy_n(below, words, below + words);
      lanes_->Add(&cells_[i << shift_], below + words);
    }
  }

  std::span<const CodeSlot> slots() const { return slots_; }

  ClassPart Of(std::size_t first, std::size_t past, std::size_t /*which*/ = 0) const {
    const std::uint64_t rows = rows_at_[past] - rows_at_[first];
    return {rows, rows >= fewest_ && lanes_->Keep(At(first), At(past), rows)};
  }
  ClassBoundary BoundaryAt(std::size_t slot) const {
    ClassBoundary boundary{{rows_at_[slot], false}, {rows_at_.back() - rows_at_[slot], false}};
    if (std::min(boundary.below.persons, boundary.above.persons) < fewest_) return boundary;
    boundary.below.keeps = lanes_->Keep(At(0), At(slot), boundary.below.persons);
    boundary.above.keeps = boundary.below.keeps && lanes_->Keep(At(slot), At(slots_.size()), boundary.above.persons);
    return boundary;
  }
  void FindBoundaries() {}

  // Members with these codes, of which some may be outside of the column's.
  ClassPart OfCodes(Interval codes) const {
    const auto first = std::ranges::lower_bound(slots_, codes.lo, {}, &CodeSlot::code);
    const auto past = std::ranges::upper_bound(slots_, codes.hi, {}, &CodeSlot::code);
    return Of(static_cast<std::size_t>(first - slots_.begin()), static_cast<std::size_t>(past - slots_.begin()));
  }

 private:
  using Word = WideLimitLanes::Word;

  const Word* At(std::size_t slot) const { return &counts_[slot * lanes_->words()]; }

  std::uint64_t fewest_;
  const WideLimitLanes* lanes_;
  int shift_;
  Interval codes_{0, 0};
  std::vector<std::uint32_t> cells_;
  std::vector<std::uint32_t> rows_of_codes_;
  bool is_summed_up_ = false;
  std::vector<CodeSlot> slots_;
  std::vector<Word> counts_;            // of the items, below each slot and below all
  std::vector<std::uint64_t> rows_at_;  // rows below each slot, and all
};

}  // namespace pentimento::partition
