// Finds the best cut of a node whose parts all keep the caps of their lowest level: in two sides, or along a taxonomy
// (child_cuts.h).
//
// The best cut takes most width off the rows, less a price for holders that it leaves out of proportion: a side with
// more than its share of them cannot be cut much further, and what that costs is more than one cut gains. Columns are
// tried as in a plain partition: in small nodes several at once, from the widest on, through coarse bins.
//
// Most boundaries are never looked at closely: widths are asked for where both sides have k rows, and who lies on which
// side only where the cut would be the best if caps and prices were left out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "anonymize/global/binned_rows.h"
#include "anonymize/global/capped_items.h"
#include "anonymize/global/child_cuts.h"
#include "anonymize/global/node_holders.h"
#include "anonymize/partition/column_cuts.h"
#include "anonymize/partition/cut_finder.h"

namespace pentimento::global {

// The cutter of the tree.
template <typename Rows>
class CappedCutFinder {
 public:
  // Records lie in the order of HoldersFirst.
  CappedCutFinder(const Rows& rows, const KeyOfRow& key_of_row, const CutSearch& search)
      : rows_(&rows),
        search_(search),
        binned_(rows, search.shapes),
        children_(search),
        holders_(rows, key_of_row),
        held_(search.items) {}

  std::optional<partition::Cut> FindCut(const partition::NodeView& node) {
    if (node.rows() / 2 < search_.prices.k()) return std::nullopt;
    OrderColumnsByWidth(node);
    if (columns_.empty()) return std::nullopt;
    best_ = Best{};
    has_sizes_ = false;
    const bool is_small = node.rows() <= kSmallNode;
    const std::size_t at_once = is_small ? BinnedRows<Rows>::kColumnsAtOnce : 1;
    const std::size_t bins = std::clamp(node.rows() / 2, kFewestBins, is_small ? kBinsOfSmallNode : kBinsOfLargeNode);
    Look(node);
    // One of the sides has the item that needs most rows.
    if (is_small && node.rows() < held_.FewestRows(holders_.highest_level()) + search_.prices.k()) return std::nullopt;
    for (std::size_t first = 0; first < columns_.size() && !best_.is_there(); first += at_once)
      TryColumns(node, std::span(columns_).subspan(first, std::min(at_once, columns_.size() - first)), bins);
    // Where coarse bins show no two sides that are large enough, single codes are looked at.
    for (std::size_t i = 0; i < columns_.size() && !best_.is_there() && !has_sizes_; ++i)
      TrySingleCodes(node, columns_[i], bins);
    if (!best_.is_there()) return std::nullopt;
    partition::Cut cut{.column = best_.column, .gain = best_.gain, .at = best_.at, .below = best_.below, .runs = {}};
    if (!best_.is_into_children) return cut;
    cut.runs = best_children_;
    cut.rest = node.rows();
    for (const partition::CutRun& child : best_children_) cut.rest -= child.persons;
    return cut;
  }

 private:
  static constexpr std::size_t kSmallNode = std::size_t{1} << 15;
  static constexpr std::size_t kLevelsMatter = std::size_t{1} << 12;
  static constexpr std::size_t kCodesPerRow = 16;
  static constexpr std::size_t kFewestBins = 16;
  static constexpr std::size_t kBinsOfSmallNode = 64;
  static constexpr std::size_t kBinsOfLargeNode = 1024;

  // The best cut so far. Into children: the rest of it is in best_children_.
  struct Best {
    std::size_t column = 0;
    std::int64_t gain = std::numeric_limits<std::int64_t>::min();
    Code at = 0;
    std::uint64_t below = 0;
    bool is_into_children = false;

    bool is_there() const { return below > 0 || is_into_children; }
  };

  void OrderColumnsByWidth(const partition::NodeView& node) {
    widest_first_.clear();
    for (std::size_t c = 0; c < search_.shapes.size(); ++c) {
      if (node.members[c].lo == node.members[c].hi) continue;
      const auto narrowness =
          static_cast<std::uint64_t>(partition::kWholeWidth - search_.shapes[c].Width(node.members[c]));
      widest_first_.push_back(narrowness << 32 | c);
    }
    std::sort(widest_first_.begin(), widest_first_.end());
    columns_.clear();
    for (const std::uint64_t column : widest_first_) columns_.push_back(column & 0xFFFFFFFF);
  }

  // Where nobody holds anything no cap matters.
  void Look(const partition::NodeView& node) {
    holders_.Look(node, held_);
    if (holders_.empty()) return;
    // Both sides of a large node nearly always have its lowest level; where not, caps are kept that are too low.
    has_levels_ = holders_.lowest_level() != holders_.highest_level() && node.rows() <= kLevelsMatter;
    held_.FinishNode(node.rows(), holders_.lowest_level());
  }

  void TryColumns(const partition::NodeView& node, std::span<const std::size_t> columns, std::size_t max_bins) {
    dense_.clear();
    for (const std::size_t column : columns) {
      if (!IsSparse(node, column)) dense_.push_back(column);
    }
    binned_.LayOut(node, dense_, max_bins);
    binned_.Count(node);
    for (const auto& column : binned_.columns()) {
      const auto bin_of = [&column](Code code) { return column.BinOf(code); };
      const auto first_code = [&column](std::size_t bin) { return column.bins.FirstCode(bin); };
      if (search_.shapes[column.column].follows_taxonomy()) {
        // Bins of single codes, from the lowest one on.
        TryChildren(node, column.column, [&] { children_.AddAll(binned_.CellsOf(column)); });
      } else {
        Sweep(node, column.column, binned_.CellsOf(column), bin_of, first_code);
      }
    }
    for (const std::size_t column : columns) {
      if (!IsSparse(node, column)) continue;
      CountCodes(node, column);
      TryChildren(node, column, [&] {
        for (std::size_t i = 0; i < codes_.size(); ++i) children_.Add(codes_[i], cells_[i]);
      });
    }
  }

  // Where a count for every code of a taxonomy would cost more than sorting those that there are.
  bool IsSparse(const partition::NodeView& node, std::size_t column) const {
    return search_.shapes[column].follows_taxonomy() && node.members[column].size() > kCodesPerRow * node.rows();
  }

  // `add_codes`: those of the members.
  template <typename AddCodes>
  void TryChildren(const partition::NodeView& node, std::size_t column, const AddCodes& add_codes) {
    const std::int64_t width = search_.shapes[column].Width(node.members[column]);
    if (static_cast<std::int64_t>(node.rows()) * width <= best_.gain) return;
    children_.Begin(column, node.members[column]);
    add_codes();
    const std::optional<std::int64_t> most = children_.MostGain();
    if (!most || *most <= best_.gain) return;
    if (!holders_.empty()) {
      children_.BeginHolders(held_.kinds(), holders_.lowest_level());
      holders_.ForEach(node, column,
                       [this](Code code, std::uint32_t signature) { children_.AddHolder(code, signature, held_); });
      if (has_levels_) holders_.FindLevels(node, column, children_);
    }
    const std::optional<std::int64_t> gain = children_.Plan(held_, node.rows(), holders_.lowest_level());
    if (!gain || *gain <= best_.gain) return;
    best_ = {column, *gain, 0, 0, true};
    children_.CopyStanding(best_children_);
  }

  // `max_bins`: how the column was looked at before.
  void TrySingleCodes(const partition::NodeView& node, std::size_t column, std::size_t max_bins) {
    const partition::ColumnShape& shape = search_.shapes[column];
    if (shape.follows_taxonomy() || partition::LayOutBins(shape, node.members[column], max_bins).shift == 0) return;
    CountCodes(node, column);
    const auto bin_of = [this](Code code) {
      return static_cast<std::size_t>(std::lower_bound(codes_.begin(), codes_.end(), code) - codes_.begin());
    };
    // One past the last bin is asked for as well, where the last bin below the cut ends.
    Sweep(node, column, cells_, bin_of,
          [this](std::size_t bin) { return bin < codes_.size() ? codes_[bin] : codes_.back() + 1; });
  }

  // The codes that members have, and how many of them.
  void CountCodes(const partition::NodeView& node, std::size_t column) {
    const auto records = rows_->records(node.buffer);
    sorted_.clear();
    for (std::size_t i = node.begin; i < node.end; ++i) sorted_.push_back(records.codes(i)[column]);
    std::sort(sorted_.begin(), sorted_.end());
    codes_.clear();
    cells_.clear();
    for (const Code code : sorted_) {
      if (codes_.empty() || codes_.back() != code) {
        codes_.push_back(code);
        cells_.push_back(0);
      }
      ++cells_.back();
    }
  }

  // A boundary with k rows on both sides, and what cutting there gains if caps and prices are left out.
  struct Boundary {
    std::int64_t gain;
    std::uint32_t bin;  // the first above
    std::uint32_t below;
  };

  template <typename BinOf, typename FirstCode>
  void Sweep(const partition::NodeView& node, std::size_t column, std::span<const std::uint32_t> cells,
             const BinOf& bin_of, const FirstCode& first_code) {
    const std::int64_t width = search_.shapes[column].Width(node.members[column]);
    // Not even a cut that takes all of the width off all of the rows would be better.
    if (static_cast<std::int64_t>(node.rows()) * width <= best_.gain) return;
    FindBoundaries(node, column, cells, first_code);
    if (boundaries_.empty()) return;
    has_sizes_ = true;
    const auto at_best = std::max_element(boundaries_.begin(), boundaries_.end(),
                                          [](const Boundary& a, const Boundary& b) { return a.gain < b.gain; });
    if (at_best->gain <= best_.gain) return;
    const auto cut_at = [&](const Boundary& boundary) {
      return Best{column, boundary.gain, first_code(boundary.bin), boundary.below};
    };
    if (holders_.empty()) {
      best_ = cut_at(*at_best);
      return;
    }
    const std::span<const HolderInBin> by_bin = holders_.ByBin(node, column, cells.size(), bin_of);
    // First the one that would be the best, then all that are better than what is left of its gain.
    std::size_t counted = 0;
    held_.ClearBelow();
    Offer(node, cut_at(*at_best), *at_best, by_bin, counted);
    for (const Boundary& boundary : boundaries_) {
      if (boundary.gain < best_.gain) continue;
      const Best cut = cut_at(boundary);
      if (!IsBetter(cut) || boundary.bin == at_best->bin) continue;
      if (counted > 0 && by_bin[counted - 1].bin >= boundary.bin) {
        counted = 0;
        held_.ClearBelow();
      }
      Offer(node, cut, boundary, by_bin, counted);
    }
  }

  // Of equal cuts that of the column tried first, and in it the lowest.
  bool IsBetter(const Best& cut) const {
    if (cut.gain != best_.gain) return cut.gain > best_.gain;
    return cut.column == best_.column && cut.at < best_.at;
  }

  template <typename FirstCode>
  void FindBoundaries(const partition::NodeView& node, std::size_t column, std::span<const std::uint32_t> cells,
                      const FirstCode& first_code) {
    const partition::TwoSidedGain gain_of(search_.shapes[column], node.members[column], search_.prices);
    const std::uint64_t k = search_.prices.k();
    std::uint64_t below = 0;
    std::size_t bin = 0;
    for (; below < k; ++bin) below += cells[bin];
    std::size_t last = bin - 1;  // the last bin below that is not empty
    boundaries_.resize(cells.size() - bin);
    Boundary* next = boundaries_.data();
    for (; bin < cells.size() && node.rows() - below >= k; ++bin) {
      if (cells[bin] == 0) continue;
      const std::uint64_t above = node.rows() - below;
      const std::int64_t gain = gain_of.Of(first_code(bin), first_code(last + 1) - 1, below, above);
      *next++ = {gain, static_cast<std::uint32_t>(bin), static_cast<std::uint32_t>(below)};
      below += cells[bin];
      last = bin;
    }
    boundaries_.resize(static_cast<std::size_t>(next - boundaries_.data()));
  }

  // `counted`: how many of the holders are counted as below; those below the cut and no others are afterwards.
  void Offer(const partition::NodeView& node, Best cut, const Boundary& boundary, std::span<const HolderInBin> by_bin,
             std::size_t& counted) {
    for (; counted < by_bin.size() && by_bin[counted].bin < boundary.bin; ++counted)
      held_.AddBelow(by_bin[counted].signature);
    typename NodeHolders<Rows>::Levels lowest{holders_.lowest_level(), holders_.lowest_level()};
    if (has_levels_) lowest = holders_.LowestLevels(node, cut.column, cut.at);
    const std::uint64_t above = node.rows() - cut.below;
    if (!held_.Keeps(cut.below, above, lowest.below, lowest.above)) return;
    cut.gain -= held_.Price(cut.below, above, lowest.below, lowest.above);
    if (IsBetter(cut)) best_ = cut;
  }

  const Rows* rows_;
  CutSearch search_;
  BinnedRows<Rows> binned_;
  ChildCuts children_;
  NodeHolders<Rows> holders_;
  HeldItems held_;
  // Reused from node to node.
  bool has_levels_ = false;
  bool has_sizes_ = false;  // whether any boundary has k rows on both sides
  Best best_;
  std::vector<partition::CutRun> best_children_;
  std::vector<std::uint64_t> widest_first_;
  std::vector<std::size_t> columns_;
  std::vector<std::size_t> dense_;
  std::vector<Boundary> boundaries_;
  std::vector<Code> sorted_;
  std::vector<Code> codes_;
  std::vector<std::uint32_t> cells_;
};

}  // namespace pentimento::global
