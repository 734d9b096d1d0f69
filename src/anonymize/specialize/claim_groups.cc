#include "anonymize/specialize/claim_groups.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "anonymize/specialize/judge_cells.h"
#include "anonymize/specialize/numbering.h"
#include "base/parallel.h"

namespace pentimento {
namespace {

using NodeId = CutColumn::NodeId;

constexpr std::size_t kNotInX = std::numeric_limits<std::size_t>::max();
// Beyond so many counters the records of a group are gone through one by one instead.
constexpr std::size_t kMostCounters = std::size_t{1} << 16;

bool Has(std::span<const ReleaseColumn> columns, ReleaseColumn wanted) {
  return std::ranges::find(columns, wanted) != columns.end();
}

}  // namespace

class ClaimGroups::Impl {
 public:
  Impl(const JoinedReleases& releases, JoinClaim claim, const NewRelease& table, std::vector<CutColumn>& columns)
      : claim_(std::move(claim)),
        columns_(columns),
        earlier_(releases, claim_),
        place_of_column_(columns.size(), kNotInX) {
    SortOutColumns(table);
    Collapse(table);
    BeginGroups();
  }

  Standing Now() {
    if (!now_) {
      now_.emplace();
      for (const Group& group : groups_) {
        if (!group.is_dead) now_->Take(group.now);
      }
    }
    return *now_;
  }

  Standing After(std::size_t column, NodeId node) {
    const std::size_t place = place_of_column_[column];
    if (place == kNotInX) {
      const bool joins =
          std::ranges::any_of(outside_, [&](const Outside& o) { return o.cut == static_cast<int>(column); });
      return joins ? AfterJoinOutside(column, node) : Now();
    }
    Standing standing = Summary(place, node).after;
    standing.Take(OthersThan(place, node));
    return standing;
  }

  // How all groups stand that do not have this value, from the values before it in the cut and those after it.
  Standing OthersThan(std::size_t place, NodeId node) {
    Others& others = others_[place];
    const auto cut = columns_[places_[place]].cut();
    if (others.place_of_node.empty()) {
      others.before.assign(cut.size() + 1, {});
      others.after.assign(cut.size() + 1, {});
      for (std::size_t i = 0; i < cut.size(); ++i) {
        others.place_of_node[cut[i]] = i;
        others.before[i + 1] = others.before[i];
        others.before[i + 1].Take(Summary(place, cut[i]).now);
      }
      for (std::size_t i = cut.size(); i-- > 0;) {
        others.after[i] = others.after[i + 1];
        others.after[i].Take(Summary(place, cut[i]).now);
      }
    }
    const std::size_t at = others.place_of_node.at(node);
    Standing standing = others.before[at];
    standing.Take(others.after[at + 1]);
    return standing;
  }

  double SquaresSaved(std::size_t column, NodeId node) {
    const std::size_t place = place_of_column_[column];
    return place == kNotInX ? 0 : Summary(place, node).squares_saved;
  }

  void Divide(std::size_t column, NodeId node) {
    const std::size_t place = place_of_column_[column];
    if (place == kNotInX) return;
    const CutColumn& cut = columns_[column];
    const std::vector<std::uint32_t> links = std::move(LinksOf(place, node));
    for (const std::uint32_t number : links) {
      if (!groups_[number].is_dead) DivideGroup(number, place, cut, node);
    }
  }

  void Renew(std::size_t column) {
    now_.reset();
    for (Others& others : others_) others = {};
    const bool joins =
        std::ranges::any_of(outside_, [&](const Outside& o) { return o.cut == static_cast<int>(column); });
    if (joins) {
      for (std::uint32_t g = 0; g < groups_.size(); ++g) {
        if (!groups_[g].is_dead) Examine(g);
      }
      for (auto& summaries : summaries_) summaries.clear();
    } else {
      for (const std::uint32_t g : fresh_) Examine(g);
    }
    fresh_.clear();
  }

 private:
  struct Group {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::uint64_t records = 0;
    bool is_dead = false;
    Standing now;
  };
  // A join column whose value is no part of the value on X.
  struct Outside {
    std::size_t join_place = 0;  // which join column
    int cut = -1;                // the column it is generalized in, if it is
    std::uint64_t codes = 0;
    const CodeColumn* column = nullptr;
  };
  // Standings of a column's values, added up from both ends of the cut. Made anew after every step.
  struct Others {
    tsl::robin_map<NodeId, std::size_t> place_of_node;
    std::vector<Standing> before;
    std::vector<Standing> after;
  };
  struct NodeSummary {
    Standing now;
    Standing after;
    double squares_saved = 0;
  };

  const CodeColumn* ColumnOf(const NewRelease& table, std::uint32_t column) const {
    const std::size_t own = table.table.quasi_identifiers.size();
    return column < own ? &table.table.quasi_identifiers[column] : table.exact[column - own];
  }

  void SortOutColumns(const NewRelease& table) {
    const std::size_t own = table.table.quasi_identifiers.size();
    for (const ReleaseColumn column : claim_.x) {
      if (column.release != 0) continue;
      const int cut = column.column < own ? table.cut_of_column[column.column] : -1;
      if (cut >= 0) {
        place_of_column_[static_cast<std::size_t>(cut)] = places_.size();
        places_.push_back(static_cast<std::size_t>(cut));
        column_of_place_.push_back(column.column);
      } else {
        fixed_.push_back(column.column);
      }
    }
    for (std::size_t j = 0; j < earlier_.join_columns().size(); ++j) {
      const std::uint32_t column = earlier_.join_columns()[j];
      const int cut = column < own ? table.cut_of_column[column] : -1;
      if (cut >= 0 && place_of_column_[static_cast<std::size_t>(cut)] != kNotInX) {
        join_from_place_.push_back(place_of_column_[static_cast<std::size_t>(cut)]);
        continue;
      }
      join_from_place_.push_back(kNotInX);
      outside_.push_back({j, cut, table.sizes[column], ColumnOf(table, column)});
    }
  }

  void Collapse(const NewRelease& table) {
    const std::size_t rows = table.table.rows;
    CombinationNumbering outside(rows), fixed(rows), y(rows);
    for (const Outside& column : outside_) outside.Refine(column.codes, *column.column);
    for (const std::uint32_t column : fixed_) fixed.Refine(table.sizes[column], *ColumnOf(table, column));
    NumberY(table, y);
    std::vector<std::vector<std::uint32_t>> target_value(claim_.targets.size());
    NumberTargets(table, target_value);

    CombinationNumbering all(rows);
    for (const std::uint32_t column : column_of_place_) all.Refine(table.sizes[column], *ColumnOf(table, column));
    const auto refine = [&](std::uint64_t codes, std::span<const std::uint32_t> number) {
      all.Refine(codes, [&](std::size_t row) { return std::uint64_t{number[row]}; });
    };
    refine(outside.count(), outside.number_of_row());
    refine(fixed.count(), fixed.number_of_row());
    if (y_is_shared_) refine(y.count(), y.number_of_row());
    for (const OwnTarget& own : own_targets_) refine(own.values, target_value[own.target]);

    outside_count_ = outside.count();
    stride_ = places_.size() + 4 + own_targets_.size();
    lanes_.resize(std::size_t{all.count()} * stride_);
    outside_codes_.resize(std::size_t{outside_count_} * outside_.size());
    std::vector<bool> is_filled(all.count());
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uint32_t number = all.number_of_row()[row];
      std::uint32_t* const record = &lanes_[number * stride_];
      ++record[WeightLane()];
      if (is_filled[number]) continue;
      is_filled[number] = true;
      for (std::size_t p = 0; p < places_.size(); ++p) record[p] = (*ColumnOf(table, column_of_place_[p]))[row];
      record[OutsideLane()] = outside.number_of_row()[row];
      record[FixedLane()] = fixed.number_of_row()[row];
      record[YLane()] = y_is_shared_ ? y.number_of_row()[row] : 0;
      for (std::size_t t = 0; t < own_targets_.size(); ++t)
        record[TargetLane() + t] = target_value[own_targets_[t].target][row];
      for (std::size_t o = 0; o < outside_.size(); ++o)
        outside_codes_[record[OutsideLane()] * outside_.size() + o] = (*outside_[o].column)[row];
    }
    fixed_count_ = fixed.count();
    judge_.emplace(claim_, earlier_, own_targets_);
  }

  std::size_t OutsideLane() const { return places_.size(); }
  std::size_t FixedLane() const { return places_.size() + 1; }
  std::size_t YLane() const { return places_.size() + 2; }
  std::size_t WeightLane() const { return places_.size() + 3; }
  std::size_t TargetLane() const { return places_.size() + 4; }

  // A value on Y that occurs once, or that is no part of this release, needs no telling apart.
  void NumberY(const NewRelease& table, CombinationNumbering& y) {
    const bool names_who = Has(claim_.y, {0, ReleaseColumn::kWho});
    const bool one_each = !table.table.persons || table.table.persons->one_row_each();
    bool has_values = false;
    for (const ReleaseColumn column : claim_.y) {
      if (column.release != 0) continue;
      if (column.column == ReleaseColumn::kWho) {
        if (one_each) continue;
        const auto& person = table.table.persons->person_of_row;
        y.Refine(table.table.persons->count, [&](std::size_t row) { return std::uint64_t{person[row]}; });
      } else {
        y.Refine(table.sizes[column.column], *ColumnOf(table, column.column));
      }
      has_values = true;
    }
    y_is_row_ = names_who && one_each;
    y_is_shared_ = has_values && !y_is_row_;
  }

  void NumberTargets(const NewRelease& table, std::vector<std::vector<std::uint32_t>>& value_of_row) {
    std::size_t first = 0;
    for (std::size_t t = 0; t < claim_.targets.size(); ++t) {
      const LinkabilityTarget& target = claim_.targets[t];
      if (target.y.release != 0) continue;
      const CodeColumn& column = *ColumnOf(table, target.y.column);
      std::vector<std::uint32_t>& values = value_of_row[t];
      values.resize(table.table.rows);
      column.Visit([&](auto codes) {
        for (std::size_t row = 0; row < values.size(); ++row) {
          values[row] = target.values.empty() ? std::uint32_t{codes[row]}
                                              : std::ranges::any_of(target.values, [&](Interval listed) {
                                                  return listed.Contains(Code{codes[row]});
                                                });
        }
      });
      const std::size_t count = target.values.empty() ? table.sizes[target.y.column] : 2;
      own_targets_.push_back({t, first, count, !target.values.empty()});
      first += count;
    }
    target_counters_ = first;
  }

  void BeginGroups() {
    const std::size_t records = lanes_.size() / stride_;
    std::vector<std::size_t> begin(fixed_count_ + 1, 0);
    for (std::size_t r = 0; r < records; ++r) ++begin[lanes_[r * stride_ + FixedLane()] + 1];
    for (std::size_t f = 0; f < fixed_count_; ++f) begin[f + 1] += begin[f];
    MoveInto(0, records, begin, [&](const std::uint32_t* record) { return record[FixedLane()]; });
    links_.resize(places_.size());
    summaries_.resize(places_.size());
    others_.resize(places_.size());
    const std::vector<NodeId> roots(places_.size(), 0);
    for (std::size_t f = 0; f < fixed_count_; ++f) AddGroup(begin[f], begin[f + 1], roots);
    for (const std::uint32_t g : fresh_) Examine(g);
    fresh_.clear();
  }

  // Stable: part_of(record) says where to, begin[part] where each part begins.
  template <typename PartOf>
  void MoveInto(std::size_t from, std::size_t to, std::span<const std::size_t> begin, const PartOf& part_of) {
    std::vector<std::size_t> next(begin.begin(), begin.end());
    scratch_.resize((to - from) * stride_);
    for (std::size_t r = from; r < to; ++r) {
      const std::uint32_t* const record = &lanes_[r * stride_];
      std::copy_n(record, stride_, &scratch_[(next[part_of(record)]++ - from) * stride_]);
    }
    std::ranges::copy(scratch_, lanes_.begin() + static_cast<std::ptrdiff_t>(from * stride_));
  }

  void AddGroup(std::size_t begin, std::size_t end, std::span<const NodeId> nodes) {
    if (begin == end) return;
    const auto number = static_cast<std::uint32_t>(groups_.size());
    Group group{begin, end, 0, false, {}};
    for (std::size_t r = begin; r < end; ++r) group.records += lanes_[r * stride_ + WeightLane()];
    groups_.push_back(group);
    nodes_.insert(nodes_.end(), nodes.begin(), nodes.end());
    after_.resize(groups_.size() * places_.size());
    squares_saved_.resize(groups_.size() * places_.size());
    for (std::size_t p = 0; p < places_.size(); ++p) LinksOf(p, nodes[p]).push_back(number);
    fresh_.push_back(number);
  }

  std::vector<std::uint32_t>& LinksOf(std::size_t place, NodeId node) {
    if (links_[place].size() <= node) links_[place].resize(node + 1);
    return links_[place][node];
  }

  void DivideGroup(std::uint32_t number, std::size_t place, const CutColumn& cut, NodeId node) {
    groups_[number].is_dead = true;
    const Group group = groups_[number];
    std::vector<NodeId> nodes(nodes_.begin() + static_cast<std::ptrdiff_t>(number * places_.size()),
                              nodes_.begin() + static_cast<std::ptrdiff_t>((number + 1) * places_.size()));
    for (std::size_t p = 0; p < places_.size(); ++p) Forget(p, nodes[p]);
    const std::uint32_t children = cut.node(node).child_count;
    std::vector<std::size_t> begin(children + 1, 0);
    for (std::size_t r = group.begin; r < group.end; ++r) ++begin[cut.ChildOf(lanes_[r * stride_ + place]) + 1];
    begin[0] = group.begin;
    for (std::uint32_t c = 0; c < children; ++c) begin[c + 1] += begin[c];
    MoveInto(group.begin, group.end, begin, [&](const std::uint32_t* record) { return cut.ChildOf(record[place]); });
    for (std::uint32_t c = 0; c < children; ++c) {
      nodes[place] = cut.node(node).first_child + c;
      AddGroup(begin[c], begin[c + 1], nodes);
      if (begin[c] < begin[c + 1]) Forget(place, nodes[place]);
    }
  }

  void Forget(std::size_t place, NodeId node) {
    if (node < summaries_[place].size()) summaries_[place][node].reset();
  }

  const NodeSummary& Summary(std::size_t place, NodeId node) {
    auto& summaries = summaries_[place];
    if (summaries.size() <= node) summaries.resize(node + 1);
    if (!summaries[node]) {
      NodeSummary summary;
      std::vector<std::uint32_t>& links = LinksOf(place, node);
      std::erase_if(links, [&](std::uint32_t g) { return groups_[g].is_dead; });
      for (const std::uint32_t g : links) {
        summary.now.Take(groups_[g].now);
        summary.after.Take(after_[g * places_.size() + place]);
        summary.squares_saved += squares_saved_[g * places_.size() + place];
      }
      summaries[node] = summary;
    }
    return *summaries[node];
  }

  // The join value of records with this outside number in a group, one column of which may be replaced.
  std::uint32_t FactsOf(std::span<const NodeId> nodes, std::uint32_t outside, std::size_t place, NodeId instead) {
    cells_.clear();
    std::size_t o = 0;
    for (std::size_t j = 0; j < join_from_place_.size(); ++j) {
      const std::size_t from = join_from_place_[j];
      if (from != kNotInX) {
        cells_.push_back(columns_[places_[from]].node(from == place ? instead : nodes[from]).codes);
        continue;
      }
      const Code code = outside_codes_[outside * outside_.size() + o];
      const int cut = outside_[o++].cut;
      cells_.push_back(cut < 0 ? Interval{code, code} : OutsideCell(static_cast<std::size_t>(cut), code));
    }
    return earlier_.Intern(cells_);
  }

  // As it is, or as it would be where a specialization is only tried.
  Interval OutsideCell(std::size_t cut, Code code) const {
    const CutColumn& column = columns_[cut];
    const NodeId node = column.NodeOf(code);
    if (tried_ && tried_->first == cut && tried_->second == node)
      return column.node(column.node(node).first_child + column.ChildOf(code)).codes;
    return column.node(node).codes;
  }

  Standing AfterJoinOutside(std::size_t column, NodeId node) {
    tried_.emplace(column, node);
    Standing standing;
    for (std::uint32_t g = 0; g < groups_.size(); ++g) {
      if (!groups_[g].is_dead) standing.Take(Standings(g, kNotInX).front());
    }
    tried_.reset();
    return standing;
  }

  // The group as it is, then its parts after a specialization in each place.
  void Examine(std::uint32_t number) {
    CountAhead(number);
    groups_[number].now = Standings(number, kNotInX).front();
    for (std::size_t p = 0; p < places_.size(); ++p) {
      const NodeId node = nodes_[number * places_.size() + p];
      Standing after;
      if (columns_[places_[p]].node(node).child_count > 0) {
        for (const Standing& child : Standings(number, p)) after.Take(child);
      } else {
        after = groups_[number].now;
        last_squares_saved_ = 0;
      }
      after_[number * places_.size() + p] = after;
      squares_saved_[number * places_.size() + p] = last_squares_saved_;
    }
    counted_.clear();
  }

  // A large group is gone through for all places at once, side by side.
  void CountAhead(std::uint32_t number) {
    constexpr std::size_t kLargeGroup = std::size_t{1} << 14;
    counted_.clear();
    if (groups_[number].end - groups_[number].begin < kLargeGroup || y_is_shared_) return;
    counted_.resize(places_.size() + 1);
    ParallelFor(counted_.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p) {
        const std::size_t place = p == places_.size() ? kNotInX : p;
        if (IsCounted(PartsOf(number, place))) counted_[p] = Count(number, place, PartsOf(number, place));
      }
    });
  }

  // Of the group (kNotInX), or of its parts after a specialization in `place`. Parts without records are left out.
  std::vector<Standing> Standings(std::uint32_t number, std::size_t place) {
    const std::size_t parts = PartsOf(number, place);
    if (y_is_shared_ || !IsCounted(parts)) return StandingsByRecord(number, place, parts);
    const std::size_t ahead = place == kNotInX ? places_.size() : place;
    return JudgeCounts(number, place, parts, counted_.empty() ? Count(number, place, parts) : counted_[ahead]);
  }

  std::size_t PartsOf(std::uint32_t number, std::size_t place) const {
    if (place == kNotInX) return 1;
    return std::max<std::uint32_t>(columns_[places_[place]].node(nodes_[number * places_.size() + place]).child_count,
                                   1);
  }
  bool IsCounted(std::size_t parts) const { return parts * outside_count_ * (1 + target_counters_) <= kMostCounters; }

  std::uint32_t PartOf(const std::uint32_t* record, std::size_t place) const {
    return place == kNotInX ? 0 : columns_[places_[place]].ChildOf(record[place]);
  }
  NodeId ChildNode(std::uint32_t number, std::size_t place, std::size_t part) const {
    if (place == kNotInX) return 0;
    const NodeId node = nodes_[number * places_.size() + place];
    return columns_[places_[place]].node(node).first_child + static_cast<NodeId>(part);
  }
  std::span<const NodeId> NodesOf(std::uint32_t number) const {
    return std::span(nodes_).subspan(number * places_.size(), places_.size());
  }

  // By part and outside number: records, then those with each value of each target.
  std::vector<std::uint64_t> Count(std::uint32_t number, std::size_t place, std::size_t parts) const {
    const std::size_t counters = 1 + target_counters_;
    std::vector<std::uint64_t> counts(parts * outside_count_ * counters);
    const Group& group = groups_[number];
    for (std::size_t r = group.begin; r < group.end; ++r) {
      const std::uint32_t* const record = &lanes_[r * stride_];
      std::uint64_t* const cell = &counts[(PartOf(record, place) * outside_count_ + record[OutsideLane()]) * counters];
      const std::uint64_t weight = record[WeightLane()];
      cell[0] += weight;
      for (std::size_t t = 0; t < own_targets_.size(); ++t)
        cell[1 + own_targets_[t].first + record[TargetLane() + t]] += weight;
    }
    return counts;
  }

  std::vector<Standing> JudgeCounts(std::uint32_t number, std::size_t place, std::size_t parts,
                                    std::span<const std::uint64_t> counts) {
    const std::size_t counters = 1 + target_counters_;
    std::vector<Standing> standings;
    std::vector<JoinCell> cells;
    double squares = 0;
    for (std::size_t part = 0; part < parts; ++part) {
      cells.clear();
      double records = 0;
      for (std::uint32_t o = 0; o < outside_count_; ++o) {
        const auto cell = counts.subspan((part * outside_count_ + o) * counters, counters);
        if (cell[0] == 0) continue;
        records += static_cast<double>(cell[0]);
        cells.push_back({FactsOf(NodesOf(number), o, place, ChildNode(number, place, part)), cell[0],
                         y_is_row_ ? cell[0] : 1, cell.subspan(1)});
      }
      squares += records * records;
      if (!cells.empty()) standings.push_back(JudgeCells(cells));
    }
    const auto all = static_cast<double>(groups_[number].records);
    last_squares_saved_ = all * all - squares;
    return standings;
  }

  // Where Y has no part in this release its one value is everywhere.
  Standing JudgeCells(std::span<const JoinCell> cells) {
    if (claim_.k == 0 || y_is_row_ || cells.size() == 1) return judge_->Judge(cells);
    std::vector<std::uint32_t> facts;
    for (const JoinCell& cell : cells) facts.push_back(cell.facts);
    return judge_->JudgeShared({{facts, 1}});
  }

  std::vector<Standing> StandingsByRecord(std::uint32_t number, std::size_t place, std::size_t parts) {
    const Group& group = groups_[number];
    std::vector<std::vector<const std::uint32_t*>> records_of_part(parts);
    for (std::size_t r = group.begin; r < group.end; ++r) {
      const std::uint32_t* const record = &lanes_[r * stride_];
      records_of_part[PartOf(record, place)].push_back(record);
    }
    std::vector<Standing> standings;
    double squares = 0;
    for (std::size_t part = 0; part < parts; ++part) {
      double records = 0;
      for (const std::uint32_t* record : records_of_part[part]) records += record[WeightLane()];
      squares += records * records;
      if (records_of_part[part].empty()) continue;
      standings.push_back(JudgePart(records_of_part[part], number, place, ChildNode(number, place, part)));
    }
    last_squares_saved_ = static_cast<double>(group.records) * static_cast<double>(group.records) - squares;
    return standings;
  }

  Standing JudgePart(std::span<const std::uint32_t* const> records, std::uint32_t number, std::size_t place,
                     NodeId instead) {
    std::map<std::uint32_t, std::vector<std::uint64_t>> by_outside;  // records, then target counters
    std::map<std::uint32_t, std::vector<std::uint32_t>> outside_of_y;
    for (const std::uint32_t* record : records) {
      auto& counts = by_outside[record[OutsideLane()]];
      counts.resize(1 + target_counters_);
      counts[0] += record[WeightLane()];
      for (std::size_t t = 0; t < own_targets_.size(); ++t)
        counts[1 + own_targets_[t].first + record[TargetLane() + t]] += record[WeightLane()];
      if (y_is_shared_) outside_of_y[record[YLane()]].push_back(record[OutsideLane()]);
    }
    std::map<std::uint32_t, std::uint32_t> facts;
    for (const auto& [outside, counts] : by_outside) facts[outside] = FactsOf(NodesOf(number), outside, place, instead);
    if (y_is_shared_ && claim_.k > 0) {
      std::map<std::vector<std::uint32_t>, std::uint64_t> values_by_facts;
      for (const auto& [y, outsides] : outside_of_y) {
        std::vector<std::uint32_t> met;
        for (const std::uint32_t outside : outsides) met.push_back(facts[outside]);
        std::ranges::sort(met);
        met.erase(std::unique(met.begin(), met.end()), met.end());
        ++values_by_facts[std::move(met)];
      }
      return judge_->JudgeShared(values_by_facts);
    }
    std::vector<JoinCell> cells;
    for (const auto& [outside, counts] : by_outside) {
      cells.push_back({facts[outside], counts[0], y_is_row_ ? counts[0] : 1, std::span(counts).subspan(1)});
    }
    return JudgeCells(cells);
  }

  JoinClaim claim_;
  std::vector<CutColumn>& columns_;
  EarlierJoin earlier_;
  std::optional<CellJudge> judge_;

  std::vector<std::size_t> place_of_column_;    // by column that is generalized: its place in X, or kNotInX
  std::vector<std::size_t> places_;             // by place: which column that is generalized
  std::vector<std::uint32_t> column_of_place_;  // by place: which column of the release
  std::vector<std::uint32_t> fixed_;            // columns in X that are published as they are
  std::vector<std::size_t> join_from_place_;    // by join column: its place in X, or kNotInX
  std::vector<Outside> outside_;
  std::vector<OwnTarget> own_targets_;
  std::size_t target_counters_ = 0;
  bool y_is_row_ = false;     // every row has a value of its own on Y
  bool y_is_shared_ = false;  // rows of this release share values on Y

  std::size_t stride_ = 0;
  std::vector<std::uint32_t> lanes_;  // records: codes by place, outside number, fixed number, y, weight, target values
  std::vector<std::uint32_t> scratch_;
  std::uint32_t outside_count_ = 0;
  std::vector<Code> outside_codes_;
  std::uint32_t fixed_count_ = 0;

  std::vector<Group> groups_;
  std::vector<NodeId> nodes_;                                       // by group and place
  std::vector<Standing> after_;                                     // likewise
  std::vector<double> squares_saved_;                               // likewise
  std::vector<std::uint32_t> fresh_;                                // groups that nobody has examined yet
  std::vector<std::vector<std::vector<std::uint32_t>>> links_;      // by place and node: groups
  std::vector<std::vector<std::optional<NodeSummary>>> summaries_;  // by place and node
  std::vector<Others> others_;                                      // by place
  std::optional<Standing> now_;
  std::optional<std::pair<std::size_t, NodeId>> tried_;
  double last_squares_saved_ = 0;
  std::vector<std::vector<std::uint64_t>> counted_;  // of the group that is examined: by place, then of itself
  Box cells_;
};

ClaimGroups::ClaimGroups(const JoinedReleases& releases, JoinClaim claim, const NewRelease& table,
                         std::vector<CutColumn>& columns)
    : impl_(std::make_unique<Impl>(releases, std::move(claim), table, columns)) {}
ClaimGroups::~ClaimGroups() = default;
ClaimGroups::ClaimGroups(ClaimGroups&&) noexcept = default;

Standing ClaimGroups::Now() const { return impl_->Now(); }
Standing ClaimGroups::After(std::size_t column, CutColumn::NodeId node) const { return impl_->After(column, node); }
double ClaimGroups::SquaresSaved(std::size_t column, CutColumn::NodeId node) const {
  return impl_->SquaresSaved(column, node);
}
void ClaimGroups::Divide(std::size_t column, CutColumn::NodeId node) { impl_->Divide(column, node); }
void ClaimGroups::Renew(std::size_t column) { impl_->Renew(column); }

}  // namespace pentimento
