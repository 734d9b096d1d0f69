#include "engine/incremental/class_counts.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/parallel.h"

namespace pentimento {
namespace {

// By group. Each is filled by one task.
struct GroupCounts {
  explicit GroupCounts(std::size_t groups) : cases(groups), not_lasting(groups), gone(groups), is_old(groups) {}

  std::vector<std::uint32_t> cases;
  std::vector<std::uint32_t> not_lasting;
  std::vector<std::uint32_t> gone;
  std::vector<bool> is_old;  // somebody had this very box before
};

// Where arrivals are hidden, those count who came with the earliest release that is in the group.
std::vector<std::uint32_t> EarliestOfGroups(const IncrementalChange& change, std::size_t groups) {
  std::vector<std::uint32_t> earliest(groups, std::numeric_limits<std::uint32_t>::max());
  for (std::size_t row = 0; row < change.arrival_of_row.size(); ++row) {
    std::uint32_t& of_group = earliest[change.classes.of_row[row]];
    of_group = std::min(of_group, change.arrival_of_row[row]);
  }
  return earliest;
}

void CountNotLasting(const IncrementalChange& change, GroupCounts& counts) {
  const std::vector<std::uint32_t> earliest = EarliestOfGroups(change, counts.cases.size());
  for (std::size_t row = 0; row < change.rows(); ++row) {
    const ClassNumber group = change.classes.of_row[row];
    const bool is_early = change.arrival_of_row.empty() || change.arrival_of_row[row] == earliest[group];
    const bool is_gone = change.is_withdrawn[row] != 0;
    if (!is_early || is_gone) ++counts.not_lasting[group];
    if (is_gone) ++counts.gone[group];
  }
}

void FindOld(const IncrementalChange& change, std::vector<bool>& is_old) {
  for (std::size_t row = 0; row < change.rows(); ++row) {
    const std::uint32_t previous = change.previous_of_row[row];
    const ClassNumber group = change.classes.of_row[row];
    if (previous == IncrementalChange::kNew || is_old[group] || change.IsLikeTheRowAbove(row)) continue;
    if (std::ranges::equal(change.classes.box(group), change.previous_box(previous))) is_old[group] = true;
  }
}

}  // namespace

ClassCounts CountClasses(const IncrementalChange& change, std::uint64_t k) {
  GroupCounts groups(change.staying_in_group.size());
  TaskGroup aside;
  aside.Run([&] { CountNotLasting(change, groups); });
  aside.Run([&] { FindOld(change, groups.is_old); });
  for (const ClassNumber group : change.classes.of_row) ++groups.cases[group];
  aside.Wait();
  ClassCounts counts;
  std::vector<bool> has_few(groups.cases.size());
  bool any_has_few = false;
  for (std::size_t group = 0; group < groups.cases.size(); ++group) {
    const std::uint64_t staying = change.staying_in_group[group];
    counts.smallest = std::min(counts.smallest, groups.cases[group] + staying);
    if (staying != 0) continue;
    if (!groups.is_old[group])
      counts.fewest_in_new =
          std::min<std::uint64_t>(counts.fewest_in_new, groups.cases[group] - groups.not_lasting[group]);
    has_few[group] = groups.cases[group] - groups.gone[group] < k;
    any_has_few = any_has_few || has_few[group];
  }
  // Hardly ever: it needs people who have left.
  for (std::size_t row = 0; any_has_few && row < change.rows(); ++row) {
    const bool is_new = change.previous_of_row[row] == IncrementalChange::kNew;
    counts.newcomers_among_few += is_new && has_few[change.classes.of_row[row]] ? 1 : 0;
  }
  return counts;
}

}  // namespace pentimento
