#include "release/equal_boxes.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/hash.h"

namespace pentimento {

std::vector<GroupId> MergeEqualBoxes(std::size_t columns, std::vector<Interval>& boxes) {
  constexpr GroupId kFree = std::numeric_limits<GroupId>::max();
  const std::size_t count = boxes.size() / columns;
  const auto box = [&](std::size_t which) { return std::span(boxes).subspan(which * columns, columns); };
  // Open addressing, at most half full. Only equality decides, so the order of the slots shows nowhere.
  std::vector<GroupId> slots(std::bit_ceil(2 * count + 1), kFree);
  std::vector<GroupId> kept_as(count);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t slot = Checksum(std::as_bytes(box(i))) & (slots.size() - 1);
    while (slots[slot] != kFree && !std::ranges::equal(box(slots[slot]), box(i)))
      slot = (slot + 1) & (slots.size() - 1);
    if (slots[slot] == kFree) {
      slots[slot] = static_cast<GroupId>(kept);
      std::copy_n(box(i).begin(), columns, box(kept).begin());
      ++kept;
    }
    kept_as[i] = slots[slot];
  }
  boxes.resize(kept * columns);
  return kept_as;
}

}  // namespace pentimento
