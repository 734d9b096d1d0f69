#include "anonymize/recode/placement.h"

#include <algorithm>

namespace pentimento::recode {

const Specialization& Placement::Begin(Places node, const Choice& choice) {
  const auto branches = static_cast<std::uint32_t>(choice.branches.size());
  const partition::Buffer buffer = partition::Other(node.buffer);
  ClearCells();
  pulled_.assign(1, {});
  pulled_.insert(pulled_.end(), choice.plan.pulled.begin(), choice.plan.pulled.end());
  stands_ = choice.plan.stands;
  next_.assign(branches + 1, node.begin);
  first_pulled_.assign(1, 1);
  made_.branches.clear();
  made_.bounds.clear();
  std::size_t place = node.end - choice.plan.specialized;
  made_.remainder = {node.begin, place, buffer};
  for (std::uint32_t b = 0, p = 1; b < branches; ++b) {
    const Branch& branch = choice.branches[b];
    slot_of_child_[branch.child] = choice.plan.stands[b] ? b : branches;
    std::uint32_t pulled = 0;
    for (; p < pulled_.size() && pulled_[p].branch == b; ++p) pulled += pulled_[p].rows;
    first_pulled_.push_back(p);
    if (!choice.plan.stands[b]) continue;
    next_[b] = place;
    place += branch.rows - pulled;
    made_.branches.push_back({next_[b], place, buffer});
  }
  first_pulled_.push_back(first_pulled_.back());
  has_cells_ = next_.size() * signatures_ <= most_cells_;
  FillCells();
  return made_;
}

void Placement::NoteBounds(std::span<const Interval> of_slots, std::size_t columns) {
  const std::size_t back = next_.size() - 1;
  for (std::size_t slot = 0; slot <= back; ++slot) {
    if (slot < back && !stands_[slot]) continue;
    made_.bounds.insert(made_.bounds.end(), &of_slots[slot * columns], &of_slots[slot * columns] + columns);
  }
}

void Placement::ClearCells() {
  if (!has_cells_) return;
  for (std::size_t p = 1; p < pulled_.size(); ++p)
    draw_of_cell_[pulled_[p].branch * signatures_ + pulled_[p].signature] = 0;
}

void Placement::FillCells() {
  if (!has_cells_ || pulled_.size() == 1) return;
  const std::size_t cells = next_.size() * signatures_;
  if (draw_of_cell_.size() < cells) draw_of_cell_.resize(cells, 0);
  for (std::uint32_t p = 1; p < pulled_.size(); ++p)
    draw_of_cell_[pulled_[p].branch * signatures_ + pulled_[p].signature] = p;
}

std::uint32_t Placement::FindDraw(std::size_t slot, Code signature) const {
  const auto first = pulled_.begin() + first_pulled_[slot];
  const auto past = pulled_.begin() + first_pulled_[slot + 1];
  const auto found =
      std::lower_bound(first, past, signature, [](const PulledBack& pulled, Code of) { return pulled.signature < of; });
  if (found == past || found->signature != signature) return 0;
  return static_cast<std::uint32_t>(found - pulled_.begin());
}

}  // namespace pentimento::recode
