// Who in a node holds something, and which levels the node has: looked up once, and then put into the order of every
// column that is tried.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "anonymize/global/capped_items.h"
#include "anonymize/global/child_cuts.h"
#include "anonymize/global/holders_first.h"
#include "anonymize/partition/cut_finder.h"

namespace pentimento::global {

struct HolderInBin {
  std::uint32_t bin;
  std::uint32_t signature;
};

// Records lie in the order of HoldersFirst.
template <typename Rows>
class NodeHolders {
 public:
  NodeHolders(const Rows& rows, const KeyOfRow& key_of_row) : rows_(&rows), key_of_row_(key_of_row) {}

  void Look(const partition::NodeView& node, HeldItems& held) {
    const auto records = rows_->records(node.buffer);
    holders_.clear();
    held.Clear();
    const std::size_t first_other = FirstOther(node);
    if (first_other == node.begin) return;
    for (std::size_t i = node.begin; i < first_other; ++i) {
      const std::uint32_t signature = CappedItems::SignatureOf(key_of_row_(records.row(i)));
      holders_.push_back({static_cast<std::uint32_t>(i), signature});
      held.AddToNode(signature);
    }
    lowest_ = kMostLevels - 1;
    highest_ = 0;
    NoteLevels(node.begin, first_other, records, of_holders_);
    NoteLevels(first_other, node.end, records, of_others_);
  }

  bool empty() const { return holders_.empty(); }
  // Of the node looked at last, if anybody holds anything.
  std::size_t lowest_level() const { return lowest_; }
  std::size_t highest_level() const { return highest_; }

  struct Levels {
    std::size_t below = kMostLevels;
    std::size_t above = kMostLevels;
  };
  // The lowest levels on the two sides of a cut, neither of which is empty.
  Levels LowestLevels(const partition::NodeView& node, std::size_t column, Code at) {
    const auto records = rows_->records(node.buffer);
    Levels levels;
    LowerLevels(of_holders_, records, column, at, levels);
    LowerLevels(of_others_, records, column, at, levels);
    return levels;
  }

  // The holders in the order of the bins, of which there are `bins`.
  template <typename BinOf>
  std::span<const HolderInBin> ByBin(const partition::NodeView& node, std::size_t column, std::size_t bins,
                                     const BinOf& bin_of) {
    const auto records = rows_->records(node.buffer);
    by_bin_.resize(holders_.size());
    const auto placed = [&](const Holder& holder) {
      return HolderInBin{static_cast<std::uint32_t>(bin_of(records.codes(holder.record)[column])), holder.signature};
    };
    if (holders_.size() <= kFewHolders) {
      for (std::size_t h = 0; h < holders_.size(); ++h) {
        const HolderInBin here = placed(holders_[h]);
        std::size_t at = h;
        for (; at > 0 && by_bin_[at - 1].bin > here.bin; --at) by_bin_[at] = by_bin_[at - 1];
        by_bin_[at] = here;
      }
      return by_bin_;
    }
    next_.assign(bins + 1, 0);
    unordered_.resize(holders_.size());
    for (std::size_t h = 0; h < holders_.size(); ++h) {
      unordered_[h] = placed(holders_[h]);
      ++next_[unordered_[h].bin + 1];
    }
    std::partial_sum(next_.begin(), next_.end(), next_.begin());
    for (const HolderInBin& holder : unordered_) by_bin_[next_[holder.bin]++] = holder;
    return by_bin_;
  }

  template <typename Each>
  void ForEach(const partition::NodeView& node, std::size_t column, const Each& each) const {
    const auto records = rows_->records(node.buffer);
    for (const Holder& holder : holders_) each(Code{records.codes(holder.record)[column]}, holder.signature);
  }

  // The lowest level of every child of a taxonomy. Again the first of each child is enough.
  void FindLevels(const partition::NodeView& node, std::size_t column, ChildCuts& children) {
    for (std::size_t child = 0; child < children.size(); ++child) children.SetLevel(child, kMostLevels - 1);
    const auto records = rows_->records(node.buffer);
    LowerLevelsOfChildren(of_holders_, records, column, children);
    LowerLevelsOfChildren(of_others_, records, column, children);
  }

 private:
  // Up to here putting holders in order one by one is quicker than counting them.
  static constexpr std::size_t kFewHolders = 16;
  static constexpr std::size_t kFirst = 8;
  static constexpr std::uint8_t kNotAsked = 0xFF;
  static constexpr std::size_t kChildrenInWord = 64;

  struct Holder {
    std::uint32_t record;
    std::uint32_t signature;
  };

  // The first record of somebody who holds nothing.
  std::size_t FirstOther(const partition::NodeView& node) const {
    const auto records = rows_->records(node.buffer);
    std::size_t begin = node.begin;
    for (std::size_t end = node.end; begin < end;) {
      const std::size_t middle = begin + (end - begin) / 2;
      if (CappedItems::SignatureOf(key_of_row_(records.row(middle))) == 0) {
        end = middle;
      } else {
        begin = middle + 1;
      }
    }
    return begin;
  }

  std::size_t LevelAt(std::size_t record, const typename Rows::Records& records) const {
    return CappedItems::LevelOf(key_of_row_(records.row(record)));
  }

  // Records of ascending levels: those of the holders, or of all others.
  struct Ascending {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::array<std::uint8_t, kFirst> levels;  // of the first of them, as far as they were asked for
  };

  void NoteLevels(std::size_t begin, std::size_t end, const typename Rows::Records& records, Ascending& noted) {
    noted.begin = begin;
    noted.end = end;
    if (begin == end) return;
    noted.levels.fill(kNotAsked);
    noted.levels[0] = static_cast<std::uint8_t>(LevelAt(begin, records));
    lowest_ = std::min<std::size_t>(lowest_, noted.levels[0]);
    highest_ = std::max(highest_, LevelAt(end - 1, records));
  }

  // The first record of a side has its lowest level. It is nearly always one of the first few of all, which are
  // compared without a branch that nobody could foresee.
  void LowerLevels(Ascending& noted, const typename Rows::Records& records, std::size_t column, Code at,
                   Levels& levels) const {
    const std::size_t few = std::min(kFirst, noted.end - noted.begin);
    std::uint32_t below = 0;
    for (std::size_t i = 0; i < few; ++i)
      below |= static_cast<std::uint32_t>(records.codes(noted.begin + i)[column] < at) << i;
    const std::uint32_t above = ~below & ((std::uint32_t{1} << few) - 1);
    const auto lower = [&](std::uint32_t found, bool is_below, std::size_t& lowest) {
      if (found != 0) [[likely]] {
        const auto first = static_cast<std::size_t>(std::countr_zero(found));
        if (noted.levels[first] == kNotAsked)
          noted.levels[first] = static_cast<std::uint8_t>(LevelAt(noted.begin + first, records));
        lowest = std::min<std::size_t>(lowest, noted.levels[first]);
        return;
      }
      std::size_t i = noted.begin + few;
      while (i < noted.end && (records.codes(i)[column] < at) != is_below) ++i;
      if (i < noted.end) lowest = std::min(lowest, LevelAt(i, records));
    };
    lower(below, true, levels.below);
    lower(above, false, levels.above);
  }

  void LowerLevelsOfChildren(const Ascending& noted, const typename Rows::Records& records, std::size_t column,
                             ChildCuts& children) {
    if (children.size() > kChildrenInWord) return LowerLevelsOfMany(noted, records, column, children);
    std::uint64_t unseen = ~std::uint64_t{0} >> (kChildrenInWord - children.size());
    for (std::size_t i = noted.begin; i < noted.end && unseen != 0; ++i) {
      const std::size_t child = children.ChildOf(records.codes(i)[column]);
      if ((unseen >> child & 1) == 0) continue;
      unseen ^= std::uint64_t{1} << child;
      children.SetLevel(child, std::min(children.level(child), LevelAt(i, records)));
    }
  }

  void LowerLevelsOfMany(const Ascending& noted, const typename Rows::Records& records, std::size_t column,
                         ChildCuts& children) {
    is_seen_.assign(children.size(), false);
    std::size_t unseen = children.size();
    for (std::size_t i = noted.begin; i < noted.end && unseen > 0; ++i) {
      const std::size_t child = children.ChildOf(records.codes(i)[column]);
      if (is_seen_[child]) continue;
      is_seen_[child] = true;
      --unseen;
      children.SetLevel(child, std::min(children.level(child), LevelAt(i, records)));
    }
  }

  const Rows* rows_;
  KeyOfRow key_of_row_;
  Ascending of_holders_;
  Ascending of_others_;
  std::size_t lowest_ = 0;
  std::size_t highest_ = 0;
  // Reused from node to node.
  std::vector<Holder> holders_;
  std::vector<HolderInBin> by_bin_;
  std::vector<HolderInBin> unordered_;
  std::vector<std::uint32_t> next_;
  std::vector<char> is_seen_;
};

}  // namespace pentimento::global
