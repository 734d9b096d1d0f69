#include "guarantee/incremental_k_anonymity.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "base/interval.h"
#include "guarantee/box_classes.h"

namespace pentimento {
namespace {

bool Nests(std::span<const Interval> inner, std::span<const Interval> outer) {
  return std::ranges::equal(inner, outer, [](Interval in, Interval out) { return out.Contains(in); });
}

std::optional<std::string> FindMalformedChange(const SeriesChange& change) {
  const std::size_t rows = change.rows();
  if (change.draft.group_of_row.size() != rows || change.previous_of_row.size() != rows ||
      change.is_withdrawn.size() != rows || change.arrival_of_row.size() != rows) {
    return "the change has not one group, one earlier box, one state and one arrival for every case";
  }
  if (change.staying_in_group.size() != change.draft.group_count())
    return fmt::format("{} groups, but {} counts of who is in them already", change.draft.group_count(),
                       change.staying_in_group.size());
  if (change.draft.columns > 0 && change.staying_in_previous.size() != change.previous_count())
    return fmt::format("{} earlier boxes, but {} counts of who keeps them", change.previous_count(),
                       change.staying_in_previous.size());
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint32_t previous = change.previous_of_row[row];
    if (change.draft.group_of_row[row] >= change.draft.group_count() ||
        (previous != SeriesChange::kNew && previous >= change.staying_in_previous.size())) {
      return fmt::format("row {} of the change has a group or an earlier box that is not there", row + 1);
    }
  }
  std::vector<CaseNumber> cases = change.case_of_row;
  std::ranges::sort(cases);
  if (std::ranges::adjacent_find(cases) != cases.end()) return "a case stands twice in the change";
  return std::nullopt;
}

std::optional<std::string> FindUnnested(const SeriesChange& change) {
  for (std::size_t row = 0; row < change.rows(); ++row) {
    const std::uint32_t previous = change.previous_of_row[row];
    if (previous == SeriesChange::kNew) continue;
    if (!Nests(change.draft.box(change.draft.group_of_row[row]), change.previous_box(previous))) {
      return fmt::format(
          "the new box of row {} of the change leaves the earlier one, so that the two together say more "
          "than either",
          row + 1);
    }
  }
  return std::nullopt;
}

// Who is in a class of equal boxes after the change.
struct ClassCount {
  std::uint64_t rows = 0;
  std::uint64_t living = 0;   // rows of people who have not left
  std::uint64_t staying = 0;  // a lower bound: groups with equal boxes could count the same cases
  bool is_old = false;        // somebody had this very box before
};

std::vector<ClassCount> CountClasses(const SeriesChange& change, std::span<const ClassId> class_of_group) {
  std::vector<ClassCount> counts(class_of_group.empty() ? 0 : *std::ranges::max_element(class_of_group) + 1);
  for (std::size_t g = 0; g < class_of_group.size(); ++g) {
    ClassCount& count = counts[class_of_group[g]];
    count.staying = std::max(count.staying, change.staying_in_group[g]);
    count.is_old = count.is_old || change.staying_in_group[g] > 0;
  }
  for (std::size_t row = 0; row < change.rows(); ++row) {
    const GroupId group = change.draft.group_of_row[row];
    ClassCount& count = counts[class_of_group[group]];
    ++count.rows;
    count.living += change.is_withdrawn[row] != 0 ? 0 : 1;
    const std::uint32_t previous = change.previous_of_row[row];
    count.is_old = count.is_old || (previous != SeriesChange::kNew &&
                                    std::ranges::equal(change.draft.box(group), change.previous_box(previous)));
  }
  return counts;
}

std::optional<std::string> FindSmallClass(const SeriesChange& change, std::uint64_t k) {
  for (const ClassCount& count : CountClasses(change, ClassOfGroup(change.draft))) {
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

// Who knows that somebody was there when a group was first published looks only at those who were there then.
std::optional<std::string> FindShownArrival(const SeriesChange& change, std::uint64_t k) {
  const std::size_t previous_count = change.staying_in_previous.size();
  std::vector<std::uint32_t> oldest(previous_count, SeriesChange::kNew);
  std::vector<std::uint32_t> first_group(previous_count, SeriesChange::kNew);
  std::vector<bool> is_divided(previous_count, false);
  for (std::size_t row = 0; row < change.rows(); ++row) {
    const std::uint32_t previous = change.previous_of_row[row];
    if (previous == SeriesChange::kNew) continue;
    oldest[previous] = std::min(oldest[previous], change.arrival_of_row[row]);
    const GroupId group = change.draft.group_of_row[row];
    if (first_group[previous] == SeriesChange::kNew) first_group[previous] = group;
    // Newcomers alone can make a part of their own: then the box of the others changes.
    if (first_group[previous] != group || !std::ranges::equal(change.draft.box(group), change.previous_box(previous)))
      is_divided[previous] = true;
  }
  std::vector<std::uint32_t> wanted(change.draft.group_count(), SeriesChange::kNew);  // the arrival to look for
  for (std::size_t row = 0; row < change.rows(); ++row) {
    const std::uint32_t previous = change.previous_of_row[row];
    if (previous == SeriesChange::kNew || !is_divided[previous]) continue;
    std::uint32_t& arrival = wanted[change.draft.group_of_row[row]];
    arrival = std::min(arrival, oldest[previous]);
  }
  std::vector<std::uint64_t> there(wanted.size(), 0);
  for (std::size_t row = 0; row < change.rows(); ++row) {
    const GroupId group = change.draft.group_of_row[row];
    if (wanted[group] != SeriesChange::kNew && change.arrival_of_row[row] <= wanted[group] &&
        change.is_withdrawn[row] == 0)
      ++there[group];
  }
  for (std::size_t g = 0; g < wanted.size(); ++g) {
    if (wanted[g] != SeriesChange::kNew && there[g] < k) {
      return fmt::format(
          "a refined group has {} people of an earlier release, {} are required where arrivals are hidden", there[g],
          k);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> FindViolationOfChange(const SeriesChange& change, std::uint64_t k, bool hides_arrivals) {
  if (auto found = FindMalformedChange(change)) return found;
  if (auto found = FindUnnested(change)) return found;
  if (auto found = FindSmallClass(change, k)) return found;
  if (hides_arrivals) return FindShownArrival(change, k);
  return std::nullopt;
}

}  // namespace pentimento
