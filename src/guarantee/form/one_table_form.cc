#include "guarantee/form/one_table_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/parallel.h"
#include "guarantee/form/smallest_index.h"

namespace pentimento {
namespace {

constexpr std::size_t kClassesChecked = 1 << 14;  // by one task
// Column after column for so many rows at a time, whose boxes stay in the cache meanwhile.
constexpr std::size_t kRowsCompared = 2048;

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
    return fmt::format("{} rows have a class, the table has {}", draft.of_row.size(), table.rows);
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
  ParallelFor(draft.count(), kClassesChecked, [&](std::size_t begin, std::size_t end) {
    for (std::size_t index = begin * draft.columns; index < end * draft.columns; ++index) {
      // Neighbours are often alike.
      if (index >= (begin + 1) * draft.columns && draft.boxes[index] == draft.boxes[index - draft.columns]) continue;
      if (FaultOf(draft.boxes[index], domains[index % draft.columns], form) == IntervalFault::kNone) continue;
      smallest.Offer(index);
      return;
    }
  });
  const std::optional<std::size_t> index = smallest.Get();
  if (!index) return std::nullopt;
  const std::size_t column = *index % draft.columns;
  return fmt::format("the interval of class {} in quasi-identifier {} {}", *index / draft.columns, column + 1,
                     Describe(FaultOf(draft.boxes[*index], domains[column], form)));
}

// The first of these rows with a code that its box does not hold in this column.
std::optional<std::size_t> FindFalseRow(const CodeColumn& codes, std::size_t column, const Classes& draft,
                                        std::size_t begin, std::size_t end) {
  return codes.Visit([&](auto code_of_row) -> std::optional<std::size_t> {
    for (std::size_t row = begin; row < end; ++row) {
      const Interval interval = draft.boxes[draft.of_row[row] * draft.columns + column];
      if (!interval.Contains(code_of_row[row])) return row;
    }
    return std::nullopt;
  });
}

}  // namespace

std::optional<std::string> FindMalformation(const EncodedTable& table, std::span<const Domain> domains,
                                            CategoryForm form, const Classes& draft) {
  if (auto wrong = FindWrongSize(table, domains, draft)) return wrong;
  if (const auto row = FindNotBelow(draft.of_row, draft.count())) {
    return fmt::format("row {} of the table is in a class that has no box", *row + 1);
  }
  if (table.persons) {
    if (const auto row = FindNotBelow(table.persons->person_of_row, table.persons->count)) {
      return fmt::format("row {} of the table is about a person who is not counted", *row + 1);
    }
  }
  return FindBadInterval(domains, form, draft);
}

std::optional<FalseCell> FindFalseCell(const EncodedTable& table, const Classes& draft) {
  SmallestIndex smallest;
  const std::size_t blocks = (table.rows + kRowsCompared - 1) / kRowsCompared;
  ParallelFor(blocks, 8, [&](std::size_t first_block, std::size_t past_block) {
    for (std::size_t block = first_block; block < past_block; ++block) {
      const std::size_t begin = block * kRowsCompared, end = std::min(begin + kRowsCompared, table.rows);
      for (std::size_t c = 0; c < draft.columns; ++c) {
        if (const auto row = FindFalseRow(table.quasi_identifiers[c], c, draft, begin, end)) smallest.Offer(*row);
      }
    }
  });
  const std::optional<std::size_t> row = smallest.Get();
  if (!row) return std::nullopt;
  std::size_t column = 0;
  while (draft.box(draft.of_row[*row])[column].Contains(table.quasi_identifiers[column][*row])) ++column;
  return FalseCell{*row, column};
}

}  // namespace pentimento
