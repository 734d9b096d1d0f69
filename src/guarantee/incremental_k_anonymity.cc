#include "guarantee/incremental_k_anonymity.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "base/interval.h"
#include "base/large_pages.h"
#include "base/parallel.h"
#include "guarantee/box_classes.h"
#include "guarantee/smallest_index.h"

namespace pentimento {
namespace {

bool Nests(std::span<const Interval> inner, std::span<const Interval> outer) {
  return std::ranges::equal(inner, outer, [](Interval in, Interval out) { return out.Contains(in); });
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

std::optional<std::string> FindMalformedChange(const SeriesChange& change, bool hides_arrivals) {
  const std::size_t rows = change.rows();
  if (change.draft.group_of_row.size() != rows || change.previous_of_row.size() != rows ||
      change.is_withdrawn.size() != rows || (hides_arrivals && change.arrival_of_row.size() != rows)) {
    return "the change has not one group, one earlier box, one state and one arrival for every case";
  }
  if (change.staying_in_group.size() != change.draft.group_count())
    return fmt::format("{} groups, but {} counts of who is in them already", change.draft.group_count(),
                       change.staying_in_group.size());
  if (change.draft.columns > 0 && change.staying_in_previous.size() != change.previous_count())
    return fmt::format("{} earlier boxes, but {} counts of who keeps them", change.previous_count(),
                       change.staying_in_previous.size());
  bool is_some_twice = false;
  TaskGroup aside;
  aside.Run([&] { is_some_twice = SomeCaseTwice(change.case_of_row); });
  const std::size_t groups = change.draft.group_count();
  const auto lost = FindRow(rows, [&](std::size_t row) {
    const std::uint32_t previous = change.previous_of_row[row];
    return change.draft.group_of_row[row] >= groups ||
           (previous != SeriesChange::kNew && previous >= change.staying_in_previous.size());
  });
  aside.Wait();
  if (lost) return fmt::format("row {} of the change has a group or an earlier box that is not there", *lost + 1);
  if (is_some_twice) return "a case stands twice in the change";
  return std::nullopt;
}

std::optional<std::string> FindUnnested(const SeriesChange& change) {
  const auto unnested = FindRow(change.rows(), [&](std::size_t row) {
    const std::uint32_t previous = change.previous_of_row[row];
    return previous != SeriesChange::kNew && !change.IsLikeTheRowAbove(row) &&
           !Nests(change.draft.box(change.draft.group_of_row[row]), change.previous_box(previous));
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

void CountRows(const SeriesChange& change, GroupCounts& counts) {
  counts.rows.resize(change.draft.group_count());
  counts.withdrawn.resize(change.draft.group_count());
  for (std::size_t row = 0; row < change.rows(); ++row) {
    const GroupId group = change.draft.group_of_row[row];
    ++counts.rows[group];
    if (change.is_withdrawn[row] != 0) ++counts.withdrawn[group];
  }
}

void FindOldGroups(const SeriesChange& change, std::vector<bool>& is_old) {
  is_old.resize(change.draft.group_count());
  for (std::size_t row = 0; row < change.rows(); ++row) {
    const std::uint32_t previous = change.previous_of_row[row];
    const GroupId group = change.draft.group_of_row[row];
    if (previous == SeriesChange::kNew || is_old[group] || change.IsLikeTheRowAbove(row)) continue;
    if (std::ranges::equal(change.draft.box(group), change.previous_box(previous))) is_old[group] = true;
  }
}

std::vector<ClassCount> CountClasses(const SeriesChange& change) {
  GroupCounts groups;
  TaskGroup aside;
  aside.Run([&] { CountRows(change, groups); });
  aside.Run([&] { FindOldGroups(change, groups.is_old); });
  const std::vector<ClassId> class_of_group = ClassOfGroup(change.draft);
  aside.Wait();
  std::vector<ClassCount> counts;
  ResizeInLargePages(counts, class_of_group.empty() ? 0 : std::size_t{*std::ranges::max_element(class_of_group)} + 1);
  for (std::size_t g = 0; g < class_of_group.size(); ++g) {
    ClassCount& count = counts[class_of_group[g]];
    count.rows += groups.rows[g];
    count.living += groups.rows[g] - groups.withdrawn[g];
    count.staying = std::max(count.staying, change.staying_in_group[g]);
    count.is_old = count.is_old || groups.is_old[g] || change.staying_in_group[g] > 0;
  }
  return counts;
}

std::optional<std::string> FindSmallClass(const SeriesChange& change, std::uint64_t k) {
  for (const ClassCount& count : CountClasses(change)) {
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
class ArrivalCheck {
 public:
  explicit ArrivalCheck(const SeriesChange& change) : change_(change), class_of_group_(ClassOfGroup(change.draft)) {}

  std::optional<std::string> Run(std::uint64_t k) {
    LookAtPreviousBoxes();
    const std::vector<std::uint32_t> wanted = ArrivalsToLookFor();
    std::vector<std::uint64_t> there(wanted.size(), 0);
    for (std::size_t row = 0; row < change_.rows(); ++row) {
      const ClassId c = ClassOfRow(row);
      const bool counts =
          wanted[c] != kNobody && change_.arrival_of_row[row] <= wanted[c] && change_.is_withdrawn[row] == 0;
      there[c] += counts ? 1 : 0;
    }
    for (std::size_t c = 0; c < wanted.size(); ++c) {
      if (wanted[c] == kNobody || there[c] >= k) continue;
      return fmt::format(
          "a refined class has {} people of an earlier release, {} are required where arrivals are hidden", there[c],
          k);
    }
    return std::nullopt;
  }

 private:
  static constexpr std::uint32_t kNobody = SeriesChange::kNew;

  ClassId ClassOfRow(std::size_t row) const { return class_of_group_[change_.draft.group_of_row[row]]; }

  // Who came first into each of them, and whether its cases are told apart from now on.
  void LookAtPreviousBoxes() {
    oldest_.assign(change_.staying_in_previous.size(), kNobody);
    is_divided_.assign(oldest_.size(), false);
    for (std::size_t row = 0; row < change_.rows(); ++row) {
      const std::uint32_t previous = change_.previous_of_row[row];
      if (previous == SeriesChange::kNew) continue;
      oldest_[previous] = std::min(oldest_[previous], change_.arrival_of_row[row]);
      const auto box = change_.draft.box(change_.draft.group_of_row[row]);
      if (!std::ranges::equal(box, change_.previous_box(previous))) is_divided_[previous] = true;
    }
  }

  // By class; kNobody where nobody was told apart from others.
  std::vector<std::uint32_t> ArrivalsToLookFor() const {
    std::vector<std::uint32_t> wanted(
        class_of_group_.empty() ? 0 : std::size_t{*std::ranges::max_element(class_of_group_)} + 1, kNobody);
    for (std::size_t row = 0; row < change_.rows(); ++row) {
      const std::uint32_t previous = change_.previous_of_row[row];
      if (previous == SeriesChange::kNew || !is_divided_[previous]) continue;
      std::uint32_t& arrival = wanted[ClassOfRow(row)];
      arrival = std::min(arrival, oldest_[previous]);
    }
    return wanted;
  }

  const SeriesChange& change_;
  std::vector<ClassId> class_of_group_;
  std::vector<std::uint32_t> oldest_;  // by previous box
  std::vector<bool> is_divided_;       // by previous box
};

}  // namespace

std::optional<std::string> FindViolationOfChange(const SeriesChange& change, std::uint64_t k, bool hides_arrivals) {
  if (auto found = FindMalformedChange(change, hides_arrivals)) return found;
  if (auto found = FindUnnested(change)) return found;
  if (auto found = FindSmallClass(change, k)) return found;
  if (hides_arrivals) return ArrivalCheck(change).Run(k);
  return std::nullopt;
}

}  // namespace pentimento
