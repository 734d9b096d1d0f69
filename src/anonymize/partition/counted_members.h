// The same as OrderedMembers for small nodes in which every row is a person, and for few limits: how often each limited
// item occurs below a code is kept for all codes, side by side in vector registers, so that any range of members is
// counted at once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "anonymize/partition/node_view.h"
#include "anonymize/partition/table_limits.h"
#include "base/interval.h"

namespace pentimento::partition {

template <typename Rows>
class CountedMembers {
 public:
  CountedMembers(const Rows& rows, const TableLimits& limits)
      : rows_(&rows), fewest_(limits.rule.fewest_persons()), lanes_(limits.lanes) {}

  bool Fit(const NodeView& node) const {
    return !Rows::kHasPersons && lanes_.fit() && node.rows() <= LimitLanes::kMostRows;
  }
  bool Fit(const NodeView& node, std::size_t column) const {
    const Interval codes = node.members[column];
    return Fit(node) && (codes.hi - codes.lo) / 64 <= std::max<std::size_t>(node.rows(), kAlwaysFewWords);
  }

  void Load(const NodeView& node, std::size_t column) {
    const Interval codes = node.members[column];
    const std::size_t range = std::size_t{codes.hi} - codes.lo + 1;
    const auto records = rows_->records(node.buffer);
    slots_.clear();
    if (range <= 2 * node.rows() + kAlwaysFewCodes) {
      Count(node, range, [=](std::size_t i) { return std::size_t{records.codes(i)[column]} - codes.lo; });
      DropEmpty(codes.lo, range);
    } else {
      FindCodes(node, column);
      Count(node, slots_.size(), [=, slot_of_code = slot_of_code_.data()](std::size_t i) {
        return std::size_t{slot_of_code[records.codes(i)[column] - codes.lo]};
      });
    }
    SumUp();
  }

  std::span<const CodeSlot> slots() const { return slots_; }

  ClassPart Of(std::size_t first, std::size_t past, std::size_t /*which*/ = 0) const {
    const std::size_t rows = rows_at_[past] - rows_at_[first];
    return {rows, rows >= fewest_ && lanes_.Keep(At(first), At(past), rows)};
  }

  ClassBoundary BoundaryAt(std::size_t slot) const {
    ClassBoundary boundary{{rows_at_[slot], false}, {rows_at_.back() - rows_at_[slot], false}};
    if (std::min(boundary.below.persons, boundary.above.persons) < fewest_) return boundary;
    boundary.below.keeps = lanes_.Keep(At(0), At(slot), boundary.below.persons);
    boundary.above.keeps = boundary.below.keeps && lanes_.Keep(At(slot), At(slots_.size()), boundary.above.persons);
    return boundary;
  }
  void FindBoundaries() {}

 private:
  using Word = LimitLanes::Word;
  static constexpr std::size_t kAlwaysFewCodes = 16;
  static constexpr std::size_t kAlwaysFewWords = 64;

  const Word* At(std::size_t slot) const { return &counts_[slot * lanes_.words()]; }

  // Counts what is in each of `slots` slots, one further than the slot: there it is below the next slot.
  template <typename SlotOf>
  void Count(const NodeView& node, std::size_t slots, SlotOf slot_of) {
    const std::size_t words = lanes_.words();
    counts_.assign((slots + 1) * words, Word{});
    rows_at_.assign(slots + 1, 0);
    // The number of words in the most frequent case is told to the compiler.
    if (words == 2) {
      CountWords<2>(node, slot_of);
    } else {
      CountWords<0>(node, slot_of);
    }
  }

  template <std::size_t kWords, typename SlotOf>
  void CountWords(const NodeView& node, SlotOf slot_of) {
    const std::size_t words = kWords > 0 ? kWords : lanes_.words();
    const auto records = rows_->records(node.buffer);
    Word* const counts = &counts_[words];
    std::uint32_t* const rows_at = &rows_at_[1];
    for (std::size_t i = node.begin; i < node.end; ++i) {
      const std::size_t slot = slot_of(i);
      const Word* const ones = lanes_.ones(records.signature(i));
      for (std::size_t w = 0; w < words; ++w) counts[slot * words + w] += ones[w];
      ++rows_at[slot];
    }
  }

  // From a slot for every code to a slot for every code that a member has.
  void DropEmpty(Code lowest, std::size_t range) {
    const std::size_t words = lanes_.words();
    for (std::size_t offset = 0; offset < range; ++offset) {
      if (rows_at_[offset + 1] == 0) continue;
      slots_.push_back({static_cast<Code>(lowest + offset), 0});
      rows_at_[slots_.size()] = rows_at_[offset + 1];
      std::copy_n(&counts_[(offset + 1) * words], words, &counts_[slots_.size() * words]);
    }
    rows_at_.resize(slots_.size() + 1);
  }

  void SumUp() {
    const std::size_t words = lanes_.words();
    for (std::size_t s = 1; s <= slots_.size(); ++s) {
      for (std::size_t w = 0; w < words; ++w) counts_[s * words + w] += counts_[(s - 1) * words + w];
      slots_[s - 1].first = rows_at_[s - 1];
      rows_at_[s] += rows_at_[s - 1];
    }
  }

  // The codes that members have, from left to right: a bit each, so that gaps cost next to nothing.
  void FindCodes(const NodeView& node, std::size_t column) {
    const Interval codes = node.members[column];
    const auto records = rows_->records(node.buffer);
    const std::size_t range = std::size_t{codes.hi} - codes.lo + 1;
    is_there_.assign((range + 63) / 64, 0);
    for (std::size_t i = node.begin; i < node.end; ++i) {
      const Code offset = records.codes(i)[column] - codes.lo;
      is_there_[offset / 64] |= std::uint64_t{1} << (offset % 64);
    }
    if (slot_of_code_.size() < range) slot_of_code_.resize(range);
    for (std::size_t w = 0; w < is_there_.size(); ++w) {
      for (std::uint64_t bits = is_there_[w]; bits != 0; bits &= bits - 1) {
        const auto offset = static_cast<Code>(64 * w + static_cast<std::size_t>(std::countr_zero(bits)));
        slot_of_code_[offset] = static_cast<std::uint16_t>(slots_.size());
        slots_.push_back({codes.lo + offset, 0});
      }
    }
  }

  const Rows* rows_;
  std::uint64_t fewest_;
  const LimitLanes& lanes_;
  std::vector<std::uint64_t> is_there_;
  std::vector<std::uint16_t> slot_of_code_;  // valid where a member has the code
  std::vector<CodeSlot> slots_;
  std::vector<Word> counts_;            // of the items, below each slot and below all
  std::vector<std::uint32_t> rows_at_;  // rows below each slot, and all
};

}  // namespace pentimento::partition
