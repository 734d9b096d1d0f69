#include "anonymize/global/published_widths.h"

namespace pentimento::global {
namespace {

constexpr Code kMostValues = Code{1} << 16;

}  // namespace

PublishedWidths::PublishedWidths(const partition::ColumnShape& shape)
    : shape_(&shape), values_(shape.domain().value_count()) {
  if (!shape.follows_taxonomy() || values_ < 2 || values_ > kMostValues) return;
  const auto levels = static_cast<std::size_t>(std::bit_width(values_ - 1));
  widest_step_.resize(levels * values_);
  for (Code code = 0; code + 1 < values_; ++code)
    widest_step_[code] = static_cast<std::int32_t>(shape.Width({code, code + 1}));
  for (std::size_t level = 1; level < levels; ++level) {
    const std::int32_t* const shorter = &widest_step_[(level - 1) * values_];
    std::int32_t* const longer = &widest_step_[level * values_];
    const std::size_t half = std::size_t{1} << (level - 1);
    for (std::size_t code = 0; code + 2 * half < values_; ++code)
      longer[code] = std::max(shorter[code], shorter[code + half]);
  }
}

}  // namespace pentimento::global
