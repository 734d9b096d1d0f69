// A series as the public saw it: release after release, which box each case was published with. Cases are numbered
// here; in public they carry random names, which link a case's rows across releases just as well.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/interval.h"

namespace pentimento {

using CaseNumber = std::uint32_t;

// One release of a series. A case is one person's row; nobody has two.
struct IncrementalRelease {
  std::size_t columns = 0;                 // quasi-identifiers per box
  std::vector<Interval> boxes;             // `columns` intervals per box
  std::vector<CaseNumber> cases;           // who is in this release: strictly ascending
  std::vector<std::uint32_t> box_of_case;  // parallel to `cases`

  std::span<const Interval> box(std::uint32_t number) const {
    return std::span(boxes).subspan(std::size_t{number} * columns, columns);
  }
};

// In the order of publication. All releases have the same columns and codes.
using IncrementalHistory = std::vector<IncrementalRelease>;

}  // namespace pentimento
