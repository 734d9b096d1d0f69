#include "guarantee/xy/normal_form.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel_sort.h"

namespace pentimento {
namespace {

constexpr std::uint32_t kNoX = std::numeric_limits<std::uint32_t>::max();

void SortRows(std::vector<JoinRow>& rows) {
  ParallelSort(rows.begin(), rows.end(), [](const JoinRow& a, const JoinRow& b) {
    const std::uint64_t left = (std::uint64_t{a.x} << 32) | a.y, right = (std::uint64_t{b.x} << 32) | b.y;
    if (left != right) return left < right;
    return a.j != b.j ? a.j < b.j : a.source < b.source;
  });
}

// Calls body(rows) for each run of rows that `same` holds to be alike.
template <typename Same, typename Body>
void ForEachRun(std::span<const JoinRow> rows, const Same& same, const Body& body) {
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    while (end < rows.size() && same(rows[begin], rows[end])) ++end;
    body(rows.subspan(begin, end - begin));
  }
}

bool SameX(const JoinRow& a, const JoinRow& b) { return a.x == b.x; }
bool SameXy(const JoinRow& a, const JoinRow& b) { return a.x == b.x && a.y == b.y; }

bool HasOneJoinValue(std::span<const JoinRow> rows) {
  return std::ranges::all_of(rows, [&](const JoinRow& row) { return row.j == rows[0].j; });
}

using Rows = std::span<const JoinRow>;

// The values of one x, those at the same join values side by side. The order is that of join values and numbers, so it
// does not depend on threads.
std::vector<Rows> ValuesByJoinValues(Rows of_x) {
  std::vector<Rows> values;
  ForEachRun(of_x, SameXy, [&](Rows rows) { values.push_back(rows); });
  const auto less_j = [](const JoinRow& a, const JoinRow& b) { return a.j < b.j; };
  if (HasOneJoinValue(of_x)) return values;
  std::ranges::stable_sort(values, [&](Rows a, Rows b) { return std::ranges::lexicographical_compare(a, b, less_j); });
  return values;
}

bool AtSameJoinValues(Rows a, Rows b) {
  return std::ranges::equal(a, b, [](const JoinRow& left, const JoinRow& right) { return left.j == right.j; });
}

void MergeValuesOnY(Relation& relation) {
  const auto same_row = [](const JoinRow& a, const JoinRow& b) { return SameXy(a, b) && a.j == b.j; };
  relation.rows.erase(std::ranges::unique(relation.rows, same_row).begin(), relation.rows.end());
  std::vector<JoinRow> merged;
  std::vector<WideCount> values_of_y;
  std::uint32_t x_count = 0;
  ForEachRun(relation.rows, SameX, [&](Rows of_x) {
    const std::vector<Rows> values = ValuesByJoinValues(of_x);
    for (std::size_t v = 0; v < values.size(); ++v) {
      const WideCount count = relation.values(values[v][0].y);
      if (v > 0 && AtSameJoinValues(values[v - 1], values[v])) {
        values_of_y.back() = AddCounts(values_of_y.back(), count);
        continue;
      }
      values_of_y.push_back(count);
      for (const JoinRow& row : values[v])
        merged.push_back({x_count, row.j, static_cast<std::uint32_t>(values_of_y.size() - 1), row.source});
    }
    ++x_count;
  });
  relation.rows = std::move(merged);
  relation.x_count = x_count;
  relation.y_count = static_cast<std::uint32_t>(values_of_y.size());
  relation.values_of_y = std::move(values_of_y);
}

// Rows with equal x, y and j become one row with a source of its own.
void MergeEqualRows(Relation& relation) {
  Relation merged;
  const std::size_t width = relation.releases.size();
  const auto same = [](const JoinRow& a, const JoinRow& b) { return SameXy(a, b) && a.j == b.j; };
  ForEachRun(relation.rows, same, [&](Rows rows) {
    WideCount weight = 0;
    for (const JoinRow& row : rows) weight = AddCounts(weight, relation.weight[row.source]);
    JoinRow row = rows[0];
    const auto example = std::span(relation.example).subspan(row.source * width, width);
    merged.example.insert(merged.example.end(), example.begin(), example.end());
    row.source = static_cast<std::uint32_t>(merged.weight.size());
    merged.weight.push_back(weight);
    merged.rows.push_back(row);
  });
  relation.rows = std::move(merged.rows);
  relation.weight = std::move(merged.weight);
  relation.example = std::move(merged.example);
}

// Of all x with one join value, and the same one, keeps the first of the worst: badness(rows of x) is greater.
template <typename Badness>
void KeepWorst(Relation& relation, const Badness& badness) {
  std::vector<Rows> of_x;
  ForEachRun(relation.rows, SameX, [&](Rows rows) { of_x.push_back(rows); });
  std::vector<std::uint32_t> worst(relation.join_count, kNoX);
  std::vector<WideFraction> badness_of(relation.join_count);
  std::vector<bool> has_one(of_x.size());
  for (std::uint32_t x = 0; x < of_x.size(); ++x) {
    has_one[x] = HasOneJoinValue(of_x[x]);
    if (!has_one[x]) continue;
    const std::uint32_t j = of_x[x][0].j;
    const WideFraction bad = badness(of_x[x]);
    if (worst[j] != kNoX && bad <= badness_of[j]) continue;
    worst[j] = x;
    badness_of[j] = bad;
  }
  std::vector<JoinRow> kept;
  std::uint32_t x_count = 0;
  for (std::uint32_t x = 0; x < of_x.size(); ++x) {
    if (has_one[x] && worst[of_x[x][0].j] != x) continue;
    for (JoinRow row : of_x[x]) {
      row.x = x_count;
      kept.push_back(row);
    }
    ++x_count;
  }
  relation.rows = std::move(kept);
  relation.x_count = x_count;
}

// The greatest share that one value on Y has in the records of an x with one join value.
WideFraction GreatestShare(const Relation& relation, Rows of_x) {
  WideCount all = 0;
  WideCount most = 0;
  for (const JoinRow& row : of_x) {
    const WideCount weight = relation.weight[row.source];
    all = AddCounts(all, weight);
    if (!relation.ignores_first_y || row.y > 0) most = std::max(most, weight / relation.values(row.y));
  }
  // What cannot be counted must not be lost sight of.
  return all == kUncountable ? WideFraction{kUncountable, 1} : WideFraction{most, all};
}

}  // namespace

void PrepareForAnonymity(Relation& relation, CountingPath path) {
  SortRows(relation.rows);
  MergeValuesOnY(relation);
  if (path == CountingPath::kEverything) return;
  // With one join value all values on Y are one number.
  KeepWorst(relation, [&](Rows of_x) { return WideFraction{1, relation.values(of_x[0].y)}; });
}

void PrepareForLinkability(Relation& relation, CountingPath path) {
  SortRows(relation.rows);
  MergeEqualRows(relation);
  if (path == CountingPath::kEverything) return;
  // Where listed values are combinations of columns here and elsewhere, no x is the worst whatever it meets.
  if (!relation.listed_of_y.empty()) return;
  KeepWorst(relation, [&](Rows of_x) { return relation.has_y ? GreatestShare(relation, of_x) : WideFraction{}; });
}

}  // namespace pentimento
