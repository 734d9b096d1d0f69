// One release of a growing series, as a change of the one before. Its classes become the draft, and the rest of it the
// evidence that Verify holds the draft against. It holds every case
// that is new or that was in a group which changed, and of all others only how many keep which box. A change that
// holds every case of the series is a change like any other.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "release/classes.h"
#include "release/incremental_history.h"

namespace pentimento {

struct IncrementalChange {
  static constexpr std::uint32_t kNew = std::numeric_limits<std::uint32_t>::max();

  std::vector<CaseNumber> case_of_row;         // each case once
  Classes classes;                             // that these cases are published with from now on
  std::vector<std::uint32_t> previous_of_row;  // which of previous_boxes the case had; kNew: it was never published
  std::vector<Interval> previous_boxes;        // classes.columns intervals each
  // Cases that are no row here: how many keep each previous box, and how many have the box of each group already.
  std::vector<std::uint64_t> staying_in_previous;
  std::vector<std::uint64_t> staying_in_group;
  std::vector<std::uint8_t> is_withdrawn;     // by row: the person has left; the box stays, and nobody counts on it
  std::vector<std::uint32_t> arrival_of_row;  // the release with which the case came; only where arrivals are hidden

  std::size_t rows() const { return case_of_row.size(); }
  // Whether a row has the same two boxes as the row above: then what was found for that one holds for it, too.
  bool IsLikeTheRowAbove(std::size_t row) const {
    return row > 0 && previous_of_row[row] == previous_of_row[row - 1] &&
           classes.of_row[row] == classes.of_row[row - 1];
  }
  std::size_t previous_count() const { return classes.columns == 0 ? 1 : previous_boxes.size() / classes.columns; }
  std::span<const Interval> previous_box(std::uint32_t number) const {
    return std::span(previous_boxes).subspan(std::size_t{number} * classes.columns, classes.columns);
  }
};

}  // namespace pentimento
