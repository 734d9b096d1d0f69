// Finds the best cut of a node whose two sides both keep the caps of their lowest level.
//
// The best cut takes most width off the rows, less a price for holders that it leaves out of proportion: a side with
// more than its share of them cannot be cut much further, and what that costs is more than one cut gains. Columns are
// tried as in a plain partition: in small nodes several at once, from the widest on, through coarse bins.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <type_traits>
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
      : rows_(&rows), shapes_(shapes), prices_(&prices), held_(items) {}

  std::optional<partition::Cut> FindCut(const partition::NodeView& node) {
    if (node.rows() / 2 < prices_->k()) return std::nullopt;
    OrderColumnsByWidth(node);
    if (columns_.empty()) return std::nullopt;
    const bool is_small = node.rows() <= kSmallNode;
    const std::size_t at_once = is_small ? kColumnsAtOnce : 1;
    const std::size_t bins = std::clamp(node.rows() / 2, kFewestBins, is_small ? kBinsOfSmallNode : kBinsOfLargeNode);
    best_.reset();
    has_sizes_ = false;
    std::size_t first = 0;
    if (is_small) {
      LookAtMembers(node, [](const auto*) {});
      // One of the sides has the item that needs most rows.
      if (node.rows() < held_.FewestRows(highest_) + prices_->k()) return std::nullopt;
    } else {
      LookAndTry(node, columns_[first++], bins);
    }
    for (; first < columns_.size() && !best_; first += at_once) {
      LayOut(node, std::span(columns_).subspan(first, std::min(at_once, columns_.size() - first)), bins);
      Count(node);
      SweepBinned(node);
    }
    // Where coarse bins show no two sides that are large enough, single codes are looked at.
    for (std::size_t i = 0; i < columns_.size() && !best_ && !has_sizes_; ++i) TrySingleCodes(node, columns_[i]);
    if (!best_) return std::nullopt;
    return partition::Cut{
        .column = best_->column, .gain = best_->gain, .at = best_->at, .below = best_->below, .runs = {}};
  }

 private:
  static constexpr std::size_t kSmallNode = std::size_t{1} << 15;
  // Above this many rows taxonomies are cut in the middle rather than at an end.
  static constexpr std::size_t kLeavesCount = std::size_t{1} << 12;
  static constexpr std::size_t kLevelsMatter = std::size_t{1} << 12;
  // Up to here putting holders in order one by one is quicker than counting them.
  static constexpr std::size_t kFewHolders = 16;
  static constexpr std::size_t kColumnsAtOnce = 4;
  static constexpr std::size_t kFewestBins = 16;
  static constexpr std::size_t kBinsOfSmallNode = 64;
  static constexpr std::size_t kBinsOfLargeNode = 1024;

  struct Holder {
    std::uint32_t record;
    std::uint32_t signature;
  };
  struct InBin {
    std::uint32_t bin;
    std::uint32_t signature;
  };
  // Rows whose codes are neighbours in a column.
  struct Cell {
    std::uint32_t rows = 0;
    std::uint32_t levels = 0;  // a bit for each; left out where the node counts as having one level
  };
  struct TwoSides {
    std::size_t column;
    std::int64_t gain;
    Code at;
    std::uint64_t below;
  };
  struct BinnedColumn {
    std::size_t column;
    partition::Bins bins;
    std::size_t first_cell;
    std::size_t cells;
  };

  // Who holds something, and which levels there are. Calls each(codes) for every record.
  template <typename Each>
  void LookAtMembers(const partition::NodeView& node, const Each& each) {
    const auto records = rows_->records(node.buffer);
    holders_.clear();
    held_.Clear();
    std::uint32_t levels = 0;
    for (std::size_t i = node.begin; i < node.end; ++i) {
      each(records.codes(i));
      const Code lane = records.signature(i);
      levels |= std::uint32_t{1} << CappedItems::LevelOf(lane);
      if (lane < kMostLevels) [[likely]]
        continue;
      holders_.push_back({static_cast<std::uint32_t>(i), CappedItems::SignatureOf(lane)});
      held_.AddToNode(CappedItems::SignatureOf(lane));
    }
    lowest_ = static_cast<std::size_t>(std::countr_zero(levels));
    highest_ = static_cast<std::size_t>(std::bit_width(levels)) - 1;
    // Both sides of a large node nearly always have its lowest level; where not, caps are kept that are too low.
    has_levels_ = lowest_ != highest_ && node.rows() <= kLevelsMatter;
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

  // In a large node every look at the records counts, so the widest column is counted on the way. Levels do not matter.
  void LookAndTry(const partition::NodeView& node, std::size_t column, std::size_t max_bins) {
    static_assert(kLevelsMatter <= kSmallNode);
    LayOut(node, {&column, 1}, max_bins);
    LookAtMembers(node, [column, base = binned_[0].bins.base, shift = binned_[0].bins.shift, cells = cells_.data()](
                            const auto* codes) { ++cells[(Code{codes[column]} - base) >> shift].rows; });
    SweepBinned(node);
  }

  void LayOut(const partition::NodeView& node, std::span<const std::size_t> columns, std::size_t max_bins) {
    binned_.clear();
    std::size_t cells = 0;
    for (const std::size_t c : columns) {
      const partition::Bins bins = partition::LayOutBins(shapes_[c], node.members[c], max_bins);
      const std::size_t count = ((node.members[c].hi - bins.base) >> bins.shift) + 1;
      binned_.push_back({c, bins, cells, count});
      cells += count;
    }
    cells_.assign(cells, Cell{});
  }

  void Count(const partition::NodeView& node) {
    if (binned_.size() == kColumnsAtOnce) return CountColumns<kColumnsAtOnce>(node, 0);
    for (std::size_t b = 0; b < binned_.size(); ++b) CountColumns<1>(node, b);
  }

  void SweepBinned(const partition::NodeView& node) {
    for (const BinnedColumn& column : binned_) {
      const auto bin_of = [&bins = column.bins](Code code) { return (code - bins.base) >> bins.shift; };
      SortHolders(node, column.column, column.cells, bin_of);
      Sweep(node, column.column, std::span(cells_).subspan(column.first_cell, column.cells),
            [&bins = column.bins](std::size_t bin) { return bins.FirstCode(bin); });
    }
  }

  // The innermost loop, for several columns at once. Everything but the cells is copied first: the compiler must
  // otherwise assume that a cell is one of the numbers it looks up.
  template <std::size_t kColumns>
  void CountColumns(const partition::NodeView& node, std::size_t first) {
    std::array<std::size_t, kColumns> column;
    std::array<Code, kColumns> base;
    std::array<int, kColumns> shift;
    std::array<Cell*, kColumns> cells;
    for (std::size_t b = 0; b < kColumns; ++b) {
      const BinnedColumn& binned = binned_[first + b];
      column[b] = binned.column;
      base[b] = binned.bins.base;
      shift[b] = binned.bins.shift;
      cells[b] = &cells_[binned.first_cell];
    }
    const auto records = rows_->records(node.buffer);
    const auto count = [&](auto with_levels) {
      for (std::size_t i = node.begin; i < node.end; ++i) {
        const auto* const codes = records.codes(i);
        const std::uint32_t level = with_levels() ? std::uint32_t{1} << CappedItems::LevelOf(records.signature(i)) : 0;
#pragma GCC unroll 4
        for (std::size_t b = 0; b < kColumns; ++b) {
          Cell& cell = cells[b][(Code{codes[column[b]]} - base[b]) >> shift[b]];
          ++cell.rows;
          if (with_levels()) cell.levels |= level;
        }
      }
    };
    has_levels_ ? count(std::true_type{}) : count(std::false_type{});
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
    cells_.assign(codes_.size(), Cell{});
    for (std::size_t i = node.begin; i < node.end; ++i) {
      Cell& cell = cells_[bin_of(records.codes(i)[column])];
      ++cell.rows;
      cell.levels |= std::uint32_t{1} << CappedItems::LevelOf(records.signature(i));
    }
    SortHolders(node, column, codes_.size(), bin_of);
    // One past the last bin is asked for as well, where the last bin below the cut ends.
    Sweep(node, column, cells_,
          [this](std::size_t bin) { return bin < codes_.size() ? codes_[bin] : codes_.back() + 1; });
  }

  // The holders by bin.
  template <typename BinOf>
  void SortHolders(const partition::NodeView& node, std::size_t column, std::size_t bins, const BinOf& bin_of) {
    const auto records = rows_->records(node.buffer);
    by_bin_.resize(holders_.size());
    const auto placed = [&](const Holder& holder) {
      return InBin{static_cast<std::uint32_t>(bin_of(records.codes(holder.record)[column])), holder.signature};
    };
    if (holders_.size() <= kFewHolders) {
      for (std::size_t h = 0; h < holders_.size(); ++h) {
        const InBin here = placed(holders_[h]);
        std::size_t at = h;
        for (; at > 0 && by_bin_[at - 1].bin > here.bin; --at) by_bin_[at] = by_bin_[at - 1];
        by_bin_[at] = here;
      }
      return;
    }
    next_.assign(bins + 1, 0);
    unordered_.resize(holders_.size());
    for (std::size_t h = 0; h < holders_.size(); ++h) {
      unordered_[h] = placed(holders_[h]);
      ++next_[unordered_[h].bin + 1];
    }
    std::partial_sum(next_.begin(), next_.end(), next_.begin());
    for (const InBin& holder : unordered_) by_bin_[next_[holder.bin]++] = holder;
  }

  // What stands above each bin, itself included: the levels, and the width that is published.
  template <typename FirstCode>
  void LookFromAbove(const partition::NodeView& node, std::size_t column, std::span<const Cell> cells,
                     const FirstCode& first_code) {
    above_.resize(cells.size());
    GrowingWidth width(shapes_[column], node);
    std::uint32_t levels = 0;
    for (std::size_t bin = cells.size(); bin-- > 0;) {
      if (cells[bin].rows == 0) continue;
      levels |= cells[bin].levels;
      above_[bin] = {width.Of({first_code(bin), node.members[column].hi}), levels};
    }
  }

  template <typename FirstCode>
  void Sweep(const partition::NodeView& node, std::size_t column, std::span<const Cell> cells,
             const FirstCode& first_code) {
    const Interval members = node.members[column];
    const std::int64_t width = GrowingWidth(shapes_[column], node).Of(members);
    const std::uint64_t k = prices_->k();
    GrowingWidth width_below(shapes_[column], node);
    LookFromAbove(node, column, cells, first_code);
    held_.ClearBelow();
    std::uint64_t below = 0;
    std::uint32_t levels_below = 0;
    std::size_t holder = 0;
    std::size_t last = 0;  // the last bin below that is not empty
    for (std::size_t bin = 0; bin < cells.size() && node.rows() - below >= k; ++bin) {
      if (cells[bin].rows == 0) continue;
      if (below >= k) {
        const std::uint64_t above = node.rows() - below;
        const std::int64_t gain =
            static_cast<std::int64_t>(below) * (width - width_below.Of({members.lo, first_code(last + 1) - 1})) +
            static_cast<std::int64_t>(above) * (width - above_[bin].width) - prices_->LeftOver(below) -
            prices_->LeftOver(above);
        has_sizes_ = true;
        // The price is only asked for where the cut would be the best without it: it is never negative.
        if (!best_ || gain > best_->gain)
          Offer({column, gain, first_code(bin), below}, above, LowestOf(levels_below), LowestOf(above_[bin].levels));
      }
      below += cells[bin].rows;
      levels_below |= cells[bin].levels;
      for (; holder < by_bin_.size() && by_bin_[holder].bin == bin; ++holder) held_.AddBelow(by_bin_[holder].signature);
      last = bin;
    }
  }

  std::size_t LowestOf(std::uint32_t levels) const {
    return has_levels_ ? static_cast<std::size_t>(std::countr_zero(levels)) : lowest_;
  }

  void Offer(TwoSides cut, std::uint64_t above, std::size_t level_below, std::size_t level_above) {
    if (!held_.Keeps(cut.below, above, level_below, level_above)) return;
    cut.gain -= held_.Price(cut.below, above, level_below, level_above);
    if (!best_ || cut.gain > best_->gain) best_ = cut;
  }

  // The published width of an interval that only grows. Looking for the cover in a taxonomy takes its time.
  //
  // In a large node leaves count as well: a value at an end of a flat taxonomy can be cut off at once and gains all
  // that there is to gain, but cutting off one after the other makes a deep tree.
  class GrowingWidth {
   public:
    GrowingWidth(const partition::ColumnShape& shape, const partition::NodeView& node)
        : shape_(&shape), counts_leaves_(node.rows() > kLeavesCount) {}

    std::int64_t Of(Interval codes) {
      if (!shape_->follows_taxonomy()) return shape_->Width(codes);
      if (!has_cover_ || !cover_.Contains(codes)) {
        has_cover_ = true;
        cover_ = shape_->domain().Cover(codes, CategoryForm::kTaxonomy);
        width_ = shape_->Width(codes);
      }
      if (!counts_leaves_ || codes.hi == shape_->missing_code()) return width_;
      return (width_ + shape_->WidthOfValues(codes)) / 2;
    }

   private:
    const partition::ColumnShape* shape_;
    bool counts_leaves_;
    bool has_cover_ = false;
    Interval cover_;
    std::int64_t width_ = 0;
  };
  struct Above {
    std::int64_t width;
    std::uint32_t levels;
  };

  const Rows* rows_;
  std::span<const partition::ColumnShape> shapes_;
  const partition::CutPrices* prices_;
  HeldItems held_;
  // Reused from node to node.
  std::vector<Holder> holders_;
  std::size_t lowest_ = 0;
  std::size_t highest_ = 0;
  bool has_levels_ = false;
  bool has_sizes_ = false;
  std::optional<TwoSides> best_;
  std::vector<std::pair<std::int64_t, std::size_t>> widest_first_;
  std::vector<std::size_t> columns_;
  std::vector<BinnedColumn> binned_;
  std::vector<Cell> cells_;
  std::vector<Above> above_;
  std::vector<Code> codes_;
  std::vector<InBin> by_bin_;
  std::vector<InBin> unordered_;
  std::vector<std::uint32_t> next_;
};

}  // namespace pentimento::serial
