// What is known of a node of the tree while its cut is looked for.
#pragma once

#include <cstddef>
#include <cstdint>
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

// Members with one code.
struct CodeSlot {
  Code code = 0;
  std::size_t first = 0;  // member
};

// Members that may be a class, or not.
struct ClassPart {
  std::uint64_t persons = 0;
  bool keeps = false;
};

// What is below and above a boundary between two slots.
struct ClassBoundary {
  ClassPart below;
  ClassPart above;
  bool is_legal() const { return below.keeps && above.keeps; }
};

}  // namespace pentimento::partition
