// Finds the best legal cut of a node, over all columns.
//
// Columns are tried from the widest on: several at once in small nodes, where the cut that gains most is taken, one
// after the other in large nodes, whose rows are many and whose choice matters less. Narrower columns follow until one
// has a cut. Wide columns are looked at through coarse bins; only where these show no legal cut are exact codes
// compared, so "nothing" always means that no column has a legal cut.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "anonymize/partition/column_cuts.h"
#include "anonymize/partition/node_view.h"
#include "anonymize/partition/packed_rows.h"
#include "base/interval.h"

namespace pentimento::partition {

template <typename Rows>
class CutFinder {
 public:
  CutFinder(const Rows& rows, std::span<const ColumnShape> shapes, const CutPrices& prices)
      : rows_(&rows), shapes_(shapes), prices_(&prices), bins_(shapes.size()), offsets_(shapes.size()) {}

  std::optional<Cut> FindCut(const NodeView& node) {
    // Both sides need k rows at the least, whoever the rows belong to.
    if (node.rows() / 2 < prices_->k()) return std::nullopt;
    OrderColumnsByWidth(node);
    const bool is_small = node.rows() <= kSmallNode;
    const std::size_t at_once = ColumnsAtOnce(node);
    const std::size_t max_bins =
        std::clamp(node.rows() / 2, kFewestBins, is_small ? kBinsOfSmallNode : kBinsOfLargeNode);
    for (std::size_t first = 0; first < columns_.size(); first += at_once) {
      const auto columns = std::span(columns_).subspan(first, std::min(at_once, columns_.size() - first));
      if (std::optional<Cut> cut = BestOf(node, columns, max_bins)) return cut;
    }
    return FindCutInsideBins(node);
  }

  // How the columns of a node are tried: so many at once, in the order that was last found.
  static std::size_t ColumnsAtOnce(const NodeView& node) { return node.rows() <= kSmallNode ? kColumnsAtOnce : 1; }
  std::span<const std::size_t> columns() const { return columns_; }
  void OrderColumnsByWidth(const NodeView& node) {
    widest_first_.clear();
    for (std::size_t c = 0; c < shapes_.size(); ++c) {
      if (node.members[c].lo < node.members[c].hi) widest_first_.emplace_back(-shapes_[c].Width(node.ExtentOf(c)), c);
    }
    std::sort(widest_first_.begin(), widest_first_.end());
    columns_.clear();
    for (const auto& [width, column] : widest_first_) columns_.push_back(column);
  }

 private:
  // Rows that fit into the cache can be passed over again cheaply.
  static constexpr std::size_t kSmallNode = std::size_t{1} << 16;
  static constexpr std::size_t kColumnsAtOnce = 4;
  static constexpr std::size_t kFewestBins = 16;
  static constexpr std::size_t kBinsOfSmallNode = 64;
  static constexpr std::size_t kBinsOfLargeNode = 1024;

  // The best cut of the columns, as far as bins can tell. Cuts along a taxonomy are exact.
  std::optional<Cut> BestOf(const NodeView& node, std::span<const std::size_t> columns, std::size_t max_bins) {
    CountIntoBins(node, columns, max_bins);
    std::optional<Cut> best;
    for (const std::size_t c : columns) {
      std::optional<Cut> cut = shapes_[c].follows_taxonomy()
                                   ? CutAlongTaxonomy(node, c)
                                   : BestTwoSidedCut(shapes_[c], bins_[c], node.RegionOf(c), *prices_);
      if (!cut || (best && cut->gain <= best->gain)) continue;
      best = std::move(cut);
      best->column = c;
    }
    return best;
  }

  // Columns that follow a taxonomy need a bin per code; where that is too many they have no bins.
  bool HasBins(std::size_t column) const { return !bins_[column].begins.empty(); }

  void CountIntoBins(const NodeView& node, std::span<const std::size_t> columns, std::size_t max_bins) {
    std::size_t total = 0;
    binned_.clear();
    for (const std::size_t c : columns) {
      const bool exact = shapes_[c].follows_taxonomy();
      bins_[c] = Bins{};
      if (exact && (Rows::kHasPersons || node.members[c].size() > std::max(max_bins, 4 * node.rows()))) continue;
      bins_[c] = LayOutBins(shapes_[c], node.members[c], exact ? node.members[c].size() : max_bins);
      offsets_[c] = total;
      total += ((node.members[c].hi - bins_[c].base) >> bins_[c].shift) + 1;
      binned_.push_back(c);
    }
    counts_.assign(Rows::kHasPersons ? 2 * total : total, 0);
    std::uint64_t persons = node.rows();
    if constexpr (Rows::kHasPersons) {
      persons = CountPersons(node, total);
    } else {
      CountRows(node);
    }
    for (std::size_t b = 0; b < binned_.size(); ++b) {
      const std::size_t c = binned_[b];
      const std::size_t size = (b + 1 < binned_.size() ? offsets_[binned_[b + 1]] : total) - offsets_[c];
      bins_[c].begins = std::span(counts_).subspan(offsets_[c], size);
      bins_[c].ends = Rows::kHasPersons ? std::span(counts_).subspan(total + offsets_[c], size) : bins_[c].begins;
      bins_[c].persons = persons;
    }
  }

  std::size_t BinOf(std::size_t column, Code code) const {
    return offsets_[column] + ((code - bins_[column].base) >> bins_[column].shift);
  }

  // The innermost loop of small nodes, for several columns at once. Everything but the counts is copied first: the
  // compiler must otherwise assume that a count is one of the numbers it looks up.
  void CountRows(const NodeView& node) {
    struct Counted {
      std::size_t column;
      Code base;
      int shift;
      std::uint32_t* counts;
    };
    const auto records = rows_->records(node.buffer);
    for (std::size_t first = 0; first < binned_.size(); first += kColumnsAtOnce) {
      std::array<Counted, kColumnsAtOnce> counted;
      const std::size_t columns = std::min(kColumnsAtOnce, binned_.size() - first);
      for (std::size_t b = 0; b < columns; ++b) {
        const std::size_t c = binned_[first + b];
        counted[b] = {c, bins_[c].base, bins_[c].shift, &counts_[offsets_[c]]};
      }
      for (std::size_t i = node.begin; i < node.end; ++i) {
        const auto* const codes = records.codes(i);
        for (std::size_t b = 0; b < columns; ++b)
          ++counted[b].counts[(Code{codes[counted[b].column]} - counted[b].base) >> counted[b].shift];
      }
    }
  }

  // Rows of one person are neighbours: calls body(first record, past the last record) for each person.
  template <typename Body>
  void ForEachPerson(const NodeView& node, const Body& body) const {
    const auto records = rows_->records(node.buffer);
    for (std::size_t i = node.begin; i < node.end;) {
      std::size_t next = i + 1;
      while (next < node.end && records.person(next) == records.person(i)) ++next;
      body(i, next);
      i = next;
    }
  }

  static Interval BoundsOf(const typename Rows::Records& records, std::size_t begin, std::size_t end,
                           std::size_t column) {
    Interval bounds{records.codes(begin)[column], records.codes(begin)[column]};
    for (std::size_t i = begin + 1; i < end; ++i) {
      bounds.lo = std::min<Code>(bounds.lo, records.codes(i)[column]);
      bounds.hi = std::max<Code>(bounds.hi, records.codes(i)[column]);
    }
    return bounds;
  }

  std::uint64_t CountPersons(const NodeView& node, std::size_t ends_offset) {
    const auto records = rows_->records(node.buffer);
    std::uint64_t persons = 0;
    ForEachPerson(node, [&](std::size_t begin, std::size_t end) {
      ++persons;
      for (const std::size_t c : binned_) {
        const Interval bounds = BoundsOf(records, begin, end, c);
        ++counts_[BinOf(c, bounds.lo)];
        ++counts_[ends_offset + BinOf(c, bounds.hi)];
      }
    });
    return persons;
  }

  std::optional<Cut> CutAlongTaxonomy(const NodeView& node, std::size_t column) {
    const NodeToCut taxonomy_node(shapes_[column], node.members[column]);
    RunBuilder builder(prices_->k(), !node.region.empty());
    if constexpr (Rows::kHasPersons) {
      AddChildrenByPerson(node, column, taxonomy_node, builder);
    } else if (HasBins(column)) {
      AddChildrenFromBins(bins_[column], taxonomy_node, builder);
    } else {
      AddChildrenFromSortedCodes(node, column, taxonomy_node, builder);
    }
    if constexpr (!Rows::kHasPersons) {
      if (!node.region.empty()) return CutRegionIntoRuns(shapes_[column], builder, node.region[column], *prices_);
    }
    const auto cut_into = shapes_[column].publishes_runs() ? CutIntoTwoRuns : CutIntoRuns;
    return cut_into(shapes_[column], builder.Finish(), node.members[column], node.RegionOf(column), *prices_);
  }

  static void AddChildrenFromBins(const Bins& bins, const NodeToCut& taxonomy_node, RunBuilder& builder) {
    OccupiedChild child{{0, 0}, {0, 0}, 0};
    for (std::size_t bin = 0; bin < bins.begins.size(); ++bin) {
      if (bins.begins[bin] == 0) continue;
      const Code code = bins.FirstCode(bin);
      if (child.persons == 0 || code > child.leaves.hi) {
        if (child.persons > 0) builder.Add(child, child.persons);
        child = {taxonomy_node.ChildOf(code), {code, code}, 0};
      }
      child.members.hi = code;
      child.persons += bins.begins[bin];
    }
    builder.Add(child, child.persons);
  }

  void AddChildrenFromSortedCodes(const NodeView& node, std::size_t column, const NodeToCut& taxonomy_node,
                                  RunBuilder& builder) {
    const auto records = rows_->records(node.buffer);
    std::vector<Code> codes(node.rows());
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = records.codes(node.begin + i)[column];
    std::sort(codes.begin(), codes.end());
    for (auto first = codes.begin(); first != codes.end();) {
      const Interval child = taxonomy_node.ChildOf(*first);
      const auto past = std::upper_bound(first, codes.end(), child.hi);
      const auto count = static_cast<std::uint64_t>(past - first);
      builder.Add({child, {*first, *(past - 1)}, count}, count);
      first = past;
    }
  }

  // A person counts once in a child and once in a run, however many rows there are.
  void AddChildrenByPerson(const NodeView& node, std::size_t column, const NodeToCut& taxonomy_node,
                           RunBuilder& builder) {
    struct Seen {
      Code code;
      std::uint32_t person;  // numbered within the node
    };
    const auto records = rows_->records(node.buffer);
    std::vector<Seen> seen;
    std::uint32_t persons = 0;
    ForEachPerson(node, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) seen.push_back({records.codes(i)[column], persons});
      ++persons;
    });
    std::sort(seen.begin(), seen.end(),
              [](Seen a, Seen b) { return std::pair(a.code, a.person) < std::pair(b.code, b.person); });
    std::vector<std::uint64_t> last_child(persons, 0);  // numbered from 1
    std::vector<std::uint64_t> last_run(persons, 0);
    std::uint64_t child_number = 0;
    for (std::size_t first = 0; first < seen.size();) {
      OccupiedChild child{taxonomy_node.ChildOf(seen[first].code), {seen[first].code, seen[first].code}, 0};
      std::uint64_t new_persons = 0;
      ++child_number;
      for (; first < seen.size() && seen[first].code <= child.leaves.hi; ++first) {
        const std::uint32_t person = seen[first].person;
        child.members.hi = seen[first].code;
        if (std::exchange(last_child[person], child_number) != child_number) ++child.persons;
        if (std::exchange(last_run[person], builder.closed_runs() + 1) != builder.closed_runs() + 1) ++new_persons;
      }
      builder.Add(child, new_persons);
    }
  }

  // Exact, for columns whose bins hold several codes.
  std::optional<Cut> FindCutInsideBins(const NodeView& node) {
    const auto records = rows_->records(node.buffer);
    for (const std::size_t c : columns_) {
      if (shapes_[c].follows_taxonomy() || node.members[c].size() <= kFewestBins) continue;
      begins_.clear();
      ends_.clear();
      if constexpr (Rows::kHasPersons) {
        ForEachPerson(node, [&](std::size_t begin, std::size_t end) {
          const Interval bounds = BoundsOf(records, begin, end, c);
          begins_.push_back(bounds.lo);
          ends_.push_back(bounds.hi);
        });
      } else {
        for (std::size_t i = node.begin; i < node.end; ++i) begins_.push_back(records.codes(i)[c]);
        ends_ = begins_;
      }
      if (const std::optional<Code> at = LegalCutNearMedian(begins_, ends_))
        return Cut{.column = c, .gain = 0, .at = *at, .below = 0, .runs = {}};
    }
    return std::nullopt;
  }

  // The k-th lowest beginning of a person must lie below the k-th highest end; every boundary in between is legal. The
  // one nearest the median keeps the tree from growing as deep as there are groups.
  std::optional<Code> LegalCutNearMedian(std::vector<Code>& begins, std::vector<Code>& ends) const {
    const std::uint64_t k = prices_->k();
    if (begins.size() < k) return std::nullopt;
    const auto low = begins.begin() + static_cast<std::ptrdiff_t>(k - 1);
    const auto high = ends.end() - static_cast<std::ptrdiff_t>(k);
    std::nth_element(begins.begin(), low, begins.end());
    std::nth_element(ends.begin(), high, ends.end());
    const Code lowest = *low;
    const Code highest = *high;
    if (lowest >= highest) return std::nullopt;
    const auto median = begins.begin() + static_cast<std::ptrdiff_t>(begins.size() / 2);
    std::nth_element(begins.begin(), median, begins.end());
    return std::clamp(*median, lowest + 1, highest);
  }

  const Rows* rows_;
  std::span<const ColumnShape> shapes_;
  const CutPrices* prices_;
  // Reused from node to node.
  std::vector<std::size_t> columns_;
  std::vector<std::pair<std::int64_t, std::size_t>> widest_first_;
  std::vector<std::size_t> binned_;
  std::vector<Bins> bins_;
  std::vector<std::size_t> offsets_;
  std::vector<std::uint32_t> counts_;
  std::vector<Code> begins_;
  std::vector<Code> ends_;
};

}  // namespace pentimento::partition
