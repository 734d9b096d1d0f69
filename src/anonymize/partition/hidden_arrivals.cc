#include "anonymize/partition/hidden_arrivals.h"

#include <algorithm>
#include <utility>

namespace pentimento::partition {
namespace {

// For each slot who is in it or after it, and nobody for the end.
std::vector<PartCount> CountsFrom(std::span<const Occupied> slots) {
  std::vector<PartCount> counts(slots.size() + 1);
  for (std::size_t s = slots.size(); s-- > 0;) {
    counts[s] = counts[s + 1];
    counts[s].Add(slots[s].count);
  }
  return counts;
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
    const std::vector<PartCount> from = CountsFrom(slots_);
    const TwoSidedGain gain_of(shape_, region_, prices_);
    std::optional<Cut> best;
    PartCount below;
    for (std::size_t s = 1; s < slots_.size(); ++s) {
      below.Add(slots_[s - 1].count);
      if (!below.IsLegal(k()) || !from[s].IsLegal(k())) continue;
      const Code at = slots_[s].codes.lo;
      const std::int64_t gain = gain_of.Of(at, at - 1, below.members, from[s].members);
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
    std::vector<Occupied> runs;
    Occupied pending;
    for (const Occupied& slot : slots_) {
      if (pending.count.members == 0) pending.codes.lo = slot.codes.lo;
      pending.count.Add(slot.count);
      if (pending.count.IsLegal(k())) runs.push_back(std::exchange(pending, {}));
    }
    while (pending.count.members > 0 && !runs.empty()) {
      runs.back().count.Add(pending.count);
      if (runs.back().count.IsLegal(k())) break;
      pending = runs.back();
      runs.pop_back();
    }
    std::vector<PartBegin> parts;
    for (const Occupied& run : runs) parts.push_back({run.codes.lo, run.count.members});
    return parts;
  }

  // The largest child that can be a part by itself, where nothing else would show.
  std::optional<Cut> TakeOutLargestChild() const {
    const std::vector<PartCount> from = CountsFrom(slots_);
    std::optional<Cut> best;
    std::uint64_t largest = 0;
    PartCount before;
    for (std::size_t s = 0; s < slots_.size(); before.Add(slots_[s++].count)) {
      const PartCount& child = slots_[s].count;
      if (!child.IsLegal(k()) || child.members <= largest || !before.IsNobodyOrLegal(k())) continue;
      const PartCount& after = from[s + 1];
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
