#include "utility/living.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/check.h"
#include "base/interval.h"
#include "release/equal_boxes.h"

namespace pentimento {
namespace {

// By class: the number of the class that it is one with.
std::vector<ClassNumber> Merged(const Classes& classes) {
  if (classes.columns == 0) {
    std::vector<ClassNumber> same(classes.count());
    std::iota(same.begin(), same.end(), ClassNumber{0});
    return same;
  }
  std::vector<Interval> boxes = classes.boxes;
  return MergeEqualBoxes(classes.columns, boxes);
}

}  // namespace

LivingCounts CountLiving(const Classes& classes, std::span<const std::uint8_t> is_withdrawn, std::uint64_t k) {
  Check(classes.of_row.size() == is_withdrawn.size(), "of every row it is known whether it is withdrawn");
  const std::vector<ClassNumber> merged = Merged(classes);
  std::vector<std::uint64_t> living_in(classes.count(), 0);
  LivingCounts counts;
  for (std::size_t row = 0; row < is_withdrawn.size(); ++row) {
    if (is_withdrawn[row] == 0) ++living_in[merged[classes.of_row[row]]];
    ++(is_withdrawn[row] == 0 ? counts.living : counts.withdrawn);
  }
  for (const std::uint64_t living : living_in) {
    if (living == 0) continue;
    if (living < k) counts.among_few += living;
    counts.fewest = counts.fewest == 0 ? living : std::min(counts.fewest, living);
  }
  return counts;
}

}  // namespace pentimento
