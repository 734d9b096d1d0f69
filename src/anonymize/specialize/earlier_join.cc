#include "anonymize/specialize/earlier_join.h"

#include <algorithm>
#include <map>
#include <numeric>
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

EarlierJoin::EarlierJoin(const XyReleases& releases, const JoinClaim& claim) {
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
  for (const LinkabilityTarget& target : claim.targets)
    y_columns.insert(y_columns.end(), target.y.begin(), target.y.end());
  std::vector<std::uint32_t> who;  // releases whose records are values on Y
  for (const ReleaseColumn column : claim.y) {
    if (column.release != 0 && column.column == ReleaseColumn::kWho) who.push_back(column.release);
  }
  const std::vector<std::size_t> x_places = places(claim.x);
  const std::vector<std::size_t> y_places = places(y_columns);
  std::erase_if(y_columns, [](const ReleaseColumn& at) { return at.release == 0; });
  const std::vector<ReleaseColumn>& y_order = y_columns;  // as y_places
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
  std::vector<std::size_t> join_places;
  for (const Condition& condition : conditions_) join_places.push_back(place_of(condition.other));
  for (const auto& [row, count] : earlier.rows) join_numbers.try_emplace(pick(row, join_places), 0);
  for (auto& [join, join_number] : join_numbers) {
    join_number = joins_++;
    join_cells_.insert(join_cells_.end(), join.begin(), join.end());
  }
  for (const auto& [row, count] : earlier.rows) {
    const Cells join = pick(row, join_places);
    const std::uint32_t join_number = join_numbers.at(join);
    JoinCount values = 1;
    for (const std::uint32_t release : who)
      values *= earlier.records.at(release)[row[place_of({release, ReleaseColumn::kWho})].lo];
    const std::uint32_t y_number = number(y_numbers, pick(row, y_places));
    if (y_number == values_of_y_.size()) values_of_y_.push_back(values);
    entries[{join_number, number(x_numbers, pick(row, x_places)), y_number}] += count;
  }
  first_entry_.assign(joins_ + 1, 0);
  for (const auto& [key, count] : entries) {
    entries_.push_back({std::get<1>(key), std::get<2>(key), std::get<0>(key), count});
    ++first_entry_[std::get<0>(key) + 1];
  }
  std::partial_sum(first_entry_.begin(), first_entry_.end(), first_entry_.begin());

  for (const LinkabilityTarget& target : claim.targets) {
    EarlierTarget& ready = targets_.emplace_back();
    ready.is_ours = target.IsHere();
    if (ready.is_ours) continue;
    ready.value_of_y.resize(y_numbers.size(), kNone);
    std::map<Cells, std::uint32_t> values;
    for (const auto& [cells, y] : y_numbers) ready.value_of_y[y] = ValueOf(target, y_order, cells, values, ready);
  }
}

std::uint32_t EarlierJoin::ValueOf(const LinkabilityTarget& target, std::span<const ReleaseColumn> y,
                                   std::span<const Interval> cells, std::map<Cells, std::uint32_t>& values,
                                   EarlierTarget& ready) {
  std::vector<std::size_t> in_y;
  Cells own;
  for (std::size_t i = 0; i < target.y.size(); ++i) {
    if (target.y[i].release == 0) continue;
    in_y.push_back(i);
    own.push_back(cells[static_cast<std::size_t>(std::ranges::find(y, target.y[i]) - y.begin())]);
  }
  if (target.values.empty())
    return values.try_emplace(std::move(own), static_cast<std::uint32_t>(values.size())).first->second;
  const ListedSet listed = ListedWith(target, in_y, own);
  if (listed.empty()) return kNone;
  return target.IsEarlier() ? 0 : ready.listed.Number(listed);
}

bool EarlierJoin::Fits(const Condition& condition, Interval own, Interval other) {
  if (condition.is_impossible) return !condition.own_values.Contains(own) || !condition.other_values.Contains(other);
  return CellsMatch(own, other, condition.by_overlap);
}

// Join values stand in the order of their cells, so those that begin alike are a stretch.
void EarlierJoin::FindMatches(std::size_t condition, std::uint32_t begin, std::uint32_t end,
                              std::span<const Interval> cells, std::vector<std::uint32_t>& found) const {
  if (condition == conditions_.size()) {
    for (std::uint32_t join = begin; join < end; ++join) found.push_back(join);
    return;
  }
  const auto cell_of = [&](std::uint32_t join) { return join_cells_[join * conditions_.size() + condition]; };
  while (begin < end) {
    const Interval other = cell_of(begin);
    std::uint32_t past = end, from = begin;
    while (from + 1 < past) {
      const std::uint32_t middle = from + (past - from) / 2;
      (cell_of(middle) == other ? from : past) = middle;
    }
    if (Fits(conditions_[condition], cells[conditions_[condition].join_column], other))
      FindMatches(condition + 1, begin, past, cells, found);
    begin = past;
  }
}

std::vector<const EarlierJoin::Entry*> EarlierJoin::EntriesAt(std::span<const std::uint32_t> joins) const {
  std::vector<const Entry*> entries;
  for (const std::uint32_t join : joins) {
    for (std::uint32_t at = first_entry_[join]; at < first_entry_[join + 1]; ++at) entries.push_back(&entries_[at]);
  }
  std::ranges::sort(entries, [](const Entry* one, const Entry* other) {
    return std::tie(one->x, one->y, one->join) < std::tie(other->x, other->y, other->join);
  });
  return entries;
}

std::vector<EarlierJoin::Meeting> EarlierJoin::Gather(std::span<const std::uint32_t> joins) const {
  std::vector<Meeting> meetings;
  std::uint32_t last_y = kNone;
  for (const Entry* const entry : EntriesAt(joins)) {
    if (meetings.empty() || meetings.back().x != entry->x) {
      meetings.push_back({entry->x, 0, 0});
      last_y = kNone;
    }
    Meeting& meeting = meetings.back();
    meeting.records += entry->records;
    if (entry->y != last_y) meeting.different_y += values_of_y_[entry->y];
    last_y = entry->y;
  }
  return meetings;
}

void EarlierJoin::CountTargets(Facts& facts) const {
  for (const EarlierTarget& target : targets_) {
    std::vector<TargetCount>& counts = facts.targets.emplace_back();
    if (target.is_ours) continue;
    std::map<std::pair<std::uint32_t, std::uint32_t>, JoinCount> by_value;
    for (const Entry* const entry : EntriesAt(facts.joins)) {
      const std::uint32_t value = target.value_of_y[entry->y];
      if (value != kNone) by_value[{entry->x, value}] += entry->records;
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
  FindMatches(0, 0, joins_, cells, facts->joins);
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
  std::vector<std::uint32_t> joins;
  for (const std::uint32_t number : facts)
    joins.insert(joins.end(), facts_[number]->joins.begin(), facts_[number]->joins.end());
  std::ranges::sort(joins);
  joins.erase(std::unique(joins.begin(), joins.end()), joins.end());
  return Gather(joins);
}

}  // namespace pentimento
