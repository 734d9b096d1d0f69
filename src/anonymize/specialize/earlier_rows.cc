#include "anonymize/specialize/earlier_rows.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "anonymize/specialize/earlier_join.h"
#include "anonymize/specialize/match_conditions.h"
#include "base/mix64.h"

namespace pentimento {
namespace {

using Cells = EarlierRows::Cells;

struct HashCells {
  std::size_t operator()(const Cells& cells) const {
    std::uint64_t hash = cells.size();
    for (const Interval cell : cells) hash = Mix64()(hash ^ (std::uint64_t{cell.lo} << 32 | cell.hi));
    return hash;
  }
};
using CountedRows = tsl::robin_map<Cells, JoinCount, HashCells>;

Cells Pick(const Cells& row, const std::vector<std::size_t>& places) {
  Cells picked;
  picked.reserve(places.size());
  for (const std::size_t place : places) picked.push_back(row[place]);
  return picked;
}

// Some rows of the join, with what their columns are.
struct Table {
  std::vector<ReleaseColumn> columns;
  CountedRows rows;

  std::size_t place(ReleaseColumn column) const {
    return static_cast<std::size_t>(std::ranges::find(columns, column) - columns.begin());
  }
};

class EarlierJoiner {
 public:
  EarlierJoiner(const XyReleases& releases, const JoinClaim& claim)
      : releases_(releases), claim_(claim), conditions_(ConditionsAmong(releases, claim.against)) {
    for (const ReleaseColumn column : claim.x) asked_.insert(column);
    for (const ReleaseColumn column : claim.y) asked_.insert(column);
    for (const LinkabilityTarget& target : claim.targets) asked_.insert(target.y.begin(), target.y.end());
  }

  EarlierRows Run() {
    Table joined;
    joined.rows[{}] = 1;
    for (const std::uint32_t release : claim_.against) {
      Table next = Collapse(release);
      KeepWorst(next);
      if (!Join(joined, next, release)) {
        result_.is_too_large = true;
        return std::move(result_);
      }
      KeepWorst(joined);
    }
    result_.columns = joined.columns;
    result_.rows.assign(joined.rows.begin(), joined.rows.end());
    std::ranges::sort(result_.rows, {}, &std::pair<Cells, JoinCount>::first);
    return std::move(result_);
  }

 private:
  // Of one release, the columns that are asked for or compared.
  Table Collapse(std::uint32_t release) {
    std::set<ReleaseColumn> wanted;
    for (const ReleaseColumn column : asked_) {
      if (column.release == release && column.column != ReleaseColumn::kWho) wanted.insert(column);
    }
    for (const MatchCondition& condition : conditions_) {
      for (const ReleaseColumn column : {condition.one, condition.other}) {
        if (column.release == release) wanted.insert(column);
      }
    }
    Table table{{wanted.begin(), wanted.end()}, {}};
    const EarlierRelease& from = releases_.earlier[release - 1];
    for (std::size_t row = 0; row < from.rows(); ++row) {
      Cells cells;
      for (const ReleaseColumn column : table.columns) cells.push_back(from.row(row)[column.column]);
      table.rows[std::move(cells)] += from.records[row];
    }
    if (asked_.contains({release, ReleaseColumn::kWho})) NumberRecords(release, table);
    return table;
  }

  void NumberRecords(std::uint32_t release, Table& table) {
    std::vector<std::pair<Cells, JoinCount>> rows(table.rows.begin(), table.rows.end());
    std::ranges::sort(rows, {}, &std::pair<Cells, JoinCount>::first);
    table.columns.push_back({release, ReleaseColumn::kWho});
    table.rows.clear();
    std::vector<JoinCount>& records = result_.records[release];
    for (auto& [cells, count] : rows) {
      const auto number = static_cast<Code>(records.size());
      cells.push_back({number, number});
      records.push_back(count);
      table.rows[std::move(cells)] = count;
    }
  }

  // Still to be compared with a release that is not joined yet; the new release never is.
  bool IsOpen(ReleaseColumn column) const {
    return std::ranges::any_of(conditions_, [&](const MatchCondition& condition) {
      if (condition.one != column && condition.other != column) return false;
      return !done_.contains(condition.one.release) || !done_.contains(condition.other.release);
    });
  }

  std::vector<std::size_t> PlacesToKeep(const Table& table) const {
    std::vector<std::size_t> places;
    for (std::size_t place = 0; place < table.columns.size(); ++place) {
      if (asked_.contains(table.columns[place]) || IsOpen(table.columns[place])) places.push_back(place);
    }
    return places;
  }

  // Rows by their value in some places, with what is kept of them, equal ones taken together.
  using RowsByValue = std::vector<std::pair<Cells, CountedRows>>;

  static RowsByValue GroupBy(const Table& table, const std::vector<std::size_t>& places,
                             const std::vector<std::size_t>& kept) {
    tsl::robin_map<Cells, std::size_t, HashCells> numbers;
    RowsByValue groups;
    for (const auto& [cells, count] : table.rows) {
      Cells value = Pick(cells, places);
      const auto [found, is_new] = numbers.try_emplace(value, groups.size());
      if (is_new) groups.push_back({std::move(value), {}});
      groups[found->second].second[Pick(cells, kept)] += count;
    }
    return groups;
  }

  // Adds the next release to the join. Values that are compared are compared once each, however many rows have them.
  bool Join(Table& joined, const Table& next, std::uint32_t release) {
    std::vector<const MatchCondition*> between;
    std::vector<std::size_t> left_places, right_places;
    for (const MatchCondition& condition : conditions_) {
      if (!done_.contains(condition.one.release) || condition.other.release != release) continue;
      between.push_back(&condition);
      left_places.push_back(joined.place(condition.one));
      right_places.push_back(next.place(condition.other));
    }
    done_.insert(release);
    const std::vector<std::size_t> left_kept = PlacesToKeep(joined), right_kept = PlacesToKeep(next);
    Table both;
    for (const std::size_t place : left_kept) both.columns.push_back(joined.columns[place]);
    for (const std::size_t place : right_kept) both.columns.push_back(next.columns[place]);
    const RowsByValue right_groups = GroupBy(next, right_places, right_kept);
    for (const auto& [left_value, left_rows] : GroupBy(joined, left_places, left_kept)) {
      for (const auto& [right_value, right_rows] : right_groups) {
        bool fits = true;
        for (std::size_t i = 0; fits && i < between.size(); ++i) fits = between[i]->Fits(left_value[i], right_value[i]);
        if (fits && !AddPairs(left_rows, right_rows, both.rows)) return false;
      }
    }
    joined = std::move(both);
    return true;
  }

  bool AddPairs(const CountedRows& left, const CountedRows& right, CountedRows& both) {
    pairs_ += left.size() * right.size();
    if (pairs_ > kMostEarlierPairs) return false;
    for (const auto& [left_cells, left_count] : left) {
      for (const auto& [right_cells, right_count] : right) {
        Cells cells = left_cells;
        cells.insert(cells.end(), right_cells.begin(), right_cells.end());
        both[std::move(cells)] += left_count * right_count;
      }
    }
    return both.size() <= kMostEarlierRows;
  }

  // Values on X that all their rows have at one and the same value of what is still to be compared meet the same things
  // later. For anonymity the one with the fewest values on Y is the worst of them; where nothing of these releases is
  // limited they are all alike. The others are left out.
  void KeepWorst(Table& table) const {
    const auto is_here = [](const LinkabilityTarget& target) { return target.IsHere(); };
    if (claim_.k == 0 && !std::ranges::all_of(claim_.targets, is_here)) return;
    std::vector<std::size_t> x_places, y_places, open_places;
    for (std::size_t place = 0; place < table.columns.size(); ++place) {
      const ReleaseColumn column = table.columns[place];
      if (std::ranges::find(claim_.x, column) != claim_.x.end()) x_places.push_back(place);
      if (std::ranges::find(claim_.y, column) != claim_.y.end()) y_places.push_back(place);
      if (IsOpen(column)) open_places.push_back(place);
    }
    if (x_places.empty()) return;
    struct Worst {
      std::size_t group = 0;
      JoinCount values = 0;
    };
    std::vector<std::size_t> all(table.columns.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    RowsByValue by_x = GroupBy(table, x_places, all);
    std::ranges::sort(by_x, {}, &std::pair<Cells, CountedRows>::first);
    tsl::robin_map<Cells, Worst, HashCells> worst;        // by value of what is still to be compared
    std::vector<std::optional<Cells>> open(by_x.size());  // that value, where a group has one
    for (std::size_t g = 0; g < by_x.size(); ++g) {
      const CountedRows& rows = by_x[g].second;
      const Cells first = Pick(rows.begin()->first, open_places);
      if (!std::ranges::all_of(rows, [&](const auto& row) { return Pick(row.first, open_places) == first; })) continue;
      open[g] = first;
      const JoinCount values = CountValues(table, rows, y_places);
      const auto [known, is_new] = worst.try_emplace(first, Worst{g, values});
      if (!is_new && values < known->second.values) known.value() = {g, values};
    }
    table.rows.clear();
    for (std::size_t g = 0; g < by_x.size(); ++g) {
      if (open[g] && worst.at(*open[g]).group != g) continue;
      for (const auto& row : by_x[g].second) table.rows.insert(row);
    }
  }

  JoinCount CountValues(const Table& table, const CountedRows& rows, const std::vector<std::size_t>& y_places) const {
    std::set<Cells> seen;
    JoinCount values = 0;
    for (const auto& row : rows) {
      Cells y = Pick(row.first, y_places);
      JoinCount here = 1;
      for (std::size_t i = 0; i < y_places.size(); ++i) {
        const ReleaseColumn column = table.columns[y_places[i]];
        if (column.column == ReleaseColumn::kWho) here *= result_.records.at(column.release)[y[i].lo];
      }
      if (seen.insert(std::move(y)).second) values += here;
    }
    return values;
  }

  const XyReleases& releases_;
  const JoinClaim& claim_;
  std::vector<MatchCondition> conditions_;
  std::set<ReleaseColumn> asked_;
  std::set<std::uint32_t> done_;  // releases that are joined
  std::uint64_t pairs_ = 0;
  EarlierRows result_;
};

}  // namespace

EarlierRows JoinEarlier(const XyReleases& releases, const JoinClaim& claim) {
  return EarlierJoiner(releases, claim).Run();
}

}  // namespace pentimento
