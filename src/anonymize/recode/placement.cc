#include "anonymize/recode/placement.h"

#include <algorithm>

namespace pentimento::recode {

const Specialization& Placement::Begin(Places node, const Choice& choice) {
  const auto branches = static_cast<std::uint32_t>(choice.branches.size());
  const partition::Buffer buffer = partition::Other(node.buffer);
  pulled_ = choice.plan.pulled;
  next_pulled_ = 0;
  placed_ = 0;
  std::vector<std::size_t>& next = next_;
  next.assign(branches + 1, 0);
  for (const PulledBack& pulled : pulled_) ++next[pulled.branch];
  made_.branches.clear();
  std::size_t place = node.end - choice.plan.specialized;
  made_.remainder = {node.begin, place, buffer};
  for (std::uint32_t b = 0; b < branches; ++b) {
    const Branch& branch = choice.branches[b];
    slot_of_child_[branch.child] = choice.plan.stands[b] ? b : branches;
    if (!choice.plan.stands[b]) continue;
    const std::size_t rows = branch.rows - next[b];
    next[b] = place;
    place += rows;
    made_.branches.push_back({next[b], place, buffer});
  }
  next[branches] = node.begin;
  return made_;
}

}  // namespace pentimento::recode
