#include "guarantee/xy/join_value_index.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "base/parallel.h"
#include "base/parallel_sort.h"

namespace pentimento {
namespace {

constexpr std::size_t kValuesPerTask = 64;

}  // namespace

std::vector<SharedLink> SharedLinks(const Relation& left, const Relation& right, std::span<const JoinLink> links) {
  std::vector<SharedLink> shared;
  for (std::size_t place = 0; place < left.links.size(); ++place) {
    const auto other = std::ranges::find(right.links, left.links[place]);
    if (other == right.links.end()) continue;
    shared.push_back({links[*other].kind, place, static_cast<std::size_t>(other - right.links.begin())});
  }
  return shared;
}

bool JoinValuesMatch(std::span<const SharedLink> shared, std::span<const Interval> left,
                     std::span<const Interval> right) {
  return std::ranges::all_of(
      shared, [&](const SharedLink& link) { return JoinCellsMatch(link.kind, left[link.left], right[link.right]); });
}

JoinValueIndex::JoinValueIndex(const Relation& right, std::vector<SharedLink> shared)
    : shared_(std::move(shared)), order_(right.join_count), levels_(shared_.size()) {
  std::iota(order_.begin(), order_.end(), 0u);
  const auto cell = [&](std::uint32_t place, std::size_t level) {
    return right.join_value(order_[place])[shared_[level].right];
  };
  ParallelSort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    for (const SharedLink& link : shared_) {
      const auto order = right.join_value(a)[link.right] <=> right.join_value(b)[link.right];
      if (order != 0) return order < 0;
    }
    return a < b;
  });
  // A node begins where its cell or one further up changes; it is closed by where the next one begins.
  for (std::uint32_t place = 0; place < order_.size(); ++place) {
    bool is_new = place == 0;
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      is_new = is_new || cell(place, level) != cell(place - 1, level);
      const bool is_last = level + 1 == levels_.size();
      if (is_new) {
        const auto begin = is_last ? place : static_cast<std::uint32_t>(levels_[level + 1].size());
        levels_[level].push_back({cell(place, level), begin, begin});
      }
    }
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      const bool is_last = level + 1 == levels_.size();
      levels_[level].back().end = is_last ? place + 1 : static_cast<std::uint32_t>(levels_[level + 1].size());
    }
  }
}

void JoinValueIndex::Descend(std::size_t level, std::uint32_t begin, std::uint32_t end, std::span<const Interval> left,
                             std::vector<std::uint32_t>& found) const {
  if (level == levels_.size()) {
    found.insert(found.end(), order_.begin() + begin, order_.begin() + end);
    return;
  }
  const Interval own = left[shared_[level].left];
  for (std::uint32_t node = begin; node < end; ++node) {
    const Node& at = levels_[level][node];
    if (JoinCellsMatch(shared_[level].kind, own, at.cell)) Descend(level + 1, at.begin, at.end, left, found);
  }
}

std::vector<std::uint32_t> JoinValueIndex::FindMatches(std::span<const Interval> left) const {
  std::vector<std::uint32_t> found;
  Descend(0, 0, static_cast<std::uint32_t>(levels_.empty() ? order_.size() : levels_[0].size()), left, found);
  return found;
}

std::vector<std::vector<std::uint32_t>> FindAllMatches(const Relation& left, const Relation& right,
                                                       std::span<const JoinLink> links) {
  const JoinValueIndex index(right, SharedLinks(left, right, links));
  std::vector<std::vector<std::uint32_t>> matches(left.join_count);
  ParallelFor(matches.size(), kValuesPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = begin; j < end; ++j)
      matches[j] = index.FindMatches(left.join_value(static_cast<std::uint32_t>(j)));
  });
  return matches;
}

}  // namespace pentimento
