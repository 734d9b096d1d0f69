#include "engine/xy/nested_labels.h"

#include <algorithm>

namespace pentimento {

std::optional<std::pair<PlacedLabel, PlacedLabel>> FindCrossing(std::vector<PlacedLabel> labels) {
  // Outer labels before those inside them.
  std::ranges::stable_sort(labels, [](const PlacedLabel& a, const PlacedLabel& b) {
    return a.leaves.lo != b.leaves.lo ? a.leaves.lo < b.leaves.lo : a.leaves.hi > b.leaves.hi;
  });
  std::vector<const PlacedLabel*> around;
  for (const PlacedLabel& label : labels) {
    while (!around.empty() && around.back()->leaves.hi < label.leaves.lo) around.pop_back();
    if (!around.empty() && around.back()->leaves.hi < label.leaves.hi) return std::pair(*around.back(), label);
    around.push_back(&label);
  }
  return std::nullopt;
}

}  // namespace pentimento
