#include "engine/series/class_counts.h"

#include <algorithm>
#include <vector>

#include "base/parallel.h"

namespace pentimento {
namespace {

// By group; whoever counts one of these needs no other.
struct GroupCounts {
  explicit GroupCounts(std::size_t groups) : cases(groups), not_lasting(groups), is_old(groups) {}

  std::vector<std::uint32_t> cases;
  std::vector<std::uint32_t> not_lasting;
  std::vector<bool> is_old;  // somebody had this very box before
};

void CountNotLasting(const SeriesChange& change, std::vector<std::uint32_t>& not_lasting) {
  for (std::size_t row = 0; row < change.rows(); ++row) {
    // Every leaf of a series has members of its first release, so where arrivals are hidden it is they who count.
    const bool is_early = change.arrival_of_row.empty() || change.arrival_of_row[row] == 0;
    if (!is_early || change.is_withdrawn[row] != 0) ++not_lasting[change.draft.group_of_row[row]];
  }
}

void FindOld(const SeriesChange& change, std::vector<bool>& is_old) {
  for (std::size_t row = 0; row < change.rows(); ++row) {
    const std::uint32_t previous = change.previous_of_row[row];
    const GroupId group = change.draft.group_of_row[row];
    if (previous == SeriesChange::kNew || is_old[group] || change.IsLikeTheRowAbove(row)) continue;
    if (std::ranges::equal(change.draft.box(group), change.previous_box(previous))) is_old[group] = true;
  }
}

}  // namespace

ClassCounts CountClasses(const SeriesChange& change) {
  GroupCounts groups(change.staying_in_group.size());
  TaskGroup aside;
  aside.Run([&] { CountNotLasting(change, groups.not_lasting); });
  aside.Run([&] { FindOld(change, groups.is_old); });
  for (const GroupId group : change.draft.group_of_row) ++groups.cases[group];
  aside.Wait();
  ClassCounts counts;
  for (std::size_t group = 0; group < groups.cases.size(); ++group) {
    const std::uint64_t staying = change.staying_in_group[group];
    counts.smallest = std::min(counts.smallest, groups.cases[group] + staying);
    if (!groups.is_old[group] && staying == 0)
      counts.fewest_in_new =
          std::min<std::uint64_t>(counts.fewest_in_new, groups.cases[group] - groups.not_lasting[group]);
  }
  return counts;
}

}  // namespace pentimento
