// What is known of a node of the tree while its cut is looked for.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "anonymize/partition/packed_rows.h"
#include "base/interval.h"

namespace pentimento::partition {

// A node of the tree while it is looked at: records [begin, end) and the bounds of their codes.
struct NodeView {
  std::size_t begin = 0;
  std::size_t end = 0;
  Buffer buffer = Buffer::kFront;
  std::span<const Interval> members;
  std::span<const Interval> region;  // empty: groups are published with their members' boxes

  std::size_t rows() const { return end - begin; }
  std::optional<Interval> RegionOf(std::size_t column) const {
    return region.empty() ? std::nullopt : std::optional(region[column]);
  }
  Interval ExtentOf(std::size_t column) const { return region.empty() ? members[column] : region[column]; }
};

}  // namespace pentimento::partition
