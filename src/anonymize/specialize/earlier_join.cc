#include "anonymize/specialize/earlier_join.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace pentimento {
namespace {

using Cells = std::vector<Interval>;

bool CellsMatch(Interval one, Interval other, bool by_overlap) {
  return by_overlap ? one.Intersects(other) : one.Contains(other) || other.Contains(one);
}

bool TakesPart(const JoinClaim& claim, std::uint32_t release) {
  return std::ranges::find(claim.against, release) != claim.against.end();
}

}  // namespace

EarlierJoin::EarlierJoin(const JoinedReleases& releases, const JoinClaim& claim) {
  const auto join_column = [&](std::uint32_t column) {
    const auto found = std::ranges::find(join_columns_, column);
    if (found == join_columns_.end()) {
      join_columns_.push_back(column);
      return static_cast<std::uint32_t>(join_columns_.size() - 1);
    }
    return static_cast<std::uint32_t>(found - join_columns_.begin());
  };
  for (const CommonAttribute& attribute : releases.common) {
    for (const ReleaseColumn own : attribute.columns) {
      if (own.release != 0) continue;
      for (const ReleaseColumn other : attribute.columns) {
        if (TakesPart(claim, other.release))
          conditions_.push_back({join_column(own.column), attribute.by_overlap, false, {}, other, {}});
      }
    }
  }
  for (const ImpossiblePair& pair : releases.impossible) {
    const auto add = [&](ReleaseColumn own, Interval own_values, ReleaseColumn other, Interval other_values) {
      if (own.release == 0 && TakesPart(claim, other.release))
        conditions_.push_back({join_column(own.column), false, true, own_values, other, other_values});
    };
    add(pair.left, pair.left_values, pair.right, pair.right_values);
    add(pair.right, pair.right_values, pair.left, pair.left_values);
  }

  const EarlierRows earlier = JoinEarlier(releases, claim);
  is_too_large_ = earlier.is_too_large;
  const std::vector<ReleaseColumn>& order = earlier.columns;
  const auto place_of = [&](ReleaseColumn column) {
    return static_cast<std::size_t>(std::ranges::find(order, column) - order.begin());
  };
  const auto places = [&](std::span<const ReleaseColumn> columns) {
    std::vector<std::size_t> found;
    for (const ReleaseColumn column : columns) {
      if (column.release != 0) found.push_back(place_of(column));
    }
    return found;
  };
  std::vector<ReleaseColumn> y_columns = claim.y;
  for (const LinkabilityTarget& target : claim.targets) y_columns.push_back(target.y);
  std::vector<std::uint32_t> who;  // releases whose records are values on Y
  for (const ReleaseColumn column : claim.y) {
    if (column.release != 0 && column.column == ReleaseColumn::kWho) who.push_back(column.release);
  }
  const std::vector<std::size_t> x_places = places(claim.x);
  const std::vector<std::size_t> y_places = places(y_columns);
  const auto pick = [](const Cells& row, std::span<const std::size_t> from) {
    Cells picked;
    for (const std::size_t place : from) picked.push_back(row[place]);
    return picked;
  };
  std::map<Cells, std::uint32_t> x_numbers, y_numbers, join_numbers;
  const auto number = [](std::map<Cells, std::uint32_t>& numbers, Cells cells) {
    return numbers.try_emplace(std::move(cells), static_cast<std::uint32_t>(numbers.size())).first->second;
  };
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, JoinCount> entries;
  for (const auto& [row, count] : earlier.rows) {
    Cells join;
    for (const Condition& condition : conditions_) join.push_back(row[place_of(condition.other)]);
    const std::size_t before = join_numbers.size();
    const std::uint32_t join_number = number(join_numbers, join);
    if (join_numbers.size() > before) join_cells_.insert(join_cells_.end(), join.begin(), join.end());
    JoinCount values = 1;
    for (const std::uint32_t release : who)
      values *= earlier.records.at(release)[row[place_of({release, ReleaseColumn::kWho})].lo];
    const std::uint32_t y_number = number(y_numbers, pick(row, y_places));
    if (y_number == values_of_y_.size()) values_of_y_.push_back(values);
    entries[{number(x_numbers, pick(row, x_places)), y_number, join_number}] += count;
  }
  joins_ = static_cast<std::uint32_t>(join_numbers.size());
  for (const auto& [key, count] : entries)
    entries_.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), count});

  for (const LinkabilityTarget& target : claim.targets) {
    EarlierTarget& ready = targets_.emplace_back();
    ready.is_ours = target.y.release == 0;
    if (ready.is_ours) continue;
    const std::vector<std::size_t> place = places(std::span(&target.y, 1));
    const std::size_t in_y = static_cast<std::size_t>(std::ranges::find(y_places, place[0]) - y_places.begin());
    ready.value_of_y.resize(y_numbers.size(), kNone);
    std::map<Cells, std::uint32_t> values;
    for (const auto& [cells, y] : y_numbers) {
      const Interval cell = cells[in_y];
      if (target.values.empty()) {
        ready.value_of_y[y] = number(values, {cell});
      } else if (std::ranges::any_of(target.values, [&](Interval value) { return value.Contains(cell); })) {
        ready.value_of_y[y] = 0;
      }
    }
  }
}

bool EarlierJoin::Matches(std::uint32_t join, std::span<const Interval> cells) const {
  for (std::size_t c = 0; c < conditions_.size(); ++c) {
    const Condition& condition = conditions_[c];
    const Interval own = cells[condition.join_column];
    const Interval other = join_cells_[join * conditions_.size() + c];
    if (condition.is_impossible) {
      if (condition.own_values.Contains(own) && condition.other_values.Contains(other)) return false;
    } else if (!CellsMatch(own, other, condition.by_overlap)) {
      return false;
    }
  }
  return true;
}

std::vector<EarlierJoin::Meeting> EarlierJoin::Gather(const std::vector<bool>& joins) const {
  std::vector<Meeting> meetings;
  std::uint32_t last_y = kNone;
  for (const Entry& entry : entries_) {
    if (!joins[entry.join]) continue;
    if (meetings.empty() || meetings.back().x != entry.x) {
      meetings.push_back({entry.x, 0, 0});
      last_y = kNone;
    }
    Meeting& meeting = meetings.back();
    meeting.records += entry.records;
    if (entry.y != last_y) meeting.different_y += values_of_y_[entry.y];
    last_y = entry.y;
  }
  return meetings;
}

void EarlierJoin::CountTargets(Facts& facts) const {
  for (const EarlierTarget& target : targets_) {
    std::vector<TargetCount>& counts = facts.targets.emplace_back();
    if (target.is_ours) continue;
    std::map<std::pair<std::uint32_t, std::uint32_t>, JoinCount> by_value;
    for (const Entry& entry : entries_) {
      const std::uint32_t value = target.value_of_y[entry.y];
      if (value != kNone && facts.joins[entry.join]) by_value[{entry.x, value}] += entry.records;
    }
    for (const auto& [key, records] : by_value) counts.push_back({key.first, key.second, records});
  }
}

std::uint32_t EarlierJoin::Intern(std::span<const Interval> cells) {
  std::uint32_t prefix = 0;
  for (const Interval cell : cells) {
    for (const Code end : {cell.lo, cell.hi}) {
      const std::uint64_t key = std::uint64_t{prefix} << 32 | end;
      const auto [place, is_new] = interned_.try_emplace(key, next_prefix_ + 1);
      if (is_new) ++next_prefix_;
      prefix = place->second;
    }
  }
  const auto [place, is_new] = facts_of_prefix_.try_emplace(prefix, static_cast<std::uint32_t>(facts_.size()));
  if (!is_new) return place->second;
  auto facts = std::make_unique<Facts>();
  facts->joins.resize(joins_);
  for (std::uint32_t join = 0; join < joins_; ++join) facts->joins[join] = Matches(join, cells);
  facts->meetings = Gather(facts->joins);
  for (const Meeting& meeting : facts->meetings) {
    const bool is_fewest = facts->fewest_y == 0 || meeting.different_y < facts->fewest_y;
    if (is_fewest) facts->fewest_y = meeting.different_y;
  }
  CountTargets(*facts);
  facts_.push_back(std::move(facts));
  return static_cast<std::uint32_t>(facts_.size() - 1);
}

std::vector<EarlierJoin::Meeting> EarlierJoin::MeetAny(std::span<const std::uint32_t> facts) const {
  if (facts.size() == 1) return facts_[facts[0]]->meetings;
  std::vector<bool> joins(joins_);
  for (const std::uint32_t number : facts) {
    for (std::uint32_t join = 0; join < joins_; ++join) {
      if (facts_[number]->joins[join]) joins[join] = true;
    }
  }
  return Gather(joins);
}

}  // namespace pentimento
