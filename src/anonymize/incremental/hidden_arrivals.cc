#include "anonymize/incremental/hidden_arrivals.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "anonymize/partition/column_cuts.h"
#include "base/interval.h"

namespace pentimento {
namespace {

using partition::ColumnShape;
using partition::Cut;
using partition::CutPrices;
using partition::NodeToCut;
using partition::PartBegin;

// The members of a part, as far as it matters whether it is legal.
struct PartCount {
  std::uint32_t earliest = std::numeric_limits<std::uint32_t>::max();
  std::uint64_t living = 0;  // of the earliest arrival
  std::uint64_t members = 0;
  bool has_living = false;  // of any arrival

  void Add(const MemberStanding& member) {
    if (member.arrival < earliest) earliest = member.arrival, living = 0;
    if (member.arrival == earliest && !member.has_left) ++living;
    ++members;
    has_living = has_living || !member.has_left;
  }
  void Add(const PartCount& other) {
    if (other.earliest < earliest) earliest = other.earliest, living = 0;
    if (other.earliest == earliest) living += other.living;
    members += other.members;
    has_living = has_living || other.has_living;
  }
  bool IsLegal(std::uint64_t k) const { return living >= k; }
  bool IsNobodyOrLegal(std::uint64_t k) const { return members == 0 || IsLegal(k); }
};

// A code that members have, or a child of a taxonomy that does.
struct Occupied {
  Interval codes;
  PartCount count;
};

PartCount CountOf(std::span<const Occupied> slots) {
  PartCount count;
  for (const Occupied& slot : slots) count.Add(slot.count);
  return count;
}

// One node in one column: what its members have there, from left to right.
class ColumnOfNode {
 public:
  ColumnOfNode(const ColumnShape& shape, std::vector<Occupied> codes, Interval region, const CutPrices& prices)
      : shape_(shape), slots_(std::move(codes)), region_(region), prices_(prices) {}

  std::optional<Cut> BestCut() {
    if (slots_.size() < 2) return std::nullopt;
    return shape_.follows_taxonomy() ? CutAlongTaxonomy() : CutInTwo();
  }

 private:
  std::uint64_t k() const { return prices_.k(); }

  std::optional<Cut> CutInTwo() const {
    std::vector<bool> is_legal_from(slots_.size());
    PartCount above;
    for (std::size_t s = slots_.size(); s-- > 0;) {
      above.Add(slots_[s].count);
      is_legal_from[s] = above.IsLegal(k());
    }
    const partition::TwoSidedGain gain_of(shape_, region_, prices_);
    std::optional<Cut> best;
    PartCount below;
    for (std::size_t s = 1; s < slots_.size(); ++s) {
      below.Add(slots_[s - 1].count);
      if (!below.IsLegal(k()) || !is_legal_from[s]) continue;
      const Code at = slots_[s].codes.lo;
      const std::int64_t gain = gain_of.Of(at, at - 1, below.members, above.members - below.members);
      if (!best || gain > best->gain) best = Cut{.column = 0, .gain = gain, .at = at, .below = 0, .runs = {}};
    }
    return best;
  }

  std::optional<Cut> CutAlongTaxonomy() {
    JoinIntoChildren();
    if (slots_.size() < 2) return std::nullopt;
    const std::vector<PartBegin> runs = LegalRuns();
    std::optional<Cut> cut = partition::CutRegionIntoParts(shape_, runs, region_, prices_);
    return cut ? cut : TakeOutLargestChild();
  }

  // From codes to children of the smallest taxonomy node over those who are still there. Somebody who left and lies
  // outside of it goes with the first or the last child, whose part reaches to the end of the region.
  void JoinIntoChildren() {
    const auto is_there = [](const Occupied& slot) { return slot.count.has_living; };
    const auto first = std::ranges::find_if(slots_, is_there);
    if (first == slots_.end()) return slots_.clear();
    const auto last = std::ranges::find_if(slots_.rbegin(), slots_.rend(), is_there);
    const Interval living{first->codes.lo, last->codes.hi};
    const Interval cover = shape_.domain().Cover(living, CategoryForm::kTaxonomy);
    const NodeToCut node(shape_, living);
    std::vector<Occupied> children;
    PartCount before;
    for (const Occupied& slot : slots_) {
      const bool is_inside = cover.Contains(slot.codes.lo);
      if (is_inside && (children.empty() || slot.codes.lo > children.back().codes.hi))
        children.push_back({node.ChildOf(slot.codes.lo), {}});
      (children.empty() ? before : children.back().count).Add(slot.count);
    }
    children.front().count.Add(before);
    slots_ = std::move(children);
  }

  // As many runs of neighbouring children as one pass from the left finds; what is left over at the end joins runs from
  // the right until that is legal, in the end the whole node.
  std::vector<PartBegin> LegalRuns() const {
    std::vector<std::size_t> begins;  // of legal runs, in children
    std::size_t pending = 0;
    PartCount count;
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      count.Add(slots_[s].count);
      if (!count.IsLegal(k())) continue;
      begins.push_back(pending);
      pending = s + 1;
      count = {};
    }
    while (count.members > 0 && !begins.empty() && !CountOf(std::span(slots_).subspan(begins.back())).IsLegal(k()))
      begins.pop_back();
    std::vector<PartBegin> runs;
    for (std::size_t r = 0; r < begins.size(); ++r) {
      const std::size_t past = r + 1 < begins.size() ? begins[r + 1] : slots_.size();
      const PartCount of_run = CountOf(std::span(slots_).subspan(begins[r], past - begins[r]));
      runs.push_back({slots_[begins[r]].codes.lo, of_run.members});
    }
    return runs;
  }

  // The largest child that can be a part by itself, where nothing else would show.
  std::optional<Cut> TakeOutLargestChild() const {
    std::optional<Cut> best;
    std::uint64_t largest = 0;
    PartCount before;
    for (std::size_t s = 0; s < slots_.size(); before.Add(slots_[s++].count)) {
      const PartCount& child = slots_[s].count;
      if (!child.IsLegal(k()) || child.members <= largest || !before.IsNobodyOrLegal(k())) continue;
      const PartCount after = CountOf(std::span(slots_).subspan(s + 1));
      if (!after.IsNobodyOrLegal(k())) continue;
      std::vector<PartBegin> parts;
      if (before.members > 0) parts.push_back({slots_.front().codes.lo, before.members});
      parts.push_back({slots_[s].codes.lo, child.members});
      if (after.members > 0) parts.push_back({slots_[s].codes.hi + 1, after.members});
      std::optional<Cut> cut = partition::CutRegionIntoParts(shape_, parts, region_, prices_);
      if (!cut) continue;
      largest = child.members;
      best = std::move(cut);
    }
    return best;
  }

  const ColumnShape& shape_;
  std::vector<Occupied> slots_;
  Interval region_;
  const CutPrices& prices_;
};

class HidingGrowth {
 public:
  HidingGrowth(const CodeLanes& lanes, std::span<const MemberStanding> standing, std::span<const Domain> domains,
               std::uint64_t k, CategoryForm form)
      : lanes_(lanes), standing_(standing), columns_(domains.size()), prices_(k, standing.size()) {
    for (const Domain& domain : domains) shapes_.emplace_back(domain, form);
    grown_.rows.resize(standing.size());
    std::iota(grown_.rows.begin(), grown_.rows.end(), 0U);
  }

  GrownRegions Run(std::span<const RegionRoot> roots) {
    grown_.nodes.resize(roots.size());
    for (std::size_t r = 0; r < roots.size(); ++r) {
      open_.push_back({static_cast<NodeNumber>(r), roots[r].begin, roots[r].end, roots[r].region});
      while (!open_.empty()) Grow();
    }
    return std::move(grown_);
  }

 private:
  struct Open {
    NodeNumber node;
    std::size_t begin;  // into grown_.rows
    std::size_t end;
    Box region;
  };

  Code CodeOf(std::uint32_t row, std::size_t column) const {
    return std::visit([&](auto lanes) { return Code{lanes[row * columns_ + column]}; }, lanes_);
  }

  void Grow() {
    const Open node = std::move(open_.back());
    open_.pop_back();
    if (const std::optional<Cut> cut = FindCut(node)) return Divide(node, *cut);
    grown_.leaves.push_back({node.node, static_cast<std::uint32_t>(node.begin), static_cast<std::uint32_t>(node.end)});
  }

  // The cut that gains most; the first column wins a tie.
  std::optional<Cut> FindCut(const Open& node) const {
    std::optional<Cut> best;
    if ((node.end - node.begin) / 2 < prices_.k()) return best;
    for (std::size_t c = 0; c < columns_; ++c) {
      std::optional<Cut> cut = ColumnOfNode(shapes_[c], CodesOf(node, c), node.region[c], prices_).BestCut();
      if (!cut || (best && cut->gain <= best->gain)) continue;
      best = std::move(cut);
      best->column = c;
    }
    return best;
  }

  std::vector<Occupied> CodesOf(const Open& node, std::size_t column) const {
    std::vector<std::pair<Code, std::uint32_t>> members;
    for (std::size_t i = node.begin; i < node.end; ++i)
      members.emplace_back(CodeOf(grown_.rows[i], column), grown_.rows[i]);
    std::ranges::sort(members);
    std::vector<Occupied> codes;
    for (const auto& [code, row] : members) {
      if (codes.empty() || codes.back().codes.lo != code) codes.push_back({{code, code}, {}});
      codes.back().count.Add(standing_[row]);
    }
    return codes;
  }

  // Where parts of the node begin in the column that is cut; the first of them at the region's own end.
  std::vector<Code> StartsOf(const Open& node, const Cut& cut) const {
    std::vector<Code> starts = {node.region[cut.column].lo};
    for (std::size_t run = 1; run < cut.runs.size(); ++run) starts.push_back(cut.runs[run].leaves.lo);
    if (!cut.runs.empty()) return starts;
    // In the middle of the gap between the two parts, so that a boundary is nobody's code.
    Code highest_below = 0;
    for (std::size_t i = node.begin; i < node.end; ++i) {
      const Code code = CodeOf(grown_.rows[i], cut.column);
      if (code < cut.at) highest_below = std::max(highest_below, code);
    }
    starts.push_back(highest_below + 1 + (cut.at - highest_below - 1) / 2);
    return starts;
  }

  void Divide(const Open& node, const Cut& cut) {
    const std::vector<Code> starts = StartsOf(node, cut);
    const auto first = static_cast<NodeNumber>(grown_.nodes.size());
    RegionNode& parent = grown_.nodes[node.node];
    parent.column = static_cast<std::uint32_t>(cut.column);
    parent.first_child = first;
    parent.child_count = static_cast<std::uint32_t>(starts.size());
    std::vector<Open> parts;
    auto begin = grown_.rows.begin() + static_cast<std::ptrdiff_t>(node.begin);
    const auto end = grown_.rows.begin() + static_cast<std::ptrdiff_t>(node.end);
    for (std::size_t p = 0; p < starts.size(); ++p) {
      grown_.nodes.push_back({.start = starts[p]});
      const bool is_last = p + 1 == starts.size();
      const auto past = is_last ? end : std::stable_partition(begin, end, [&](std::uint32_t row) {
        return CodeOf(row, cut.column) < starts[p + 1];
      });
      Box region = node.region;
      region[cut.column] = {starts[p], is_last ? node.region[cut.column].hi : starts[p + 1] - 1};
      parts.push_back({static_cast<NodeNumber>(first + p), static_cast<std::size_t>(begin - grown_.rows.begin()),
                       static_cast<std::size_t>(past - grown_.rows.begin()), std::move(region)});
      begin = past;
    }
    for (std::size_t p = parts.size(); p-- > 0;) open_.push_back(std::move(parts[p]));
  }

  const CodeLanes& lanes_;
  std::span<const MemberStanding> standing_;
  std::size_t columns_;
  CutPrices prices_;
  std::vector<ColumnShape> shapes_;
  std::vector<Open> open_;
  GrownRegions grown_;
};

}  // namespace

GrownRegions GrowHidingArrivals(const CodeLanes& rows, std::span<const MemberStanding> standing,
                                std::span<const Domain> domains, std::span<const RegionRoot> roots, std::uint64_t k,
                                CategoryForm form) {
  return HidingGrowth(rows, standing, domains, std::max<std::uint64_t>(k, 1), form).Run(roots);
}

}  // namespace pentimento
