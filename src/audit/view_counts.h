// The counting behind views.h: two collapsed sides of a join, and every pair of values on X that meet.
#pragma once

#include <cstdint>
#include <optional>

#include "audit/views.h"
#include "guarantee/xy/join_counting.h"

namespace pentimento {

struct ViewCounts {
  bool was_too_much = false;  // then nothing else is to be used
  // The fewest values on Y, and the greatest share of one, each with the values that have it; nothing where nothing
  // matches.
  struct Least {
    WideCount values = 0;
    WitnessValues where;
  };
  struct Greatest {
    WideFraction share;
    WitnessValues where;
  };
  std::optional<Least> least;
  std::optional<Greatest> greatest;
  ViewRecords left;
  ViewRecords right;
};

// Looks at no more than about `work` rows that match. REQUIRES: both sides as PrepareForLinkability leaves them on the
// path kEverything.
ViewCounts CountViews(const JoinSides& sides, const ViewBars& bars, std::uint64_t work);

}  // namespace pentimento
