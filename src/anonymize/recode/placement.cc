#include "anonymize/recode/placement.h"

namespace pentimento::recode {

const Specialization& Placement::Begin(Places node, const Choice& choice) {
  const auto branches = static_cast<std::uint32_t>(choice.branches.size());
  const partition::Buffer buffer = partition::Other(node.buffer);
  pulled_ = choice.plan.pulled;
  next_.assign(branches + 1, node.begin);
  first_pulled_.assign(branches + 1, 0);
  pulled_signatures_.assign(branches + 1, 0);
  made_.branches.clear();
  std::size_t place = node.end - choice.plan.specialized;
  made_.remainder = {node.begin, place, buffer};
  for (std::uint32_t b = 0, p = 0; b < branches; ++b) {
    const Branch& branch = choice.branches[b];
    slot_of_child_[branch.child] = choice.plan.stands[b] ? b : branches;
    std::uint32_t pulled = 0;
    for (; p < pulled_.size() && pulled_[p].branch == b; ++p) {
      pulled += pulled_[p].rows;
      pulled_signatures_[b] |= std::uint64_t{1} << (pulled_[p].signature % 64);
    }
    first_pulled_[b + 1] = p;
    if (!choice.plan.stands[b]) continue;
    next_[b] = place;
    place += branch.rows - pulled;
    made_.branches.push_back({next_[b], place, buffer});
  }
  return made_;
}

// Drawn by lot, row after row: as likely as so many of those that are left are still to be pulled back. Whoever knows
// the order of the input does not know who it was.
bool Placement::IsPulledBack(std::uint32_t branch, Code signature) {
  for (std::uint32_t p = first_pulled_[branch]; p < first_pulled_[branch + 1]; ++p) {
    PulledBack& pulled = pulled_[p];
    if (pulled.signature != signature) continue;
    if (pulled.rows == 0) return false;
    if (lots_.Below(pulled.of--) >= pulled.rows) return false;
    --pulled.rows;
    return true;
  }
  return false;
}

}  // namespace pentimento::recode
