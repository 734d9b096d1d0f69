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
  std::vector<std::uint64_t> centres;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> open = {{0, 0}};  // a node and its depth
  while (!open.empty()) {
    const auto [number, depth] = open.back();
    open.pop_back();
    if (depth < kDeepestCuts) Divide(number, centres);
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
  if (std::uint64_t{own.hi} * 2 < cut.at) return 0;
  return std::uint64_t{own.lo} * 2 > cut.at ? 2 : 1;
}

// Of the cuts through the middle box of each column, the one whose largest part is smallest.
BoxIndex::Cut BoxIndex::BestCut(const Node& node, std::vector<std::uint64_t>& centres) const {
  Cut best{.column = columns_, .at = 0, .parts = {node.end - node.begin}};
  for (std::size_t c = 0; c < columns_; ++c) {
    centres.clear();
    for (std::uint32_t i = node.begin; i < node.end; ++i) {
      const Interval own = box(order_[i])[c];
      centres.push_back(std::uint64_t{own.lo} + own.hi);
    }
    const auto middle = centres.begin() + static_cast<std::ptrdiff_t>(centres.size() / 2);
    std::ranges::nth_element(centres, middle);
    // Between two codes where it can be, so that neighbours fall apart.
    for (const std::uint64_t at : {*middle, *middle + 1, *middle == 0 ? 0 : *middle - 1}) {
      Cut cut{.column = c, .at = at, .parts = {}};
      for (std::uint32_t i = node.begin; i < node.end; ++i) ++cut.parts[PartOf(order_[i], cut)];
      if (cut.largest() < best.largest()) best = cut;
    }
  }
  return best;
}

void BoxIndex::Divide(std::uint32_t number, std::vector<std::uint64_t>& centres) {
  const Node node = nodes_[number];
  if (node.end - node.begin <= kFewBoxes) return;
  const Cut cut = BestCut(node, centres);
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
