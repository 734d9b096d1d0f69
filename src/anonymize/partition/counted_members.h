// The same as OrderedMembers for small nodes in which every row is a person, and for few limits: how often each limited
// item occurs below a code is kept for all codes, side by side in vector registers, so that any range of members is
// judged at once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "anonymize/partition/class_limits.h"
#include "anonymize/partition/ordered_members.h"
#include "base/interval.h"

namespace pentimento::partition {

// How many rows of each limited item a class of so many persons may have.
class LimitLanes {
 public:
  static constexpr std::size_t kMostRows = 512;
  static constexpr std::size_t kMostItems = 64;
  typedef std::int16_t Word __attribute__((vector_size(16)));
  static constexpr std::size_t kLanes = sizeof(Word) / sizeof(std::int16_t);

  explicit LimitLanes(const SensitiveRule& rule) {
    if (rule.items().size() > kMostItems) return;
    words_ = std::max<std::size_t>(1, (rule.items().size() + kLanes - 1) / kLanes);
    caps_.resize((kMostRows + 1) * words_);
    ones_.resize(rule.signature_count() * words_);
    for (std::size_t i = 0; i < rule.items().size(); ++i) {
      const SensitiveRule::Item& item = rule.items()[i];
      for (std::size_t rows = 0; rows <= kMostRows; ++rows)
        caps_[rows * words_ + i / kLanes][i % kLanes] =
            static_cast<std::int16_t>(std::min(item.num * rows / item.den, kMostRows));
      for (const Code signature : rule.signatures_of(item)) ones_[signature * words_ + i / kLanes][i % kLanes] = 1;
    }
  }

  bool fit() const { return words_ > 0; }
  std::size_t words() const { return words_; }
  // A one for each item that rows of the signature count for.
  const Word* ones(Code signature) const { return &ones_[signature * words_]; }
  // Whether `past` less `first` counts are few enough among `rows` rows.
  bool Keep(const Word* first, const Word* past, std::size_t rows) const {
    const Word* const caps = &caps_[rows * words_];
    Word above = {};
    for (std::size_t w = 0; w < words_; ++w) above |= (past[w] - first[w]) > caps[w];
    std::uint64_t halves[2];
    static_assert(sizeof halves == sizeof above);
    std::memcpy(halves, &above, sizeof above);
    return (halves[0] | halves[1]) == 0;
  }

 private:
  std::size_t words_ = 0;
  std::vector<Word> caps_;  // by rows
  std::vector<Word> ones_;  // by signature
};

template <typename Rows>
class CountedMembers {
 public:
  CountedMembers(const Rows& rows, const ClassLimits& limits)
      : rows_(&rows), fewest_(limits.rule.fewest_persons()), lanes_(limits.rule) {}

  bool Fit(const NodeView& node, std::size_t column) const {
    const Interval codes = node.members[column];
    return !Rows::kHasPersons && lanes_.fit() && node.rows() <= LimitLanes::kMostRows &&
           (codes.hi - codes.lo) / 64 <= std::max<std::size_t>(node.rows(), kAlwaysFewWords);
  }

  void Load(const NodeView& node, std::size_t column) {
    FindCodes(node, column);
    const std::size_t words = lanes_.words();
    counts_.assign((slots_.size() + 1) * words, Word{});
    rows_at_.assign(slots_.size() + 1, 0);
    const auto records = rows_->records(node.buffer);
    const Code lowest = node.members[column].lo;
    // One further than the slot: what is counted there is below the next slot.
    for (std::size_t i = node.begin; i < node.end; ++i) {
      const std::size_t after = std::size_t{slot_of_code_[records.codes(i)[column] - lowest]} + 1;
      const Word* const ones = lanes_.ones(records.signature(i));
      Word* const counts = &counts_[after * words];
      for (std::size_t w = 0; w < words; ++w) counts[w] += ones[w];
      ++rows_at_[after];
    }
    for (std::size_t s = 1; s <= slots_.size(); ++s) {
      for (std::size_t w = 0; w < words; ++w) counts_[s * words + w] += counts_[(s - 1) * words + w];
      rows_at_[s] += rows_at_[s - 1];
    }
    for (std::size_t s = 0; s < slots_.size(); ++s) slots_[s].first = rows_at_[s];
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
  static constexpr std::size_t kAlwaysFewWords = 64;

  const Word* At(std::size_t slot) const { return &counts_[slot * lanes_.words()]; }

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
    slots_.clear();
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
  LimitLanes lanes_;
  std::vector<std::uint64_t> is_there_;
  std::vector<std::uint16_t> slot_of_code_;  // valid where a member has the code
  std::vector<CodeSlot> slots_;
  std::vector<Word> counts_;            // of the items, below each slot and below all
  std::vector<std::uint32_t> rows_at_;  // rows below each slot, and all
};

}  // namespace pentimento::partition
