// Who in a node holds something, and which levels the node has: looked for once, and then put into the order of every
// column that is tried.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "anonymize/partition/cut_finder.h"
#include "anonymize/serial/capped_items.h"

namespace pentimento::serial {

struct HolderInBin {
  std::uint32_t bin;
  std::uint32_t signature;
};

template <typename Rows>
class NodeHolders {
 public:
  explicit NodeHolders(const Rows& rows) : rows_(&rows) {}

  void Clear() { holders_.clear(); }
  // Calls each(codes) for every record on the way.
  template <typename Each>
  void Look(const partition::NodeView& node, HeldItems& held, const Each& each) {
    const auto records = rows_->records(node.buffer);
    holders_.clear();
    held.Clear();
    std::uint32_t levels = 0;
    for (std::size_t block = node.begin; block < node.end; block += kBlock) {
      // First who it is, without a branch or a call, so that what is gathered stays in registers.
      std::array<std::uint32_t, kBlock> found;
      std::size_t count = 0;
      const std::size_t end = std::min(block + kBlock, node.end);
      for (std::size_t i = block; i < end; ++i) {
        each(records.codes(i));
        const Code lane = records.signature(i);
        levels |= std::uint32_t{1} << CappedItems::LevelOf(lane);
        found[count] = static_cast<std::uint32_t>(i);
        count += lane >= kMostLevels ? 1 : 0;
      }
      for (std::size_t f = 0; f < count; ++f) {
        const std::uint32_t signature = CappedItems::SignatureOf(records.signature(found[f]));
        holders_.push_back({found[f], signature});
        held.AddToNode(signature);
      }
    }
    lowest_ = static_cast<std::size_t>(std::countr_zero(levels));
    highest_ = static_cast<std::size_t>(std::bit_width(levels)) - 1;
  }

  bool empty() const { return holders_.empty(); }
  // Of the node looked at last.
  std::size_t lowest_level() const { return lowest_; }
  std::size_t highest_level() const { return highest_; }

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

  struct Sides {
    bool below = false;
    bool above = false;
  };
  // On which sides of a cut there are any.
  Sides SidesOf(const partition::NodeView& node, std::size_t column, Code at) const {
    const auto records = rows_->records(node.buffer);
    Sides sides;
    for (std::size_t h = 0; h < holders_.size() && !(sides.below && sides.above); ++h)
      (records.codes(holders_[h].record)[column] < at ? sides.below : sides.above) = true;
    return sides;
  }

 private:
  // Up to here putting holders in order one by one is quicker than counting them.
  static constexpr std::size_t kFewHolders = 16;
  static constexpr std::size_t kBlock = 512;

  struct Holder {
    std::uint32_t record;
    std::uint32_t signature;
  };

  const Rows* rows_;
  std::size_t lowest_ = 0;
  std::size_t highest_ = 0;
  // Reused from node to node.
  std::vector<Holder> holders_;
  std::vector<HolderInBin> by_bin_;
  std::vector<HolderInBin> unordered_;
  std::vector<std::uint32_t> next_;
};

}  // namespace pentimento::serial
