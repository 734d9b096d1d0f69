// Finds the best cut of a node whose two sides both keep the caps of their lowest level.
//
// The best cut takes most width off the rows, less a price for holders that it leaves out of proportion: a side with
// more than its share of them cannot be cut much further, and what that costs is more than one cut gains. Columns are
// tried as in a plain partition: in small nodes several at once, from the widest on, through coarse bins.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "anonymize/partition/column_cuts.h"
#include "anonymize/partition/cut_finder.h"
#include "anonymize/serial/capped_items.h"

namespace pentimento::serial {

template <typename Rows>
class CappedCutFinder {
 public:
  CappedCutFinder(const Rows& rows, std::span<const partition::ColumnShape> shapes, const partition::CutPrices& prices,
                  const CappedItems& items)
      : rows_(&rows), shapes_(shapes), prices_(&prices), items_(&items), held_(items) {}

  std::optional<partition::Cut> FindCut(const partition::NodeView& node) {
    if (node.rows() / 2 < prices_->k()) return std::nullopt;
    LookAtMembers(node);
    OrderColumnsByWidth(node);
    const bool is_small = node.rows() <= kSmallNode;
    const std::size_t at_once = is_small ? kColumnsAtOnce : 1;
    const std::size_t bins = std::clamp(node.rows() / 2, kFewestBins, is_small ? kBinsOfSmallNode : kBinsOfLargeNode);
    best_.reset();
    has_sizes_ = false;
    for (std::size_t first = 0; first < columns_.size() && !best_; first += at_once) {
      const auto columns = std::span(columns_).subspan(first, std::min(at_once, columns_.size() - first));
      for (const std::size_t c : columns) TryColumn(node, c, partition::LayOutBins(shapes_[c], node.members[c], bins));
    }
    // Where coarse bins show no two sides that are large enough, single codes are looked at.
    for (std::size_t i = 0; i < columns_.size() && !best_ && !has_sizes_; ++i) TrySingleCodes(node, columns_[i]);
    return std::exchange(best_, std::nullopt);
  }

 private:
  static constexpr std::size_t kSmallNode = std::size_t{1} << 16;
  static constexpr std::size_t kColumnsAtOnce = 4;
  static constexpr std::size_t kFewestBins = 16;
  static constexpr std::size_t kBinsOfSmallNode = 64;
  static constexpr std::size_t kBinsOfLargeNode = 1024;

  struct Holder {
    std::uint32_t record;
    std::uint32_t signature;
  };

  // Who holds something, and which levels there are.
  void LookAtMembers(const partition::NodeView& node) {
    const auto records = rows_->records(node.buffer);
    holders_.clear();
    std::uint32_t levels = 0;
    for (std::size_t i = node.begin; i < node.end; ++i) {
      const Code lane = records.signature(i);
      levels |= std::uint32_t{1} << CappedItems::LevelOf(lane);
      if (CappedItems::SignatureOf(lane) != 0)
        holders_.push_back({static_cast<std::uint32_t>(i), CappedItems::SignatureOf(lane)});
    }
    lowest_ = static_cast<std::size_t>(std::countr_zero(levels));
    has_levels_ = (levels & (levels - 1)) != 0;
    held_.Clear();
    for (const Holder& holder : holders_) held_.AddToNode(holder.signature);
    held_.FinishNode(node.rows(), lowest_);
  }

  void OrderColumnsByWidth(const partition::NodeView& node) {
    widest_first_.clear();
    for (std::size_t c = 0; c < shapes_.size(); ++c) {
      if (node.members[c].lo < node.members[c].hi) widest_first_.emplace_back(-shapes_[c].Width(node.members[c]), c);
    }
    std::sort(widest_first_.begin(), widest_first_.end());
    columns_.clear();
    for (const auto& [width, column] : widest_first_) columns_.push_back(column);
  }

  void TryColumn(const partition::NodeView& node, std::size_t column, const partition::Bins& bins) {
    const std::size_t count = ((node.members[column].hi - bins.base) >> bins.shift) + 1;
    const auto bin_of = [base = bins.base, shift = bins.shift](Code code) { return (code - base) >> shift; };
    CountRows(node, column, count, bin_of);
    Sweep(node, column, [&](std::size_t bin) { return bins.FirstCode(bin); });
  }

  void TrySingleCodes(const partition::NodeView& node, std::size_t column) {
    const auto records = rows_->records(node.buffer);
    codes_.clear();
    for (std::size_t i = node.begin; i < node.end; ++i) codes_.push_back(records.codes(i)[column]);
    std::sort(codes_.begin(), codes_.end());
    codes_.erase(std::unique(codes_.begin(), codes_.end()), codes_.end());
    const auto bin_of = [this](Code code) {
      return static_cast<std::size_t>(std::lower_bound(codes_.begin(), codes_.end(), code) - codes_.begin());
    };
    CountRows(node, column, codes_.size(), bin_of);
    // One past the last bin is asked for as well, where the last bin below the cut ends.
    Sweep(node, column, [this](std::size_t bin) { return bin < codes_.size() ? codes_[bin] : codes_.back() + 1; });
  }

  template <typename BinOf>
  void CountRows(const partition::NodeView& node, std::size_t column, std::size_t bins, const BinOf& bin_of) {
    const auto records = rows_->records(node.buffer);
    rows_in_bin_.assign(bins, 0);
    std::uint32_t* const counts = rows_in_bin_.data();
    if (has_levels_) {
      levels_in_bin_.assign(bins, 0);
      std::uint32_t* const levels = levels_in_bin_.data();
      for (std::size_t i = node.begin; i < node.end; ++i) {
        const std::size_t bin = bin_of(records.codes(i)[column]);
        ++counts[bin];
        levels[bin] |= std::uint32_t{1} << CappedItems::LevelOf(records.signature(i));
      }
    } else {
      for (std::size_t i = node.begin; i < node.end; ++i) ++counts[bin_of(records.codes(i)[column])];
    }
    first_holder_.assign(bins + 1, 0);
    bin_of_holder_.resize(holders_.size());
    for (std::size_t h = 0; h < holders_.size(); ++h) {
      bin_of_holder_[h] = static_cast<std::uint32_t>(bin_of(records.codes(holders_[h].record)[column]));
      ++first_holder_[bin_of_holder_[h] + 1];
    }
    std::partial_sum(first_holder_.begin(), first_holder_.end(), first_holder_.begin());
    signatures_.resize(holders_.size());
    for (std::size_t h = 0; h < holders_.size(); ++h)
      signatures_[first_holder_[bin_of_holder_[h]]++] = holders_[h].signature;
    // Now each bin's first is where it ends.
  }

  // What levels there are from a bin on.
  void GatherLevelsAbove() {
    if (!has_levels_) return;
    levels_above_.assign(levels_in_bin_.begin(), levels_in_bin_.end());
    for (std::size_t bin = levels_above_.size() - 1; bin-- > 0;) levels_above_[bin] |= levels_above_[bin + 1];
  }

  template <typename FirstCode>
  void Sweep(const partition::NodeView& node, std::size_t column, const FirstCode& first_code) {
    const partition::ColumnShape& shape = shapes_[column];
    const Interval members = node.members[column];
    const std::int64_t width = shape.Width(members);
    GatherLevelsAbove();
    held_.ClearBelow();
    std::uint64_t below = 0;
    std::uint32_t levels_below = 0;
    std::size_t holder = 0;
    std::size_t last = 0;  // the last bin below that is not empty
    for (std::size_t bin = 0; bin < rows_in_bin_.size(); ++bin) {
      if (rows_in_bin_[bin] == 0) continue;
      const std::uint64_t above = node.rows() - below;
      if (above < prices_->k()) return;
      if (below >= prices_->k()) {
        has_sizes_ = true;
        const Code at = first_code(bin);
        const std::int64_t gain =
            static_cast<std::int64_t>(below) * (width - shape.Width({members.lo, first_code(last + 1) - 1})) +
            static_cast<std::int64_t>(above) * (width - shape.Width({at, members.hi})) - prices_->LeftOver(below) -
            prices_->LeftOver(above);
        const std::size_t level_below = has_levels_ ? std::countr_zero(levels_below) : lowest_;
        const std::size_t level_above = has_levels_ ? std::countr_zero(levels_above_[bin]) : lowest_;
        Offer({.column = column, .gain = gain, .at = at, .below = below, .runs = {}}, above, level_below, level_above);
      }
      below += rows_in_bin_[bin];
      if (has_levels_) levels_below |= levels_in_bin_[bin];
      for (; holder < first_holder_[bin]; ++holder) held_.AddBelow(signatures_[holder]);
      last = bin;
    }
  }

  // The price is only asked for where the cut would be the best without it: it is never negative.
  void Offer(partition::Cut cut, std::uint64_t above, std::size_t level_below, std::size_t level_above) {
    if (best_ && cut.gain <= best_->gain) return;
    if (!held_.Keeps(cut.below, above, level_below, level_above)) return;
    cut.gain -= held_.Price(cut.below, above, level_below, level_above);
    if (!best_ || cut.gain > best_->gain) best_ = std::move(cut);
  }

  const Rows* rows_;
  std::span<const partition::ColumnShape> shapes_;
  const partition::CutPrices* prices_;
  const CappedItems* items_;
  HeldItems held_;
  // Reused from node to node.
  std::vector<Holder> holders_;
  std::size_t lowest_ = 0;
  bool has_levels_ = false;
  bool has_sizes_ = false;
  std::optional<partition::Cut> best_;
  std::vector<std::pair<std::int64_t, std::size_t>> widest_first_;
  std::vector<std::size_t> columns_;
  std::vector<Code> codes_;
  std::vector<std::uint32_t> rows_in_bin_;
  std::vector<std::uint32_t> levels_in_bin_;
  std::vector<std::uint32_t> levels_above_;
  std::vector<std::uint32_t> first_holder_;
  std::vector<std::uint32_t> bin_of_holder_;
  std::vector<std::uint32_t> signatures_;
};

}  // namespace pentimento::serial
