#include "engine/series/class_counts.h"

#include <algorithm>
#include <vector>

namespace pentimento {

ClassCounts CountClasses(const SeriesChange& change) {
  struct Group {
    std::uint64_t cases = 0;
    std::uint64_t lasting = 0;
    bool is_new = true;
  };
  std::vector<Group> groups(change.staying_in_group.size());
  for (std::size_t row = 0; row < change.rows(); ++row) {
    const GroupId number = change.draft.group_of_row[row];
    Group& group = groups[number];
    ++group.cases;
    // Every leaf of a series has members of its first release, so where arrivals are hidden it is they who count.
    const bool is_early = change.arrival_of_row.empty() || change.arrival_of_row[row] == 0;
    if (is_early && change.is_withdrawn[row] == 0) ++group.lasting;
    const std::uint32_t previous = change.previous_of_row[row];
    if (previous == SeriesChange::kNew || change.IsLikeTheRowAbove(row)) continue;
    if (std::ranges::equal(change.draft.box(number), change.previous_box(previous))) group.is_new = false;
  }
  ClassCounts counts;
  for (std::size_t number = 0; number < groups.size(); ++number) {
    const Group& group = groups[number];
    const std::uint64_t staying = change.staying_in_group[number];
    counts.smallest = std::min(counts.smallest, group.cases + staying);
    if (group.is_new && staying == 0) counts.fewest_in_new = std::min(counts.fewest_in_new, group.lasting);
  }
  return counts;
}

}  // namespace pentimento
