#include "guarantee/global/member_codes.h"

#include <algorithm>
#include <functional>

#include "base/parallel.h"

namespace pentimento {
namespace {

constexpr std::size_t kGroupsPerTask = 4096;

}  // namespace

MemberCodes::MemberCodes(const EncodedTable& table, std::span<const Domain> domains, CategoryForm form,
                         const Draft& draft)
    : draft_(draft), ranges_(draft.boxes), words_(draft.boxes.size()), lists_(draft.columns) {
  for (const Domain& domain : domains) {
    // Of two values there is nothing between the ends.
    is_interval_.push_back(domain.is_numeric() || form == CategoryForm::kSets || domain.value_count() <= 2);
    value_count_.push_back(domain.value_count());
  }
  // Columns side by side: each has words of its own, and those of one column stay in the cache.
  // The largest domains first, which take the longest.
  std::vector<std::size_t> order;
  for (std::size_t c = 0; c < columns(); ++c)
    if (!is_interval_[c] || domains[c].missing_code()) order.push_back(c);
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t c) { return value_count_[c]; });
  TaskGroup tasks;
  for (const std::size_t c : order) tasks.Run([&table, this, c] { FillColumn(table.quasi_identifiers[c], c); });
  tasks.Wait();
  ParallelFor(groups(), kGroupsPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t group = begin; group < end; ++group)
      for (std::size_t c = 0; c < columns(); ++c) CloseCell(static_cast<GroupId>(group), c);
  });
}

// Notes the codes of the rows, in boxes of up to 64 codes as bits.
void MemberCodes::FillColumn(const CodeColumn& codes, std::size_t column) {
  // Side by side, because rows come in any order of groups and each needs both.
  struct Cell {
    std::uint64_t mask = 0;
    Code first = 0;
  };
  std::vector<Cell> cells(groups());
  bool has_lists = false;
  for (GroupId group = 0; group < groups(); ++group) {
    cells[group].first = Box(group, column).lo;
    has_lists = has_lists || IsListed(Box(group, column), column);
  }
  codes.Visit([&](auto code_of_row) {
    for (std::size_t row = 0; row < code_of_row.size(); ++row) {
      Cell& cell = cells[draft_.group_of_row[row]];
      // Codes of larger boxes go round, and nobody looks at their bits.
      cell.mask |= std::uint64_t{1} << ((code_of_row[row] - cell.first) % kMaskBits);
    }
  });
  for (GroupId group = 0; group < groups(); ++group) words_[At(group, column)] = cells[group].mask;
  if (has_lists) ListCodes(codes, column);
}

void MemberCodes::ListCodes(const CodeColumn& codes, std::size_t column) {
  std::vector<std::uint32_t> end(groups() + 1);
  for (const GroupId group : draft_.group_of_row) ++end[group + 1];
  for (GroupId group = 0; group < groups(); ++group)
    end[group + 1] = end[group] + (IsListed(Box(group, column), column) ? end[group + 1] : 0);
  std::vector<Code>& list = lists_[column];
  list.resize(end[groups()]);
  std::vector<std::uint32_t> next(end);
  codes.Visit([&](auto code_of_row) {
    for (std::size_t row = 0; row < code_of_row.size(); ++row) {
      const GroupId group = draft_.group_of_row[row];
      if (end[group] != end[group + 1]) list[next[group]++] = code_of_row[row];
    }
  });
  ParallelFor(groups(), kGroupsPerTask, [&](std::size_t from, std::size_t to) {
    for (std::size_t group = from; group < to; ++group) {
      if (!IsListed(Box(static_cast<GroupId>(group), column), column)) continue;
      const auto begin = list.begin() + end[group];
      std::sort(begin, list.begin() + end[group + 1]);
      const auto unique = std::unique(begin, list.begin() + end[group + 1]) - begin;
      words_[At(static_cast<GroupId>(group), column)] =
          std::uint64_t{end[group]} << 32 | static_cast<std::uint64_t>(unique);
    }
  });
}

void MemberCodes::CloseCell(GroupId group, std::size_t column) {
  const Interval box = Box(group, column);
  std::uint64_t& word = words_[At(group, column)];
  Interval& range = ranges_[At(group, column)];
  if (IsListed(box, column)) {
    const std::span<const Code> list = List(word, column);
    // A group without rows fits nowhere; it is taken to have one, which joins no less.
    range = list.empty() ? Interval{box.lo, box.lo} : Interval{list.front(), list.back()};
  } else if (box.size() <= kMaskBits) {
    if (IsCutAsInterval(box, column)) word = MaskOf(0, box.hi - box.lo);
    if (word == 0) word = 1;
    range = {box.lo + static_cast<Code>(std::countr_zero(word)),
             box.lo + 63 - static_cast<Code>(std::countl_zero(word))};
  }
}

std::uint64_t MemberCodes::MaskOfList(GroupId group, std::size_t column, Code first) const {
  std::uint64_t mask = 0;
  for (const Code code : List(words_[At(group, column)], column)) mask |= std::uint64_t{1} << (code - first);
  // An empty list: see CloseCell.
  return mask == 0 ? std::uint64_t{1} << (Box(group, column).lo - first) : mask;
}

bool MemberCodes::HasCodeIn(GroupId group, std::size_t column, Interval codes) const {
  const Interval range = Range(group, column);
  if (!range.Intersects(codes)) return false;
  if (codes.Contains(range.lo) || codes.Contains(range.hi)) return true;
  // The codes lie within the range now, and so within the box.
  const Interval box = Box(group, column);
  const std::uint64_t word = words_[At(group, column)];
  if (box.size() <= kMaskBits) return (word & MaskOf(codes.lo - box.lo, codes.hi - box.lo)) != 0;
  if (!IsListed(box, column)) return true;
  const std::span<const Code> list = List(word, column);
  const auto at = std::ranges::lower_bound(list, codes.lo);
  return at != list.end() && *at <= codes.hi;
}

}  // namespace pentimento
