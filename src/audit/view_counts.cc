#include "audit/view_counts.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace pentimento {
namespace {

// What the values on X that a record meets have in common.
namespace met {
constexpr std::uint8_t kSomething = 1, kBelow = 2, kKept = 4, kAbove = 8, kWithin = 16;
}  // namespace met

void CountRecords(std::uint8_t flags, WideCount weight, ViewRecords& counts) {
  const auto records = static_cast<std::uint64_t>(weight);
  const auto has = [&](std::uint8_t flag) { return (flags & flag) != 0 ? records : 0; };
  counts.records += records;
  counts.outside += records - has(met::kSomething);
  counts.below_k_in_some += has(met::kBelow);
  counts.above_alpha_in_some += has(met::kAbove);
  counts.below_k_in_every += has(met::kSomething) - has(met::kKept);
  counts.above_alpha_in_every += has(met::kSomething) - has(met::kWithin);
}

// Of one pair of values on X that meet.
struct ViewCell {
  WideCount values = 0;     // on Y; 0: they do not meet
  WideCount rows = 0;       // of the join
  WideCount most = 0;       // with one value on Y
  std::uint32_t one_y = 0;  // that one
  std::uint32_t others_y = 0;
  std::uint8_t flags = 0;

  // Values that one number stands for are in the same rows equally often.
  void Add(WideCount with_y, WideCount values_of_y, std::uint32_t y_of_one, std::uint32_t y_of_others) {
    values = AddCounts(values, values_of_y);
    rows += with_y;
    if (with_y / values_of_y <= most) return;
    most = with_y / values_of_y;
    one_y = y_of_one;
    others_y = y_of_others;
  }
};

// The extremes over the cells, and what each says of the records that meet there.
struct ViewExtremes {
  std::optional<ViewCounts::Least> least;
  std::optional<ViewCounts::Greatest> greatest;

  std::uint8_t Offer(const ViewCell& cell, std::uint32_t one_x, std::uint32_t others_x, const ViewBars& bars) {
    const WideFraction share{cell.most, cell.rows};
    OfferLeast({cell.values, {.one_x = one_x, .others_x = others_x}});
    OfferGreatest({share, {.one_x = one_x, .others_x = others_x, .one_y = cell.one_y, .others_y = cell.others_y}});
    const bool is_above = share > WideFraction{bars.alpha.num, bars.alpha.den};
    return static_cast<std::uint8_t>(met::kSomething | (cell.values < bars.k ? met::kBelow : met::kKept) |
                                     (is_above ? met::kAbove : met::kWithin));
  }
  void OfferLeast(const ViewCounts::Least& other) {
    if (!least || other.values < least->values) least = other;
  }
  void OfferGreatest(const ViewCounts::Greatest& other) {
    if (!greatest || other.share > greatest->share) greatest = other;
  }
};

// What one task has counted.
struct ViewTask {
  bool was_too_much = false;
  ViewExtremes extremes;
  ViewRecords left;
  std::vector<std::uint8_t> flags_of_right;  // by source

  void Add(const ViewTask& other) {
    was_too_much = was_too_much || other.was_too_much;
    if (other.extremes.least) extremes.OfferLeast(*other.extremes.least);
    if (other.extremes.greatest) extremes.OfferGreatest(*other.extremes.greatest);
    left.records += other.left.records;
    left.outside += other.left.outside;
    left.below_k_in_some += other.left.below_k_in_some;
    left.below_k_in_every += other.left.below_k_in_every;
    left.above_alpha_in_some += other.left.above_alpha_in_some;
    left.above_alpha_in_every += other.left.above_alpha_in_every;
    flags_of_right.resize(std::max(flags_of_right.size(), other.flags_of_right.size()));
    for (std::size_t i = 0; i < other.flags_of_right.size(); ++i) flags_of_right[i] |= other.flags_of_right[i];
  }
};

// All values on X of the left side in turn, against all of the right side; then what that says of the records.
class ViewCounter {
 public:
  ViewCounter(const JoinSides& sides, const OtherSide& others, const ViewBars& bars, std::uint64_t work)
      : sides_(sides),
        others_(others),
        bars_(bars),
        work_(work),
        with_both_(others.pairs().size()),
        cell_of_(sides.others.x_count),
        flags_of_j_(sides.one.join_count) {
    task_.flags_of_right.resize(sides.others.weight.size());
  }

  ViewTask Count(std::span<const JoinRow> rows) {
    for (std::size_t begin = 0, end = 0; begin < rows.size() && !task_.was_too_much; begin = end) {
      while (end < rows.size() && rows[end].x == rows[begin].x) ++end;
      CountOneX(rows.subspan(begin, end - begin));
    }
    return std::move(task_);
  }

 private:
  void CountOneX(std::span<const JoinRow> rows) {
    for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
      while (end < rows.size() && rows[end].y == rows[begin].y) ++end;
      AddValueOnY(rows.subspan(begin, end - begin));
      if (task_.was_too_much) return;
    }
    for (const std::uint32_t x : met_) cell_of_[x].flags = task_.extremes.Offer(cell_of_[x], rows[0].x, x, bars_);
    for (const JoinRow& row : rows) FlagRecords(row);
    for (const JoinRow& row : rows) flags_of_j_[row.j] = 0;
    for (const std::uint32_t x : met_) cell_of_[x] = {};
    met_.clear();
  }

  // The rows have one value on X and one on Y.
  void AddValueOnY(std::span<const JoinRow> rows) {
    for (const JoinRow& row : rows) {
      if (task_.was_too_much) return;
      const WideCount own = sides_.one.weight[row.source];
      others_.ForEachMatch(row.j, [&](std::uint32_t pair, std::uint32_t source) {
        if (with_both_[pair] == 0) met_pairs_.push_back(pair);
        with_both_[pair] += own * sides_.others.weight[source];
        TakeWork();
      });
    }
    for (const std::uint32_t pair : met_pairs_) {
      const auto [x, y] = others_.pairs()[pair];
      if (cell_of_[x].values == 0) met_.push_back(x);
      const WideCount values = MultiplyCounts(sides_.one.values(rows[0].y), sides_.others.values(y));
      cell_of_[x].Add(with_both_[pair], values, rows[0].y, y);
      with_both_[pair] = 0;
    }
    met_pairs_.clear();
  }

  // Which values on X of the right side a record meets depends on its join value alone.
  void FlagRecords(const JoinRow& row) {
    std::uint8_t& flags = flags_of_j_[row.j];
    if (flags == 0) {
      others_.ForEachMatch(row.j, [&](std::uint32_t pair, std::uint32_t source) {
        const std::uint8_t met = cell_of_[others_.pairs()[pair].x].flags;
        flags |= met;
        task_.flags_of_right[source] |= met;
        TakeWork();
      });
    }
    CountRecords(flags, sides_.one.weight[row.source], task_.left);
  }

  void TakeWork() {
    task_.was_too_much = task_.was_too_much || work_ == 0;
    work_ -= work_ > 0 ? 1 : 0;
  }

  const JoinSides& sides_;
  const OtherSide& others_;
  const ViewBars& bars_;
  std::uint64_t work_;
  std::vector<WideCount> with_both_;  // by pair of the other side: rows of the join with the x and the y at hand
  std::vector<ViewCell> cell_of_;     // by x of the other side, with the x at hand
  std::vector<std::uint8_t> flags_of_j_;
  std::vector<std::uint32_t> met_pairs_;
  std::vector<std::uint32_t> met_;
  ViewTask task_;
};

// One join value for each value on X: then what such a value meets on its own side is in each join the same share, and
// as many values.
bool HasOneJoinValuePerX(const Relation& side) {
  const std::vector<JoinRow>& rows = side.rows;
  for (std::size_t row = 1; row < rows.size(); ++row) {
    if (rows[row].x == rows[row - 1].x && rows[row].j != rows[row - 1].j) return false;
  }
  return true;
}

std::vector<ViewCell> CellsOfSide(const Relation& side, bool is_left) {
  std::vector<ViewCell> cells(side.x_count);
  const std::vector<JoinRow>& rows = side.rows;
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    WideCount weight = 0;
    for (; end < rows.size() && rows[end].x == rows[begin].x && rows[end].y == rows[begin].y; ++end)
      weight += side.weight[rows[end].source];
    const std::uint32_t y = rows[begin].y;
    cells[rows[begin].x].Add(weight, side.values(y), is_left ? y : 0, is_left ? 0 : y);
  }
  return cells;
}

// Y is on the left alone, where every value on X has one join value: what it meets depends on nothing else.
ViewCounts CountByLeft(const JoinSides& sides, const OtherSide& others, const ViewBars& bars) {
  std::vector<ViewCell> cells = CellsOfSide(sides.one, true);
  std::vector<std::optional<std::uint32_t>> first_met(sides.one.join_count);  // an x of the right side
  for (std::uint32_t j = 0; j < sides.one.join_count; ++j) {
    others.ForEachMatch(j, [&](std::uint32_t pair, std::uint32_t) {
      if (!first_met[j]) first_met[j] = others.pairs()[pair].x;
    });
  }
  ViewCounts counts;
  ViewExtremes extremes;
  std::vector<std::uint8_t> flags_of_j(sides.one.join_count);
  for (const JoinRow& row : sides.one.rows) {
    ViewCell& cell = cells[row.x];
    if (first_met[row.j] && cell.flags == 0) cell.flags = extremes.Offer(cell, row.x, *first_met[row.j], bars);
    flags_of_j[row.j] |= cell.flags;
    CountRecords(cell.flags, sides.one.weight[row.source], counts.left);
  }
  std::vector<std::uint8_t> flags_of_right(sides.others.weight.size());
  for (std::uint32_t j = 0; j < sides.one.join_count; ++j)
    others.ForEachMatch(j, [&](std::uint32_t, std::uint32_t source) { flags_of_right[source] |= flags_of_j[j]; });
  for (std::size_t source = 0; source < flags_of_right.size(); ++source)
    CountRecords(flags_of_right[source], sides.others.weight[source], counts.right);
  counts.least = extremes.least;
  counts.greatest = extremes.greatest;
  return counts;
}

// The same where Y is on the right alone.
ViewCounts CountByRight(const JoinSides& sides, const OtherSide& others, const ViewBars& bars) {
  std::vector<ViewCell> cells = CellsOfSide(sides.others, false);
  std::vector<std::uint32_t> x_of_j(sides.one.join_count);  // an x of the left side that has it
  for (const JoinRow& row : sides.one.rows) x_of_j[row.j] = row.x;
  ViewCounts counts;
  ViewExtremes extremes;
  std::vector<std::uint8_t> flags_of_j(sides.one.join_count);
  std::vector<std::uint8_t> flags_of_right(sides.others.weight.size());
  for (std::uint32_t j = 0; j < sides.one.join_count; ++j) {
    others.ForEachMatch(j, [&](std::uint32_t pair, std::uint32_t source) {
      const std::uint32_t x = others.pairs()[pair].x;
      if (cells[x].flags == 0) cells[x].flags = extremes.Offer(cells[x], x_of_j[j], x, bars);
      flags_of_j[j] |= cells[x].flags;
      flags_of_right[source] |= cells[x].flags;
    });
  }
  for (const JoinRow& row : sides.one.rows) CountRecords(flags_of_j[row.j], sides.one.weight[row.source], counts.left);
  for (std::size_t source = 0; source < flags_of_right.size(); ++source)
    CountRecords(flags_of_right[source], sides.others.weight[source], counts.right);
  counts.least = extremes.least;
  counts.greatest = extremes.greatest;
  return counts;
}

}  // namespace

ViewCounts CountViews(const JoinSides& sides, const ViewBars& bars, std::uint64_t work) {
  const OtherSide others(sides);
  if (!sides.others.has_y && HasOneJoinValuePerX(sides.one)) return CountByLeft(sides, others, bars);
  if (!sides.one.has_y && HasOneJoinValuePerX(sides.others)) return CountByRight(sides, others, bars);
  ViewTask all;
  for (const ViewTask& task : CountInTasks<ViewTask>(sides.one.rows, [&](std::span<const JoinRow> rows) {
         return ViewCounter(sides, others, bars, work / kMostCountingTasks).Count(rows);
       })) {
    all.Add(task);
  }
  ViewCounts counts;
  counts.was_too_much = all.was_too_much;
  counts.least = all.extremes.least;
  counts.greatest = all.extremes.greatest;
  counts.left = all.left;
  for (std::size_t source = 0; source < sides.others.weight.size(); ++source)
    CountRecords(all.flags_of_right[source], sides.others.weight[source], counts.right);
  return counts;
}

}  // namespace pentimento
