#include "engine/series/class_counts.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "base/parallel.h"

namespace pentimento {
namespace {

constexpr std::size_t kRowsPerTask = std::size_t{1} << 15;

struct Group {
  std::uint32_t cases = 0;
  std::uint32_t lasting = 0;
  std::uint32_t rows_as_before = 0;
};

// Rows of a group mostly follow one another, so a run of them is counted first; tasks may meet in a group.
void CountRun(const SeriesChange& change, std::size_t begin, std::size_t end, Group& group) {
  const std::span<const Interval> box = change.draft.box(change.draft.group_of_row[begin]);
  Group run;
  run.cases = static_cast<std::uint32_t>(end - begin);
  for (std::size_t row = begin; row < end; ++row) {
    // Every leaf of a series has members of its first release, so where arrivals are hidden it is they who count.
    const bool is_early = change.arrival_of_row.empty() || change.arrival_of_row[row] == 0;
    run.lasting += is_early && change.is_withdrawn[row] == 0 ? 1 : 0;
    const std::uint32_t previous = change.previous_of_row[row];
    if (previous == SeriesChange::kNew || (row > begin && previous == change.previous_of_row[row - 1])) continue;
    run.rows_as_before += std::ranges::equal(box, change.previous_box(previous)) ? 1 : 0;
  }
  const auto add = [](std::uint32_t& to, std::uint32_t count) {
    if (count > 0) std::atomic_ref(to).fetch_add(count, std::memory_order_relaxed);
  };
  add(group.cases, run.cases);
  add(group.lasting, run.lasting);
  add(group.rows_as_before, run.rows_as_before);
}

}  // namespace

ClassCounts CountClasses(const SeriesChange& change) {
  std::vector<Group> groups(change.staying_in_group.size());
  const std::vector<GroupId>& group_of_row = change.draft.group_of_row;
  ParallelFor(change.rows(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin, past = begin; row < end; row = past) {
      while (past < end && group_of_row[past] == group_of_row[row]) ++past;
      CountRun(change, row, past, groups[group_of_row[row]]);
    }
  });
  ClassCounts counts;
  for (std::size_t number = 0; number < groups.size(); ++number) {
    const Group& group = groups[number];
    const std::uint64_t staying = change.staying_in_group[number];
    counts.smallest = std::min(counts.smallest, group.cases + staying);
    if (group.rows_as_before == 0 && staying == 0)
      counts.fewest_in_new = std::min<std::uint64_t>(counts.fewest_in_new, group.lasting);
  }
  return counts;
}

}  // namespace pentimento
