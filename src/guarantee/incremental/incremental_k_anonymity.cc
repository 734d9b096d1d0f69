#include "guarantee/incremental/incremental_k_anonymity.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "base/parallel.h"
#include "guarantee/form/box_classes.h"
#include "guarantee/form/smallest_index.h"

namespace pentimento {
namespace {

bool Nests(std::span<const Interval> inner, std::span<const Interval> outer) {
  return std::ranges::equal(inner, outer, [](Interval in, Interval out) { return out.Contains(in); });
}

std::size_t PreviousBoxes(const Classes& classes, const IncrementalChange& change) {
  return classes.columns == 0 ? 1 : change.previous_boxes.size() / classes.columns;
}

std::span<const Interval> PreviousBox(const Classes& classes, const IncrementalChange& change, std::uint32_t number) {
  return std::span(change.previous_boxes).subspan(std::size_t{number} * classes.columns, classes.columns);
}

// Whether a row has the same two boxes as the row above: then what was found for that one holds for it, too.
bool IsLikeTheRowAbove(const Classes& classes, const IncrementalChange& change, std::size_t row) {
  return row > 0 && change.previous_of_row[row] == change.previous_of_row[row - 1] &&
         classes.of_row[row] == classes.of_row[row - 1];
}

// The smallest row for which `is_it` holds.
template <typename Predicate>
std::optional<std::size_t> FindRow(std::size_t rows, const Predicate& is_it) {
  SmallestIndex smallest;
  ParallelFor(rows, kRowsPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      if (!is_it(row)) continue;
      smallest.Offer(row);
      return;
    }
  });
  return smallest.Get();
}

bool SomeCaseTwice(std::span<const CaseNumber> cases) {
  if (cases.empty()) return false;
  const CaseNumber last = *std::ranges::max_element(cases);
  // A bit per case that there could be, unless that is much more than there are.
  if (last / 64 > cases.size()) {
    std::vector<CaseNumber> sorted(cases.begin(), cases.end());
    std::ranges::sort(sorted);
    return std::ranges::adjacent_find(sorted) != sorted.end();
  }
  std::vector<bool> seen(std::size_t{last} + 1);
  for (const CaseNumber number : cases) {
    if (seen[number]) return true;
    seen[number] = true;
  }
  return false;
}

std::optional<std::string> FindMalformedChange(const Classes& classes, const IncrementalChange& change,
                                               bool hides_arrivals) {
  const std::size_t rows = change.rows();
  if (classes.of_row.size() != rows || change.previous_of_row.size() != rows || change.is_withdrawn.size() != rows ||
      (hides_arrivals && change.arrival_of_row.size() != rows)) {
    return "the change has not one class, one earlier box, one state and one arrival for every case";
  }
  if (change.staying_in_group.size() != classes.count())
    return fmt::format("{} classes, but {} counts of who is in them already", classes.count(),
                       change.staying_in_group.size());
  if (classes.columns > 0 && change.staying_in_previous.size() != PreviousBoxes(classes, change))
    return fmt::format("{} earlier boxes, but {} counts of who keeps them", PreviousBoxes(classes, change),
                       change.staying_in_previous.size());
  bool is_some_twice = false;
  TaskGroup aside;
  aside.Run([&] { is_some_twice = SomeCaseTwice(change.case_of_row); });
  const std::size_t groups = classes.count();
  const auto lost = FindRow(rows, [&](std::size_t row) {
    const std::uint32_t previous = change.previous_of_row[row];
    return classes.of_row[row] >= groups ||
           (previous != IncrementalChange::kNew && previous >= change.staying_in_previous.size());
  });
  aside.Wait();
  if (lost) return fmt::format("row {} of the change has a class or an earlier box that is not there", *lost + 1);
  if (is_some_twice) return "a case is twice in the change";
  return std::nullopt;
}

std::optional<std::string> FindUnnested(const Classes& classes, const IncrementalChange& change) {
  const auto unnested = FindRow(change.rows(), [&](std::size_t row) {
    const std::uint32_t previous = change.previous_of_row[row];
    return previous != IncrementalChange::kNew && !IsLikeTheRowAbove(classes, change, row) &&
           !Nests(classes.box(classes.of_row[row]), PreviousBox(classes, change, previous));
  });
  if (!unnested) return std::nullopt;
  return fmt::format(
      "the new box of row {} of the change leaves the earlier one, so that the two together say more than either",
      *unnested + 1);
}

// Who is in a class of equal boxes after the change.
struct ClassCount {
  std::uint64_t rows = 0;
  std::uint64_t living = 0;   // rows of people who have not left
  std::uint64_t staying = 0;  // a lower bound: groups with equal boxes could count the same cases
  bool is_old = false;        // somebody had this very box before
};

// The same by group, before anybody knows which groups are one class.
struct GroupCounts {
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> withdrawn;
  std::vector<bool> is_old;
};

void CountRows(const Classes& classes, const IncrementalChange& change, GroupCounts& counts) {
  counts.rows.resize(classes.count());
  counts.withdrawn.resize(classes.count());
  for (std::size_t row = 0; row < change.rows(); ++row) {
    const ClassNumber group = classes.of_row[row];
    ++counts.rows[group];
    if (change.is_withdrawn[row] != 0) ++counts.withdrawn[group];
  }
}

void FindOldGroups(const Classes& classes, const IncrementalChange& change, std::vector<bool>& is_old) {
  is_old.resize(classes.count());
  for (std::size_t row = 0; row < change.rows(); ++row) {
    const std::uint32_t previous = change.previous_of_row[row];
    const ClassNumber group = classes.of_row[row];
    if (previous == IncrementalChange::kNew || is_old[group] || IsLikeTheRowAbove(classes, change, row)) continue;
    if (std::ranges::equal(classes.box(group), PreviousBox(classes, change, previous))) is_old[group] = true;
  }
}

struct CountedClasses {
  std::vector<ClassId> of_group;
  std::vector<ClassCount> counts;  // by class
};

CountedClasses CountClasses(const Classes& classes, const IncrementalChange& change) {
  GroupCounts groups;
  TaskGroup aside;
  aside.Run([&] { CountRows(classes, change, groups); });
  aside.Run([&] { FindOldGroups(classes, change, groups.is_old); });
  std::vector<ClassId> class_of_group = ClassOfGroup(classes);
  aside.Wait();
  std::vector<ClassCount> counts(class_of_group.empty() ? 0 : std::size_t{std::ranges::max(class_of_group)} + 1);
  for (std::size_t g = 0; g < class_of_group.size(); ++g) {
    ClassCount& count = counts[class_of_group[g]];
    count.rows += groups.rows[g];
    count.living += groups.rows[g] - groups.withdrawn[g];
    count.staying = std::max(count.staying, change.staying_in_group[g]);
    count.is_old = count.is_old || groups.is_old[g] || change.staying_in_group[g] > 0;
  }
  return {std::move(class_of_group), std::move(counts)};
}

std::optional<std::string> FindSmallClass(const IncrementalChange& change, const CountedClasses& classes,
                                          std::uint64_t k) {
  for (const ClassCount& count : classes.counts) {
    if (count.rows == 0) continue;
    if (count.rows + count.staying < k)
      return fmt::format("a class of {} cases would be published, {} are required", count.rows + count.staying, k);
    if (!count.is_old && count.living < k)
      return fmt::format(
          "a new class counts on people who have left: {} of its {} cases are still there, {} are required",
          count.living, count.rows, k);
  }
  for (const std::uint64_t staying : change.staying_in_previous) {
    if (staying > 0 && staying < k)
      return fmt::format("a class of {} cases would be left behind in its earlier box, {} are required", staying, k);
  }
  return std::nullopt;
}

// Who knows that somebody was in an earlier release looks only at those of a class who were in it, too. These are the
// fewest for the earliest release of all: whoever came with it is in every later one.
std::optional<std::string> FindFewOfARelease(const Classes& classes, const IncrementalChange& change,
                                             const CountedClasses& counted, std::uint64_t k) {
  struct Earliest {
    std::uint32_t arrival = IncrementalChange::kNew;
    std::uint64_t cases = 0;
    std::uint64_t living = 0;
  };
  std::vector<Earliest> earliest(counted.counts.size());
  for (std::size_t row = 0; row < change.rows(); ++row) {
    const ClassId c = counted.of_group[classes.of_row[row]];
    // Newcomers join cases that are no row here: those came earlier, and were enough before.
    if (counted.counts[c].staying > 0 && change.previous_of_row[row] == IncrementalChange::kNew) continue;
    Earliest& found = earliest[c];
    const std::uint32_t arrival = change.arrival_of_row[row];
    if (arrival < found.arrival) found = {arrival, 0, 0};
    if (arrival > found.arrival) continue;
    ++found.cases;
    found.living += change.is_withdrawn[row] == 0 ? 1 : 0;
  }
  for (std::size_t c = 0; c < earliest.size(); ++c) {
    if (earliest[c].arrival == IncrementalChange::kNew) continue;
    const std::uint64_t there = counted.counts[c].is_old ? earliest[c].cases : earliest[c].living;
    if (there >= k) continue;
    return fmt::format(
        "a class has {} people of the earliest release that any of its cases came with, {} are required where arrivals "
        "are hidden",
        there, k);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> FindViolationOfChange(const Classes& classes, const IncrementalChange& change,
                                                 std::uint64_t k, bool hides_arrivals) {
  if (auto found = FindMalformedChange(classes, change, hides_arrivals)) return found;
  if (auto found = FindUnnested(classes, change)) return found;
  const CountedClasses counted = CountClasses(classes, change);
  if (auto found = FindSmallClass(change, counted, k)) return found;
  if (hides_arrivals) return FindFewOfARelease(classes, change, counted, k);
  return std::nullopt;
}

}  // namespace pentimento
