#include "guarantee/form/well_formed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/parallel.h"
#include "guarantee/form/smallest_index.h"

namespace pentimento {
namespace {

constexpr std::size_t kCheckedGroupsPerTask = 1 << 14;
constexpr std::size_t kRemembered = 1024;

std::optional<std::string> FindWrongSize(const EncodedTable& table, std::span<const Domain> domains,
                                         const Classes& draft) {
  const std::size_t columns = table.quasi_identifiers.size();
  if (domains.size() != columns || draft.columns != columns) {
    return fmt::format("the table has {} quasi-identifiers, but {} domains and {} columns per box", columns,
                       domains.size(), draft.columns);
  }
  for (std::size_t c = 0; c < columns; ++c) {
    if (table.quasi_identifiers[c].size() == table.rows) continue;
    return fmt::format("quasi-identifier {} has {} codes for {} rows", c + 1, table.quasi_identifiers[c].size(),
                       table.rows);
  }
  if (draft.of_row.size() != table.rows) {
    return fmt::format("{} rows have a group, the table has {}", draft.of_row.size(), table.rows);
  }
  if (columns == 0 ? !draft.boxes.empty() : draft.boxes.size() % columns != 0) {
    return fmt::format("{} intervals are no whole number of boxes of {} columns", draft.boxes.size(), columns);
  }
  if (columns == 0 && draft.without_boxes != 1) {
    return fmt::format("without quasi-identifiers everybody is in one class, not in {}", draft.without_boxes);
  }
  if (table.persons && table.persons->person_of_row.size() != table.rows) {
    return fmt::format("{} rows have a person, the table has {}", table.persons->person_of_row.size(), table.rows);
  }
  return std::nullopt;
}

// The smallest row whose number is not below `limit`.
std::optional<std::size_t> FindNotBelow(std::span<const std::uint32_t> number_of_row, std::size_t limit) {
  SmallestIndex smallest;
  ParallelFor(number_of_row.size(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
    const auto numbers = number_of_row.subspan(begin, end - begin);
    const auto found = std::ranges::find_if(numbers, [limit](std::uint32_t number) { return number >= limit; });
    if (found != numbers.end()) smallest.Offer(begin + static_cast<std::size_t>(found - numbers.begin()));
  });
  return smallest.Get();
}

enum class IntervalFault { kNone, kReversed, kOutside, kNotPublishable };

IntervalFault FaultOf(Interval interval, const Domain& domain, CategoryForm form) {
  if (interval.lo > interval.hi) return IntervalFault::kReversed;
  if (!domain.root().Contains(interval)) return IntervalFault::kOutside;
  if (domain.Cover(interval, form) != interval) return IntervalFault::kNotPublishable;
  return IntervalFault::kNone;
}

std::string Describe(IntervalFault fault) {
  if (fault == IntervalFault::kReversed) return "ends before it begins";
  if (fault == IntervalFault::kOutside) return "leaves the declared domain";
  return "is not a value that can be published";
}

std::optional<std::string> FindBadInterval(std::span<const Domain> domains, CategoryForm form, const Classes& draft) {
  SmallestIndex smallest;
  ParallelFor(draft.count(), kCheckedGroupsPerTask, [&](std::size_t begin, std::size_t end) {
    std::vector<Interval> faultless(kRemembered);
    for (std::size_t c = 0; c < draft.columns; ++c) {
      // Columns have few intervals and groups are many: most were looked at before. No interval is like this one.
      std::ranges::fill(faultless, Interval{1, 0});
      for (std::size_t g = begin; g < end; ++g) {
        const std::size_t index = g * draft.columns + c;
        const Interval interval = draft.boxes[index];
        Interval& known = faultless[(interval.lo * 31 + interval.hi) % kRemembered];
        if (known == interval && interval.lo <= interval.hi) continue;
        if (FaultOf(interval, domains[c], form) != IntervalFault::kNone) {
          smallest.Offer(index);
        } else {
          known = interval;
        }
      }
    }
  });
  const std::optional<std::size_t> index = smallest.Get();
  if (!index) return std::nullopt;
  const std::size_t column = *index % draft.columns;
  return fmt::format("the interval of group {} in quasi-identifier {} {}", *index / draft.columns, column + 1,
                     Describe(FaultOf(draft.boxes[*index], domains[column], form)));
}

}  // namespace

std::optional<std::string> FindMalformation(const EncodedTable& table, std::span<const Domain> domains,
                                            CategoryForm form, const Classes& draft) {
  if (auto wrong = FindWrongSize(table, domains, draft)) return wrong;
  if (const auto row = FindNotBelow(draft.of_row, draft.count())) {
    return fmt::format("row {} of the input is in a group that has no box", *row + 1);
  }
  if (table.persons) {
    if (const auto row = FindNotBelow(table.persons->person_of_row, table.persons->count)) {
      return fmt::format("row {} of the input is about a person who is not counted", *row + 1);
    }
  }
  return FindBadInterval(domains, form, draft);
}

}  // namespace pentimento
