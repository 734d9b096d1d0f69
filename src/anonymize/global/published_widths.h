// How wide an interval of codes would be published, in constant time: ColumnShape::Width has to climb the taxonomy, and
// a search for cuts asks for a width at every boundary it looks at.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "anonymize/partition/column_cuts.h"

namespace pentimento::global {

// The shape must outlive it.
class PublishedWidths {
 public:
  explicit PublishedWidths(const partition::ColumnShape& shape);

  // ColumnShape::Width of the same interval.
  std::int64_t Of(Interval codes) const {
    if (widest_step_.empty()) return shape_->Width(codes);
    if (codes.lo == codes.hi) return 0;
    if (codes.hi >= values_) return partition::kWholeWidth;
    // Two runs of 2^level steps, which may overlap, are all steps from lo to hi.
    const int level = std::bit_width(codes.hi - codes.lo) - 1;
    const std::int32_t* const widest = &widest_step_[static_cast<std::size_t>(level) * values_];
    return std::max(widest[codes.lo], widest[codes.hi - (Code{1} << level)]);
  }

 private:
  const partition::ColumnShape* shape_;
  Code values_;  // without the missing one
  // A step leads from a code to the next. The node over an interval of leaves separates two neighbours among them, and
  // all other neighbours meet inside of it, so it is as wide as the widest node over two neighbours. By level and code:
  // the widest of the 2^level steps from this code on. Empty where the width follows from the two ends at once, or
  // where this would be too large.
  std::vector<std::int32_t> widest_step_;
};

}  // namespace pentimento::global
