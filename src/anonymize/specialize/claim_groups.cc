#include "anonymize/specialize/claim_groups.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "anonymize/specialize/cell_standing.h"
#include "base/parallel.h"

namespace pentimento {
namespace {

using NodeId = CutColumn::NodeId;

// Beyond so many counters the records of a group are gone through one by one instead.
constexpr std::size_t kMostCounters = std::size_t{1} << 16;

}  // namespace

class ClaimGroups::Impl {
 public:
  Impl(const XyReleases& releases, JoinClaim claim, const NewRelease& table, std::vector<CutColumn>& columns)
      : claim_(std::move(claim)),
        columns_(columns),
        earlier_(releases, claim_),
        parts_(claim_, earlier_.join_columns(), table, columns.size()),
        records_(claim_, parts_, table),
        standing_(claim_, earlier_, records_.own_targets()),
        places_(parts_.places) {
    BeginGroups();
  }

  bool IsTooLarge() const { return earlier_.is_too_large(); }

  Standing Now() {
    if (!now_) {
      Standing standing;
      for (const Group& group : groups_) {
        if (!group.is_dead) standing.Take(group.now);
      }
      now_ = OfAll(standing);
    }
    return *now_;
  }

  Standing After(std::size_t column, NodeId node) {
    const std::size_t place = parts_.place_of_cut[column];
    if (place == kNotInX) {
      return parts_.JoinsOutside(column) ? OfAll(AfterJoinOutside(column, node)) : Now();
    }
    Standing standing = Summary(place, node).after;
    standing.Take(OthersThan(place, node));
    return OfAll(standing);
  }

  bool HoldsAfterTried(std::size_t column, NodeId node) {
    const std::size_t place = parts_.place_of_cut[column];
    if (place == kNotInX) {
      return parts_.JoinsOutside(column) ? OfAll(AfterJoinOutside(column, node)).holds : Now().holds;
    }
    Standing standing = OthersThan(place, node);
    const auto take = [&](std::uint32_t number) {
      const Tally tally = TallyOf(number, place, 0);
      standing.Take(Look(number, tally, Count(number, {&tally, 1})).standing);
      if (!standing.holds) failed_last_ = number;
      return standing.holds;
    };
    if (!standing.holds) return false;
    // Neighbouring splits mostly fail in the same group.
    const std::uint32_t last = failed_last_;
    const bool has_last = last < groups_.size() && !groups_[last].is_dead && NodesOf(last)[place] == node;
    if (has_last && !take(last)) return false;
    for (const std::uint32_t number : LinksOf(place, node)) {
      if (groups_[number].is_dead || (has_last && number == last)) continue;
      if (!take(number)) return false;
    }
    return OfAll(standing).holds;
  }

  bool JoinsOutsideX(std::size_t column) const { return parts_.JoinsOutside(column); }

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
    const std::size_t place = parts_.place_of_cut[column];
    return place == kNotInX ? 0 : Summary(place, node).squares_saved;
  }

  void Divide(std::size_t column, NodeId node) {
    const std::size_t place = parts_.place_of_cut[column];
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
    if (parts_.JoinsOutside(column)) {
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

  // What comes of a group or of its parts, taken together.
  struct Outlook {
    Standing standing;
    double squares_saved = 0;
  };
  // Where the counts of a group's parts after a specialization in `place` stand, or of the group itself (kNotInX).
  struct Tally {
    std::size_t place = kNotInX;
    std::size_t parts = 1;
    bool is_counted = true;
    std::size_t first = 0;
    std::size_t past = 0;
  };

  // An empty join promises nothing, and no specialization brings a match back.
  Standing OfAll(Standing standing) const {
    if (!claim_.against.empty() && !standing.meets)
      return {.holds = false, .measure = -std::numeric_limits<double>::infinity(), .meets = false};
    return standing;
  }

  void BeginGroups() {
    const std::size_t fixed = records_.fixed_count(), field = records_.fixed_field();
    std::vector<std::size_t> begin(fixed + 1, 0);
    for (std::size_t r = 0; r < records_.count(); ++r) ++begin[records_.record(r)[field] + 1];
    for (std::size_t f = 0; f < fixed; ++f) begin[f + 1] += begin[f];
    records_.Sort(begin, [&](const std::uint32_t* record) { return record[field]; });
    links_.resize(places_.size());
    summaries_.resize(places_.size());
    others_.resize(places_.size());
    const std::vector<NodeId> roots(places_.size(), 0);
    for (std::size_t f = 0; f < fixed; ++f) AddGroup(begin[f], begin[f + 1], roots);
    for (const std::uint32_t g : fresh_) Examine(g);
    fresh_.clear();
  }

  void AddGroup(std::size_t begin, std::size_t end, std::span<const NodeId> nodes) {
    if (begin == end) return;
    const auto number = static_cast<std::uint32_t>(groups_.size());
    Group group{begin, end, 0, false, {}};
    for (std::size_t r = begin; r < end; ++r) group.records += records_.record(r)[records_.weight_field()];
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
    for (std::size_t r = group.begin; r < group.end; ++r) ++begin[cut.ChildOf(records_.record(r)[place]) + 1];
    begin[0] = group.begin;
    for (std::uint32_t c = 0; c < children; ++c) begin[c + 1] += begin[c];
    records_.Sort(begin, [&](const std::uint32_t* record) { return cut.ChildOf(record[place]); });
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
    for (const std::size_t from : parts_.join_from_place) {
      if (from != kNotInX) {
        cells_.push_back(columns_[places_[from]].node(from == place ? instead : nodes[from]).codes);
        continue;
      }
      const Code code = records_.outside_codes(outside)[o];
      const int cut = parts_.outside[o++].cut;
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
      if (!groups_[g].is_dead) standing.Take(LookAtItself(g).standing);
    }
    tried_.reset();
    return standing;
  }

  // The group as it is, then its parts after a specialization in each place.
  void Examine(std::uint32_t number) {
    std::vector<Tally> tallies{TallyOf(number, kNotInX, 0)};
    for (std::size_t p = 0; p < places_.size(); ++p) {
      if (columns_[places_[p]].node(nodes_[number * places_.size() + p]).child_count > 0)
        tallies.push_back(TallyOf(number, p, tallies.back().past));
    }
    const std::vector<std::uint64_t> counts = Count(number, tallies);
    groups_[number].now = Look(number, tallies.front(), counts).standing;
    for (std::size_t p = 0; p < places_.size(); ++p) {
      after_[number * places_.size() + p] = groups_[number].now;
      squares_saved_[number * places_.size() + p] = 0;
    }
    for (const Tally& tally : std::span(tallies).subspan(1)) {
      const Outlook outlook = Look(number, tally, counts);
      after_[number * places_.size() + tally.place] = outlook.standing;
      squares_saved_[number * places_.size() + tally.place] = outlook.squares_saved;
    }
  }

  Outlook LookAtItself(std::uint32_t number) {
    const Tally tally = TallyOf(number, kNotInX, 0);
    return Look(number, tally, Count(number, {&tally, 1}));
  }

  Tally TallyOf(std::uint32_t number, std::size_t place, std::size_t first) const {
    Tally tally{place, 1, true, first, first};
    if (place != kNotInX)
      tally.parts = columns_[places_[place]].node(nodes_[number * places_.size() + place]).child_count;
    const std::size_t counters = tally.parts * CountersOfPart();
    tally.is_counted = !records_.y_is_shared() && counters <= kMostCounters;
    if (tally.is_counted) tally.past += counters;
    return tally;
  }
  std::size_t CountersOfPart() const { return records_.outside_count() * (1 + records_.target_counters()); }

  Outlook Look(std::uint32_t number, const Tally& tally, std::span<const std::uint64_t> counts) {
    if (!tally.is_counted) return LookByRecord(number, tally);
    return LookAtCounts(number, tally, counts.subspan(tally.first, tally.past - tally.first));
  }

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

  // For each tally, by part and outside number: records, then those with each value of each target. All tallies in one
  // pass over the records: there are many of them, and memory is what they cost.
  std::vector<std::uint64_t> Count(std::uint32_t number, std::span<const Tally> tallies) const {
    constexpr std::size_t kChunk = std::size_t{1} << 16;
    const Group& group = groups_[number];
    std::vector<std::uint64_t> counts(tallies.back().past);
    if (counts.empty()) return counts;
    const std::size_t chunks = (group.end - group.begin + kChunk - 1) / kChunk;
    if (chunks == 1) {
      CountRecords(group.begin, group.end, tallies, counts);
      return counts;
    }
    std::mutex adding;
    ParallelFor(chunks, 1, [&](std::size_t from, std::size_t to) {
      std::vector<std::uint64_t> part(counts.size());
      CountRecords(group.begin + from * kChunk, std::min(group.begin + to * kChunk, group.end), tallies, part);
      const std::lock_guard lock(adding);
      std::ranges::transform(part, counts, counts.begin(), std::plus<>());
    });
    return counts;
  }

  void CountRecords(std::size_t begin, std::size_t end, std::span<const Tally> tallies,
                    std::span<std::uint64_t> counts) const {
    const std::size_t counters = 1 + records_.target_counters();
    const std::size_t outsides = records_.outside_count();
    const std::span<const OwnTarget> targets = records_.own_targets();
    for (std::size_t r = begin; r < end; ++r) {
      const std::uint32_t* const record = records_.record(r);
      const std::uint64_t weight = record[records_.weight_field()];
      for (const Tally& tally : tallies) {
        if (!tally.is_counted) continue;
        std::uint64_t* const cell =
            &counts[tally.first +
                    (PartOf(record, tally.place) * outsides + record[records_.outside_field()]) * counters];
        cell[0] += weight;
        for (std::size_t t = 0; t < targets.size(); ++t)
          cell[1 + targets[t].first + record[records_.target_field() + t]] += weight;
      }
    }
  }

  Outlook LookAtCounts(std::uint32_t number, const Tally& tally, std::span<const std::uint64_t> counts) {
    const std::size_t counters = 1 + records_.target_counters();
    Outlook outlook{{}, SquareOf(groups_[number].records)};
    std::vector<JoinCell> cells;
    for (std::size_t part = 0; part < tally.parts; ++part) {
      cells.clear();
      std::uint64_t records = 0;
      for (std::uint32_t o = 0; o < records_.outside_count(); ++o) {
        const auto cell = counts.subspan((part * records_.outside_count() + o) * counters, counters);
        if (cell[0] == 0) continue;
        records += cell[0];
        cells.push_back({FactsOf(NodesOf(number), o, tally.place, ChildNode(number, tally.place, part)), cell[0],
                         records_.y_is_row() ? cell[0] : 1, cell.subspan(1)});
      }
      outlook.squares_saved -= SquareOf(records);
      if (!cells.empty()) outlook.standing.Take(StandingOfCells(cells));
    }
    return outlook;
  }

  static double SquareOf(std::uint64_t records) { return static_cast<double>(records) * static_cast<double>(records); }

  // Where Y has no part in this release its one value is everywhere.
  Standing StandingOfCells(std::span<const JoinCell> cells) {
    if (claim_.k == 0 || records_.y_is_row() || cells.size() == 1) return standing_.Of(cells);
    std::vector<std::uint32_t> facts;
    for (const JoinCell& cell : cells) facts.push_back(cell.facts);
    return standing_.OfShared({{facts, 1}});
  }

  Outlook LookByRecord(std::uint32_t number, const Tally& tally) {
    const Group& group = groups_[number];
    std::vector<std::vector<const std::uint32_t*>> records_of_part(tally.parts);
    for (std::size_t r = group.begin; r < group.end; ++r)
      records_of_part[PartOf(records_.record(r), tally.place)].push_back(records_.record(r));
    Outlook outlook{{}, SquareOf(group.records)};
    for (std::size_t part = 0; part < tally.parts; ++part) {
      if (records_of_part[part].empty()) continue;
      std::uint64_t records = 0;
      for (const std::uint32_t* record : records_of_part[part]) records += record[records_.weight_field()];
      outlook.squares_saved -= SquareOf(records);
      outlook.standing.Take(
          StandingOfPart(records_of_part[part], number, tally.place, ChildNode(number, tally.place, part)));
    }
    return outlook;
  }

  Standing StandingOfPart(std::span<const std::uint32_t* const> records, std::uint32_t number, std::size_t place,
                          NodeId instead) {
    std::map<std::uint32_t, std::vector<std::uint64_t>> by_outside;  // records, then target counters
    std::map<std::uint32_t, std::vector<std::uint32_t>> outside_of_y;
    for (const std::uint32_t* record : records) {
      auto& counts = by_outside[record[records_.outside_field()]];
      counts.resize(1 + records_.target_counters());
      counts[0] += record[records_.weight_field()];
      for (std::size_t t = 0; t < records_.own_targets().size(); ++t)
        counts[1 + records_.own_targets()[t].first + record[records_.target_field() + t]] +=
            record[records_.weight_field()];
      if (records_.y_is_shared()) outside_of_y[record[records_.y_field()]].push_back(record[records_.outside_field()]);
    }
    std::map<std::uint32_t, std::uint32_t> facts;
    for (const auto& [outside, counts] : by_outside) facts[outside] = FactsOf(NodesOf(number), outside, place, instead);
    if (records_.y_is_shared() && claim_.k > 0) {
      std::map<std::vector<std::uint32_t>, std::uint64_t> values_by_facts;
      for (const auto& [y, outsides] : outside_of_y) {
        std::vector<std::uint32_t> met;
        for (const std::uint32_t outside : outsides) met.push_back(facts[outside]);
        std::ranges::sort(met);
        met.erase(std::unique(met.begin(), met.end()), met.end());
        ++values_by_facts[std::move(met)];
      }
      return standing_.OfShared(values_by_facts);
    }
    std::vector<JoinCell> cells;
    for (const auto& [outside, counts] : by_outside) {
      cells.push_back({facts[outside], counts[0], records_.y_is_row() ? counts[0] : 1, std::span(counts).subspan(1)});
    }
    return StandingOfCells(cells);
  }

  JoinClaim claim_;
  std::vector<CutColumn>& columns_;
  EarlierJoin earlier_;
  ColumnParts parts_;
  CollapsedRecords records_;
  CellStanding standing_;
  std::span<const std::size_t> places_;  // by place: which column that is generalized

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
  std::uint32_t failed_last_ = 0;  // a group in which children that were tried broke the claim
  Box cells_;
};

ClaimGroups::ClaimGroups(const XyReleases& releases, JoinClaim claim, const NewRelease& table,
                         std::vector<CutColumn>& columns)
    : impl_(std::make_unique<Impl>(releases, std::move(claim), table, columns)) {}
ClaimGroups::~ClaimGroups() = default;
ClaimGroups::ClaimGroups(ClaimGroups&&) noexcept = default;

bool ClaimGroups::IsTooLarge() const { return impl_->IsTooLarge(); }
Standing ClaimGroups::Now() const { return impl_->Now(); }
Standing ClaimGroups::After(std::size_t column, CutColumn::NodeId node) const { return impl_->After(column, node); }
bool ClaimGroups::HoldsAfterTried(std::size_t column, CutColumn::NodeId node) const {
  return impl_->HoldsAfterTried(column, node);
}
bool ClaimGroups::JoinsOutsideX(std::size_t column) const { return impl_->JoinsOutsideX(column); }
double ClaimGroups::SquaresSaved(std::size_t column, CutColumn::NodeId node) const {
  return impl_->SquaresSaved(column, node);
}
void ClaimGroups::Divide(std::size_t column, CutColumn::NodeId node) { impl_->Divide(column, node); }
void ClaimGroups::Renew(std::size_t column) { impl_->Renew(column); }

}  // namespace pentimento
