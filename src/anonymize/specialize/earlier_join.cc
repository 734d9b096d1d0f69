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

bool Takes(const JoinClaim& claim, std::uint32_t release) {
  return std::ranges::find(claim.against, release) != claim.against.end();
}

}  // namespace

// Joins the earlier releases one by one. What is kept of each is the columns that somebody looks at later.
class EarlierJoin::Builder {
 public:
  Builder(const JoinedReleases& releases, const JoinClaim& claim) : releases_(releases), claim_(claim) {
    for (const ReleaseColumn column : claim.x) Keep(column);
    for (const ReleaseColumn column : claim.y) Keep(column);
    for (const LinkabilityTarget& target : claim.targets) Keep(target.y);
    for (const CommonAttribute& attribute : releases.common) {
      for (const ReleaseColumn column : attribute.columns) Keep(column);
    }
    for (const ImpossiblePair& pair : releases.impossible) Keep(pair.left), Keep(pair.right);
    std::ranges::sort(kept_);
    kept_.erase(std::unique(kept_.begin(), kept_.end()), kept_.end());
  }

  // Rows of the join over what is kept, with how many combinations of records each stands for.
  std::map<Cells, JoinCount> Run() {
    std::map<Cells, JoinCount> joined{{Cells(), 1}};
    for (const std::uint32_t release : claim_.against) {
      const std::map<Cells, JoinCount>& rows = collapsed_[release] = Collapse(release);
      const std::vector<Link> links = LinksOf(release);
      std::map<Cells, JoinCount> next;
      for (const auto& [before, count_before] : joined) {
        for (const auto& [row, count] : rows) {
          if (!std::ranges::all_of(links, [&](const Link& link) { return link.Fits(before, row); })) continue;
          Cells both = before;
          both.insert(both.end(), row.begin(), row.end());
          next[std::move(both)] += count_before * count;
        }
      }
      joined = std::move(next);
    }
    return joined;
  }

  // In the order of the cells of a joined row: release after release, as they are joined.
  std::span<const ReleaseColumn> kept() const { return kept_; }

  // After Run(): the part of a joined row that is the release's, and how many records are like it.
  Cells PartOf(const Cells& row, std::uint32_t release) const {
    Cells part;
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      if (kept_[i].release == release) part.push_back(row[i]);
    }
    return part;
  }
  JoinCount RecordsLike(const Cells& part, std::uint32_t release) const { return collapsed_.at(release).at(part); }

 private:
  void Keep(ReleaseColumn column) {
    if (column.column != ReleaseColumn::kWho && Takes(claim_, column.release)) kept_.push_back(column);
  }

  std::map<Cells, JoinCount> Collapse(std::uint32_t release) const {
    const EarlierRelease& table = releases_.earlier[release - 1];
    std::map<Cells, JoinCount> rows;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      Cells cells;
      for (const ReleaseColumn column : kept_) {
        if (column.release == release) cells.push_back(table.row(row)[column.column]);
      }
      rows[std::move(cells)] += table.records[row];
    }
    return rows;
  }

  // What a row of the join so far and a row of the next release must agree on.
  struct Link {
    std::size_t before = 0;  // a place in the row so far
    std::size_t row = 0;     // a place in the next release's row
    bool by_overlap = false;
    bool is_impossible = false;
    Interval before_values;
    Interval row_values;

    bool Fits(const Cells& so_far, const Cells& next) const {
      if (is_impossible) return !before_values.Contains(so_far[before]) || !row_values.Contains(next[row]);
      return CellsMatch(so_far[before], next[row], by_overlap);
    }
  };

  std::vector<Link> LinksOf(std::uint32_t release) const {
    // Columns of the releases before this one stand in the row so far, in this order.
    std::vector<ReleaseColumn> before, own;
    for (const ReleaseColumn column : kept_) {
      if (column.release == release) own.push_back(column);
      if (own.empty()) before.push_back(column);
    }
    const auto place = [](const std::vector<ReleaseColumn>& columns, ReleaseColumn column) {
      const auto found = std::ranges::find(columns, column);
      return found == columns.end() ? std::optional<std::size_t>() : static_cast<std::size_t>(found - columns.begin());
    };
    std::vector<Link> links;
    const auto add = [&](ReleaseColumn one, Interval one_values, ReleaseColumn other, Interval other_values,
                         Link link) {
      const auto at = place(before, one);
      const auto here = place(own, other);
      if (!at || !here) return;
      link.before = *at;
      link.row = *here;
      link.before_values = one_values;
      link.row_values = other_values;
      links.push_back(link);
    };
    for (const CommonAttribute& attribute : releases_.common) {
      for (const ReleaseColumn one : attribute.columns) {
        for (const ReleaseColumn other : attribute.columns) {
          Link link;
          link.by_overlap = attribute.by_overlap;
          add(one, {}, other, {}, link);
        }
      }
    }
    for (const ImpossiblePair& pair : releases_.impossible) {
      Link link;
      link.is_impossible = true;
      add(pair.left, pair.left_values, pair.right, pair.right_values, link);
      add(pair.right, pair.right_values, pair.left, pair.left_values, link);
    }
    return links;
  }

  const JoinedReleases& releases_;
  const JoinClaim& claim_;
  std::vector<ReleaseColumn> kept_;
  std::map<std::uint32_t, std::map<Cells, JoinCount>> collapsed_;
};

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
        if (Takes(claim, other.release))
          conditions_.push_back({join_column(own.column), attribute.by_overlap, false, {}, other, {}});
      }
    }
  }
  for (const ImpossiblePair& pair : releases.impossible) {
    const auto add = [&](ReleaseColumn own, Interval own_values, ReleaseColumn other, Interval other_values) {
      if (own.release == 0 && Takes(claim, other.release))
        conditions_.push_back({join_column(own.column), false, true, own_values, other, other_values});
    };
    add(pair.left, pair.left_values, pair.right, pair.right_values);
    add(pair.right, pair.right_values, pair.left, pair.left_values);
  }

  Builder builder(releases, claim);
  const std::map<Cells, JoinCount> rows = builder.Run();
  const std::span<const ReleaseColumn> order = builder.kept();
  const auto place_of = [&](ReleaseColumn column) {
    return static_cast<std::size_t>(std::ranges::find(order, column) - order.begin());
  };
  const auto places = [&](std::span<const ReleaseColumn> columns) {
    std::vector<std::size_t> found;
    for (const ReleaseColumn column : columns) {
      if (column.release != 0 && column.column != ReleaseColumn::kWho) found.push_back(place_of(column));
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
  for (const auto& [row, count] : rows) {
    Cells join;
    for (const Condition& condition : conditions_) join.push_back(row[place_of(condition.other)]);
    const std::size_t before = join_numbers.size();
    const std::uint32_t join_number = number(join_numbers, join);
    if (join_numbers.size() > before) join_cells_.insert(join_cells_.end(), join.begin(), join.end());
    Cells y = pick(row, y_places);
    JoinCount values = 1;
    for (const std::uint32_t release : who) {
      const Cells part = builder.PartOf(row, release);
      values *= builder.RecordsLike(part, release);
      y.insert(y.end(), part.begin(), part.end());
    }
    const std::uint32_t y_number = number(y_numbers, std::move(y));
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
