#include "guarantee/global/group_codes.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <type_traits>

#include "base/parallel.h"

namespace pentimento {
namespace {

constexpr std::size_t kGroupsPerTask = 4096;
constexpr std::size_t kRowsAhead = 32;

}  // namespace

GroupCodes::GroupCodes(const EncodedTable& table, std::span<const Domain> domains, CategoryForm form,
                       const Classes& draft)
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
      for (std::size_t c = 0; c < columns(); ++c) CloseCell(static_cast<ClassNumber>(group), c);
  });
}

// Notes the codes of the rows as bits, or the runs that they are in.
void GroupCodes::FillColumn(const CodeColumn& codes, std::size_t column) {
  // Side by side, because rows come in any order of groups and each needs all of it.
  struct Cell {
    std::uint64_t mask = 0;
    Code first = 0;
    unsigned shift = 0;
  };
  std::vector<Cell> cells(groups());
  std::vector<std::uint8_t> is_open(groups());  // whether rows tell anything: not where all have the same code
  std::size_t open = 0;
  for (ClassNumber group = 0; group < groups(); ++group) {
    const Interval box = Box(group, column);
    cells[group] = {0, box.lo, ShiftOf(box)};
    is_open[group] = IsCutAsInterval(box, column) ? 0 : 1;
    open += is_open[group];
  }
  const auto fill = [&](auto code_of_row, auto passes_over) {
    for (std::size_t row = 0; row < code_of_row.size(); ++row) {
      const ClassNumber group = draft_.of_row[row];
      if (decltype(passes_over)::value && is_open[group] == 0) [[likely]]
        continue;
      if (!decltype(passes_over)::value && row + kRowsAhead < code_of_row.size())
        __builtin_prefetch(&cells[draft_.of_row[row + kRowsAhead]], 1);
      cells[group].mask |= std::uint64_t{1} << ((code_of_row[row] - cells[group].first) >> cells[group].shift);
    }
  };
  // A branch pays off only where it nearly always goes the same way.
  const bool passes_over = open < groups() / 16;
  codes.Visit([&](auto code_of_row) {
    passes_over ? fill(code_of_row, std::true_type()) : fill(code_of_row, std::false_type());
  });
  for (ClassNumber group = 0; group < groups(); ++group) words_[At(group, column)] = cells[group].mask;
}

bool GroupCodes::ListCodes(const EncodedTable& table, std::span<const ClassNumber> listed) {
  std::vector<std::size_t> large;
  for (std::size_t c = 0; c < columns(); ++c)
    if (std::ranges::any_of(listed, [&](ClassNumber group) { return IsLarge(Box(group, c), c); })) large.push_back(c);
  if (large.empty()) return false;
  is_listed_.assign(groups(), 0);
  for (const ClassNumber group : listed) is_listed_[group] = 1;
  const std::vector<MemberRow> rows = RowsOfListed();
  TaskGroup tasks;
  for (const std::size_t c : large)
    tasks.Run([&table, &rows, this, c] { ListColumn(table.quasi_identifiers[c], c, rows); });
  tasks.Wait();
  for (const ClassNumber group : listed)
    for (const std::size_t c : large) CloseCell(group, c);
  return true;
}

// Group after group. Parts of the rows are looked at side by side; few of them are wanted as a rule.
std::vector<GroupCodes::MemberRow> GroupCodes::RowsOfListed() const {
  const std::size_t rows = draft_.of_row.size();
  std::vector<std::vector<MemberRow>> parts((rows + kRowsPerTask - 1) / kRowsPerTask);
  ParallelFor(parts.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t part = begin; part < end; ++part) {
      for (std::size_t row = part * kRowsPerTask; row < std::min(rows, (part + 1) * kRowsPerTask); ++row) {
        const ClassNumber group = draft_.of_row[row];
        if (is_listed_[group] != 0) parts[part].push_back({group, static_cast<std::uint32_t>(row)});
      }
    }
  });
  std::vector<std::uint32_t> next(groups() + 1);
  for (const std::vector<MemberRow>& part : parts)
    for (const MemberRow& member : part) ++next[member.group + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<MemberRow> all(next.back());
  for (const std::vector<MemberRow>& part : parts)
    for (const MemberRow& member : part) all[next[member.group]++] = member;
  return all;
}

void GroupCodes::ListColumn(const CodeColumn& codes, std::size_t column, std::span<const MemberRow> rows) {
  std::vector<Code>& list = lists_[column];
  for (std::size_t i = 0; i < rows.size();) {
    const ClassNumber group = rows[i].group;
    const auto first = static_cast<std::ptrdiff_t>(list.size());
    const bool is_wanted = IsLarge(Box(group, column), column);
    for (; i < rows.size() && rows[i].group == group; ++i)
      if (is_wanted) list.push_back(codes[rows[i].row]);
    if (!is_wanted) continue;
    std::sort(list.begin() + first, list.end());
    list.erase(std::unique(list.begin() + first, list.end()), list.end());
    words_[At(group, column)] =
        static_cast<std::uint64_t>(first) << 32 | (list.size() - static_cast<std::size_t>(first));
  }
}

void GroupCodes::CloseCell(ClassNumber group, std::size_t column) {
  const Interval box = Box(group, column);
  std::uint64_t& word = words_[At(group, column)];
  if (box.lo == box.hi) {
    word = 1;
    return;
  }
  Interval& range = ranges_[At(group, column)];
  if (IsListed(group, box, column)) {
    const std::span<const Code> list = List(word, column);
    // A group without rows fits nowhere; it is taken to have one, which joins no less.
    range = list.empty() ? Interval{box.lo, box.lo} : Interval{list.front(), list.back()};
  } else if (box.size() <= kMaskBits || IsLarge(box, column)) {
    if (IsCutAsInterval(box, column)) word = MaskOf(0, box.hi - box.lo);
    if (word == 0) word = 1;
    const unsigned shift = ShiftOf(box);
    const auto lowest = static_cast<Code>(std::countr_zero(word));
    const auto past_highest = std::uint64_t{64} - static_cast<unsigned>(std::countl_zero(word));
    range = {box.lo + (lowest << shift),
             static_cast<Code>(std::min<std::uint64_t>(box.hi, box.lo + (past_highest << shift) - 1))};
  }
}

std::uint64_t GroupCodes::MaskOfLarge(ClassNumber group, std::size_t column, Code first) const {
  const Interval box = Box(group, column);
  if (!IsListed(group, box, column)) {
    const Interval range = Range(group, column);
    return MaskOf(range.lo - first, range.hi - first);
  }
  std::uint64_t mask = 0;
  for (const Code code : List(words_[At(group, column)], column)) mask |= std::uint64_t{1} << (code - first);
  // An empty list: see CloseCell.
  return mask == 0 ? std::uint64_t{1} << (box.lo - first) : mask;
}

bool GroupCodes::HasCodeIn(ClassNumber group, std::size_t column, Interval codes) const {
  const Interval range = Range(group, column);
  if (!range.Intersects(codes)) return false;
  if (codes.Contains(range.lo) || codes.Contains(range.hi)) return true;
  // The codes lie within the range now, and so within the box.
  const Interval box = Box(group, column);
  const std::uint64_t word = words_[At(group, column)];
  if (IsListed(group, box, column)) {
    const std::span<const Code> list = List(word, column);
    const auto at = std::ranges::lower_bound(list, codes.lo);
    return at != list.end() && *at <= codes.hi;
  }
  if (box.size() > kMaskBits && !IsLarge(box, column)) return true;
  const unsigned shift = ShiftOf(box);
  return (word & MaskOf((codes.lo - box.lo) >> shift, (codes.hi - box.lo) >> shift)) != 0;
}

}  // namespace pentimento
