#include "engine/xy/cut.h"

#include <algorithm>

#include "base/check.h"
#include "engine/published/published_table.h"

namespace pentimento {

bool IsCut(const EarlierColumn& column) {
  Check(column.was_read, "only of a column that was read can be said whether it is a cut");
  if (column.role != Role::kQuasiIdentifier) return true;
  const Result<Domain> domain = DomainOfLabels(column, {&column.labels}, true);
  if (!domain.ok()) return false;
  std::vector<Interval> intervals;
  for (const std::string& label : column.labels) {
    const std::optional<Interval> interval = domain->ParseLabel(label);
    if (!interval) return false;
    intervals.push_back(*interval);
  }
  std::ranges::sort(intervals);
  // Two spellings of one interval exclude nothing and nobody.
  const auto repeated = std::ranges::unique(intervals);
  intervals.erase(repeated.begin(), repeated.end());
  return std::ranges::adjacent_find(intervals, [](const Interval& before, const Interval& after) {
           return after.lo <= before.hi;
         }) == intervals.end();
}

}  // namespace pentimento
