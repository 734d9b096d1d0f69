#include "release/equal_boxes.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/hash.h"

namespace pentimento {
namespace {

// Boxes of one array, by number.
struct BoxesByNumber {
  std::size_t columns = 0;
  const std::vector<Interval>* boxes = nullptr;

  std::span<const Interval> At(std::size_t number) const {
    return std::span(*boxes).subspan(number * columns, columns);
  }
};

struct HashOfBox : BoxesByNumber {
  std::size_t operator()(ClassNumber number) const { return Checksum(std::as_bytes(At(number))); }
};
struct BoxesAreEqual : BoxesByNumber {
  bool operator()(ClassNumber a, ClassNumber b) const { return std::ranges::equal(At(a), At(b)); }
};

}  // namespace

std::vector<ClassNumber> MergeEqualBoxes(std::size_t columns, std::vector<Interval>& boxes) {
  const std::size_t count = boxes.size() / columns;
  const BoxesByNumber by_number{columns, &boxes};
  // By the number of the first of equal boxes: which of those that are kept it is.
  tsl::robin_map<ClassNumber, ClassNumber, HashOfBox, BoxesAreEqual> kept(count, {by_number}, {by_number});
  std::vector<ClassNumber> kept_as;
  kept_as.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    kept_as.push_back(
        kept.try_emplace(static_cast<ClassNumber>(i), static_cast<ClassNumber>(kept.size())).first->second);
  std::size_t next = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (kept_as[i] != next) continue;
    if (i != next) std::ranges::copy(by_number.At(i), &boxes[next * columns]);
    ++next;
  }
  boxes.resize(next * columns);
  return kept_as;
}

}  // namespace pentimento
