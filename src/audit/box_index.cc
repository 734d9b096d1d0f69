#include "audit/box_index.h"

#include <numeric>
#include <utility>

#include "base/check.h"

namespace pentimento {
namespace {

constexpr std::uint32_t kFewBoxes = 8;      // that are looked at one after the other
constexpr std::uint32_t kDeepestCuts = 64;  // beyond, the boxes of a node are listed

}  // namespace

BoxIndex::BoxIndex(std::size_t columns, std::span<const Interval> boxes)
    : columns_(columns), boxes_(boxes), order_(columns == 0 ? 0 : boxes.size() / columns) {
  Check(columns > 0, "boxes that are looked up have columns");
  if (order_.empty()) return;
  std::iota(order_.begin(), order_.end(), 0);
  AddNode(0, static_cast<std::uint32_t>(order_.size()));
  Ends ends;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> open = {{0, 0}};  // a node and its depth
  while (!open.empty()) {
    const auto [number, depth] = open.back();
    open.pop_back();
    if (depth < kDeepestCuts) Divide(number, ends);
    for (std::uint32_t child = 0; child < nodes_[number].children; ++child)
      open.emplace_back(nodes_[number].first_child + child, depth + 1);
  }
}

void BoxIndex::AddNode(std::uint32_t begin, std::uint32_t end) {
  nodes_.push_back({.begin = begin, .end = end});
  const std::size_t first = bounds_.size();
  const auto first_box = box(order_[begin]);
  bounds_.insert(bounds_.end(), first_box.begin(), first_box.end());
  for (std::uint32_t i = begin; i < end; ++i) {
    const auto own = box(order_[i]);
    for (std::size_t c = 0; c < columns_; ++c) {
      Interval& bound = bounds_[first + c];
      bound = {std::min(bound.lo, own[c].lo), std::max(bound.hi, own[c].hi)};
    }
  }
}

std::size_t BoxIndex::PartOf(std::uint32_t box_number, const Cut& cut) const {
  const Interval own = box(box_number)[cut.column];
  if (own.hi <= cut.below) return 0;
  return own.lo > cut.below ? 2 : 1;
}

// Of all cuts after the end of a box, in any column, the one that leaves least to look at.
BoxIndex::Cut BoxIndex::BestCut(const Node& node, Ends& ends) const {
  const std::uint32_t count = node.end - node.begin;
  Cut best{.column = columns_, .below = 0, .parts = {0, count, 0}};
  for (std::size_t c = 0; c < columns_; ++c) {
    ends.lo.clear();
    ends.hi.clear();
    for (std::uint32_t i = node.begin; i < node.end; ++i) {
      ends.lo.push_back(box(order_[i])[c].lo);
      ends.hi.push_back(box(order_[i])[c].hi);
    }
    if (std::ranges::max(ends.lo) <= std::ranges::min(ends.hi)) continue;  // all have a code in common
    std::ranges::sort(ends.lo);
    std::ranges::sort(ends.hi);
    for (std::uint32_t begun = 0, ended = 0; ended < count;) {
      const Code below = ends.hi[ended];
      while (ended < count && ends.hi[ended] == below) ++ended;
      while (begun < count && ends.lo[begun] <= below) ++begun;
      const Cut cut{.column = c, .below = below, .parts = {ended, begun - ended, count - begun}};
      if (cut.Cost() < best.Cost()) best = cut;
    }
  }
  return best;
}

void BoxIndex::Divide(std::uint32_t number, Ends& ends) {
  const Node node = nodes_[number];
  if (node.end - node.begin <= kFewBoxes) return;
  const Cut cut = BestCut(node, ends);
  if (cut.column == columns_) return;
  const auto begin = order_.begin() + node.begin, end = order_.begin() + node.end;
  std::stable_sort(begin, end, [&](std::uint32_t a, std::uint32_t b) { return PartOf(a, cut) < PartOf(b, cut); });
  nodes_[number].first_child = static_cast<std::uint32_t>(nodes_.size());
  std::uint32_t at = node.begin;
  for (const std::uint32_t part : cut.parts) {
    if (part == 0) continue;
    AddNode(at, at + part);
    at += part;
    ++nodes_[number].children;
  }
}

}  // namespace pentimento
