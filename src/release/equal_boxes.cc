#include "release/equal_boxes.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "base/hash.h"
#include "base/parallel.h"

namespace pentimento {

namespace {

constexpr std::size_t kGrain = 1 << 12;
// So many boxes ahead their slots are fetched: which slot is next cannot be guessed.
constexpr std::size_t kAhead = 8;

}  // namespace

std::vector<ClassNumber> MergeEqualBoxes(std::size_t columns, std::vector<Interval>& boxes) {
  constexpr ClassNumber kFree = std::numeric_limits<ClassNumber>::max();
  const std::size_t count = boxes.size() / columns;
  const auto box = [&](std::size_t which) { return std::span(boxes).subspan(which * columns, columns); };
  std::vector<std::uint64_t> hashes(count);
  ParallelFor(count, kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) hashes[i] = Checksum(std::as_bytes(box(i)));
  });
  // Open addressing, at most half full. Only equality decides, so the order of the slots shows nowhere. A slot has half
  // of the hash, so that hardly any box is looked at that is not equal.
  struct Slot {
    ClassNumber kept = kFree;
    std::uint32_t hash = 0;
  };
  std::vector<Slot> slots(std::bit_ceil(2 * count + 1));
  std::vector<ClassNumber> kept_as(count);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (i + kAhead < count) __builtin_prefetch(&slots[hashes[i + kAhead] & (slots.size() - 1)], 1);
    const auto half = static_cast<std::uint32_t>(hashes[i] >> 32);
    std::size_t slot = hashes[i] & (slots.size() - 1);
    while (slots[slot].kept != kFree &&
           (slots[slot].hash != half || !std::ranges::equal(box(slots[slot].kept), box(i))))
      slot = (slot + 1) & (slots.size() - 1);
    if (slots[slot].kept == kFree) {
      slots[slot] = {static_cast<ClassNumber>(kept), half};
      if (kept < i) std::copy_n(box(i).begin(), columns, box(kept).begin());
      ++kept;
    }
    kept_as[i] = slots[slot].kept;
  }
  boxes.resize(kept * columns);
  return kept_as;
}

}  // namespace pentimento
