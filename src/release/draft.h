// What a maker hands to verify: the quasi-identifiers as they would be published. Nothing else of the
// maker's bookkeeping travels with it, so a checker has nothing to trust.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/interval.h"

namespace pentimento {

using GroupId = std::uint32_t;

struct Draft {
  std::size_t columns = 0;            // quasi-identifiers per box
  std::vector<Interval> boxes;        // `columns` intervals per group, group after group, as published
  std::vector<GroupId> group_of_row;  // for each input row the box it is published with

  std::size_t group_count() const { return columns == 0 ? 1 : boxes.size() / columns; }
  std::span<const Interval> box(GroupId group) const {
    return std::span(boxes).subspan(std::size_t{group} * columns, columns);
  }
};

}  // namespace pentimento
