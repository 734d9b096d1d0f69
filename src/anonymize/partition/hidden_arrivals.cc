#include "anonymize/partition/hidden_arrivals.h"

#include <algorithm>
#include <utility>

namespace pentimento::partition {
namespace {

PartCount CountOf(std::span<const Occupied> slots) {
  PartCount count;
  for (const Occupied& slot : slots) count.Add(slot.count);
  return count;
}

// One node in one column: what its members have there, from left to right.
class OccupiedColumn {
 public:
  OccupiedColumn(const ColumnShape& shape, std::vector<Occupied> codes, Interval region, const CutPrices& prices)
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
    const TwoSidedGain gain_of(shape_, region_, prices_);
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
    std::optional<Cut> cut = CutRegionIntoParts(shape_, runs, region_, prices_);
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
      std::optional<Cut> cut = CutRegionIntoParts(shape_, parts, region_, prices_);
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

}  // namespace

std::optional<Cut> BestHidingCut(const ColumnShape& shape, std::vector<Occupied> codes, Interval region,
                                 const CutPrices& prices) {
  return OccupiedColumn(shape, std::move(codes), region, prices).BestCut();
}

}  // namespace pentimento::partition
