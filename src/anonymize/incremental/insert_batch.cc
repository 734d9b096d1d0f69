#include "anonymize/incremental/insert_batch.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "anonymize/incremental/descend.h"
#include "anonymize/incremental/leaf_lookup.h"
#include "anonymize/incremental/member_codes.h"
#include "anonymize/incremental/series_tree.h"
#include "anonymize/partition/grow_regions.h"
#include "anonymize/partition/packed_rows.h"
#include "base/check.h"
#include "base/parallel.h"

namespace pentimento {
namespace {

constexpr std::size_t kRecordGrain = 1 << 12;
constexpr std::uint64_t kPieceMembers = 1 << 15;

// Who was in a leaf before the newcomers that reached it.
struct EarlierMembers {
  std::uint32_t first_part = 0;
  std::uint32_t part_count = 0;
  std::uint64_t count = 0;
};

// Leaves that may be cut, and their members: those who decide, root after root, and the others.
struct Candidates {
  std::vector<RegionRoot> roots;
  std::vector<std::uint32_t> leaf_of_root;  // which reached leaf
  std::vector<MemberPlace> deciders;
  std::vector<MemberPlace> others;
  std::vector<std::size_t> others_begin;  // by root
};

// A reached leaf that was cut, with children numbered within its piece.
struct CutLeaf {
  std::uint32_t leaf = 0;
  RegionNode node;
};

struct CutLeavesResult {
  std::vector<CutLeaf> cut;
  std::vector<RegionNode> nodes;    // numbered from 0
  std::vector<LeafRecords> leaves;  // of `nodes`, ascending; records are `places`
  std::vector<MemberPlace> places;
};

class Insertion {
 public:
  Insertion(const SeriesView& series, std::span<const Domain> domains, const EncodedTable& batch,
            std::span<const CaseNumber> withdrawn, const InsertOptions& options)
      : series_(series),
        domains_(domains),
        batch_(batch),
        options_(options),
        tree_(series, domains),
        first_member_(series.member_count()),
        facts_(series, withdrawn),
        codes_(series, batch),
        covers_(domains, options.form) {
    step_.segment.withdrawn.assign(withdrawn.begin(), withdrawn.end());
    step_.segment.new_members = static_cast<std::uint32_t>(batch.rows);
  }

  Result<SeriesStep> Run() {
    FindLeaves();
    if (!RecordsAreIntact())
      return Error{ErrorCode::kCorruptLedger,
                   "what the ledger keeps of the series is damaged; restore it from a backup"};
    CutLeaves();
    EmitUncutLeaves();
    EmitNewLeaves();
    FillRecords();
    if (options_.describes_change) Describe();
    step_.leaves_joined = reached_.leaves.size();
    return std::move(step_);
  }

 private:
  void FindLeaves() {
    reached_ = Descend(tree_, batch_, domains_);
    LeafLookup lookup(series_);
    earlier_.reserve(reached_.leaves.size());
    for (const ReachedLeaf& leaf : reached_.leaves) {
      EarlierMembers earlier{static_cast<std::uint32_t>(parts_.size()), 0, 0};
      lookup.AppendParts(leaf.node, parts_);
      earlier.part_count = static_cast<std::uint32_t>(parts_.size()) - earlier.first_part;
      for (const LeafPart& part : PartsOf(earlier)) earlier.count += part.records.count;
      earlier_.push_back(earlier);
    }
  }

  std::span<const LeafPart> PartsOf(const EarlierMembers& earlier) const {
    return std::span(parts_).subspan(earlier.first_part, earlier.part_count);
  }
  MemberPlace Newcomer(std::uint32_t row) const { return {first_member_ + row, kInBatch, row}; }
  std::span<const std::uint32_t> NewcomersOf(const ReachedLeaf& leaf) const {
    return std::span(reached_.rows).subspan(leaf.first_row, leaf.row_count);
  }

  bool RecordsAreIntact() const {
    if (!options_.are_intact) return true;
    std::vector<LeafPart> read;
    for (std::size_t leaf = 0; leaf < reached_.leaves.size(); ++leaf) {
      if (!MayBeCut(leaf)) continue;
      const auto parts = PartsOf(earlier_[leaf]);
      read.insert(read.end(), parts.begin(), parts.end());
    }
    return options_.are_intact(read);
  }

  // Fewer than 2k members cannot be cut, and nobody needs to look at them. Where arrivals are hidden, newcomers do not
  // decide unless the leaf never had members.
  bool MayBeCut(std::size_t leaf) const {
    const std::uint64_t before = earlier_[leaf].count;
    const std::uint64_t deciding =
        options_.hides_arrivals && before > 0 ? before : before + reached_.leaves[leaf].row_count;
    return deciding / 2 >= options_.k;
  }

  // Leaves are cut a few at a time, side by side: what one piece needs stays in the cache and is used again for the
  // next.
  void CutLeaves() {
    std::vector<std::vector<std::uint32_t>> pieces;
    std::uint64_t members = kPieceMembers;
    for (std::size_t leaf = 0; leaf < reached_.leaves.size(); ++leaf) {
      if (!MayBeCut(leaf)) continue;
      if (members >= kPieceMembers) pieces.emplace_back(), members = 0;
      pieces.back().push_back(static_cast<std::uint32_t>(leaf));
      members += earlier_[leaf].count + reached_.leaves[leaf].row_count;
    }
    cuts_.resize(pieces.size());
    ParallelFor(pieces.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t piece = begin; piece < end; ++piece) cuts_[piece] = CutPiece(pieces[piece]);
    });
  }

  CutLeavesResult CutPiece(std::span<const std::uint32_t> leaves) const {
    Candidates candidates;
    std::size_t members = 0;
    for (const std::uint32_t leaf : leaves) members += earlier_[leaf].count + reached_.leaves[leaf].row_count;
    candidates.deciders.reserve(members);
    for (const std::uint32_t leaf : leaves) Gather(leaf, candidates);
    if (candidates.roots.empty()) return {};
    // The first batch as a whole is a table already.
    const bool is_batch = series_.segments.empty() && candidates.deciders.size() == batch_.rows;
    EncodedTable table;
    if (!is_batch) {
      table = EmptyTable(domains_, candidates.deciders.size());
      codes_.Fill(candidates.deciders, table);
    }
    const GrownRegions grown =
        GrowRegions(is_batch ? batch_ : table, domains_, candidates.roots, options_.k, options_.form);
    return TakeCuts(candidates, grown);
  }

  void Gather(std::uint32_t leaf, Candidates& candidates) const {
    const std::size_t first_decider = candidates.deciders.size();
    const std::size_t first_other = candidates.others.size();
    GatherMembers(leaf, candidates);
    // Leaves of which too few may decide stay as they are.
    if (candidates.deciders.size() - first_decider < 2 * options_.k) {
      candidates.deciders.resize(first_decider);
      candidates.others.resize(first_other);
      return;
    }
    const auto region = reached_.region(reached_.leaves[leaf], domains_.size());
    candidates.roots.push_back({first_decider, candidates.deciders.size(), Box(region.begin(), region.end())});
    candidates.leaf_of_root.push_back(leaf);
    candidates.others_begin.push_back(first_other);
  }

  void GatherMembers(std::uint32_t leaf, Candidates& candidates) const {
    const auto for_each_member = [&](const auto& body) {
      for (const LeafPart& part : PartsOf(earlier_[leaf])) {
        const SegmentView& segment = series_.segments[part.segment];
        for (std::uint32_t i = 0; i < part.records.count; ++i) {
          const std::uint32_t record = part.records.begin + i;
          body(MemberPlace{segment.members[record], part.segment, record});
        }
      }
      for (const std::uint32_t row : NewcomersOf(reached_.leaves[leaf])) body(Newcomer(row));
    };
    std::uint32_t oldest = kInBatch;
    if (options_.hides_arrivals) {
      for_each_member([&](const MemberPlace& place) { oldest = std::min(oldest, facts_.ArrivalOf(place.member)); });
    }
    for_each_member([&](const MemberPlace& place) {
      const bool decides =
          !facts_.HasLeft(place.member) && (oldest == kInBatch || facts_.ArrivalOf(place.member) <= oldest);
      (decides ? candidates.deciders : candidates.others).push_back(place);
    });
  }

  // Of the roots, those that were cut, and all members of the leaves they were cut into.
  CutLeavesResult TakeCuts(const Candidates& candidates, const GrownRegions& grown) const {
    CutLeavesResult result;
    result.places.reserve(candidates.deciders.size());
    const auto roots = static_cast<NodeNumber>(candidates.roots.size());
    for (NodeNumber root = 0; root < roots; ++root) {
      RegionNode node = grown.nodes[root];
      if (node.is_leaf()) continue;
      node.first_child -= roots;
      result.cut.push_back({candidates.leaf_of_root[root], node});
    }
    for (std::size_t n = roots; n < grown.nodes.size(); ++n) {
      result.nodes.push_back(grown.nodes[n]);
      if (!result.nodes.back().is_leaf()) result.nodes.back().first_child -= roots;
    }
    const std::vector<std::pair<NodeNumber, MemberPlace>> others = PlaceOthers(candidates, grown);
    std::size_t other = 0;
    std::vector<GrownLeaf> leaves = grown.leaves;
    std::sort(leaves.begin(), leaves.end(), [](const GrownLeaf& a, const GrownLeaf& b) { return a.node < b.node; });
    for (const GrownLeaf& leaf : leaves) {
      if (leaf.node < roots) continue;  // a root that was not cut
      const auto begin = static_cast<std::uint32_t>(result.places.size());
      for (std::uint32_t i = leaf.begin; i < leaf.end; ++i) result.places.push_back(candidates.deciders[grown.rows[i]]);
      for (; other < others.size() && others[other].first == leaf.node; ++other)
        result.places.push_back(others[other].second);
      result.leaves.push_back({leaf.node - roots, begin, static_cast<std::uint32_t>(result.places.size()) - begin});
    }
    Check(other == others.size(), "everybody has a leaf");
    return result;
  }

  // Members who did not decide go where the cuts put them, ascending by leaf.
  std::vector<std::pair<NodeNumber, MemberPlace>> PlaceOthers(const Candidates& candidates,
                                                              const GrownRegions& grown) const {
    std::vector<std::pair<NodeNumber, MemberPlace>> placed;
    for (std::size_t root = 0; root < candidates.roots.size(); ++root) {
      if (grown.nodes[root].is_leaf()) continue;
      const bool is_last = root + 1 == candidates.roots.size();
      const std::size_t end = is_last ? candidates.others.size() : candidates.others_begin[root + 1];
      for (std::size_t i = candidates.others_begin[root]; i < end; ++i) {
        auto number = static_cast<NodeNumber>(root);
        while (!grown.nodes[number].is_leaf()) {
          const RegionNode& node = grown.nodes[number];
          const auto children = std::span(grown.nodes).subspan(node.first_child, node.child_count);
          const Code code = codes_(candidates.others[i], node.column);
          number = node.first_child + static_cast<NodeNumber>(ChildOfCode(children, code));
        }
        placed.emplace_back(number, candidates.others[i]);
      }
    }
    std::stable_sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return placed;
  }

  // Leaves that stay: their newcomers join them.
  void EmitUncutLeaves() {
    std::vector<bool> was_cut(reached_.leaves.size(), false);
    for (const CutLeavesResult& cuts : cuts_) {
      for (const CutLeaf& cut : cuts.cut) was_cut[cut.leaf] = true;
    }
    for (std::size_t leaf = 0; leaf < reached_.leaves.size(); ++leaf) {
      if (was_cut[leaf]) continue;
      const ReachedLeaf& joined = reached_.leaves[leaf];
      step_.segment.leaves.push_back({joined.node, static_cast<std::uint32_t>(places_.size()), joined.row_count});
      for (const std::uint32_t row : NewcomersOf(joined)) places_.push_back(Newcomer(row));
      joined_leaf_.push_back(static_cast<std::uint32_t>(leaf));
    }
  }

  // Nodes of one piece follow those of the piece before.
  void EmitNewLeaves() {
    SegmentData& segment = step_.segment;
    NodeNumber first_node = tree_.node_count();
    for (CutLeavesResult& cuts : cuts_) {
      for (const CutLeaf& cut : cuts.cut) {
        ++step_.leaves_refined;
        segment.splits.push_back(
            {reached_.leaves[cut.leaf].node, cut.node.column, first_node + cut.node.first_child, cut.node.child_count});
      }
      for (RegionNode node : cuts.nodes) {
        if (!node.is_leaf()) node.first_child += first_node;
        segment.nodes.push_back(node);
      }
      const auto first_place = static_cast<std::uint32_t>(places_.size());
      for (const LeafRecords& leaf : cuts.leaves)
        segment.leaves.push_back({first_node + leaf.node, first_place + leaf.begin, leaf.count});
      places_.insert(places_.end(), cuts.places.begin(), cuts.places.end());
      cuts.places = {};
      first_node += static_cast<NodeNumber>(cuts.nodes.size());
    }
  }

  void FillRecords() {
    SegmentData& segment = step_.segment;
    segment.members.resize(places_.size());
    if (partition::FitNarrowLanes(domains_)) {
      FillLanes(segment.codes.emplace<std::vector<std::uint16_t>>());
    } else {
      FillLanes(segment.codes.emplace<std::vector<std::uint32_t>>());
    }
  }

  template <typename Lane>
  void FillLanes(std::vector<Lane>& lanes) {
    const std::size_t columns = domains_.size();
    lanes.resize(places_.size() * columns);
    if (columns == 0) {
      for (std::size_t i = 0; i < places_.size(); ++i) step_.segment.members[i] = places_[i].member;
      return;
    }
    ParallelFor(places_.size(), kRecordGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        step_.segment.members[i] = places_[i].member;
        codes_.Copy(places_[i], &lanes[i * columns]);
      }
    });
  }

  void AppendNewGroups(SeriesChange& change, std::vector<std::uint32_t>& previous_of_leaf);
  void Describe();

  const SeriesView& series_;
  std::span<const Domain> domains_;
  const EncodedTable& batch_;
  InsertOptions options_;
  SeriesTree tree_;
  CaseNumber first_member_;
  MemberFacts facts_;
  MemberCodes codes_;
  RegionCovers covers_;
  SeriesStep step_;
  Reached reached_;
  std::vector<EarlierMembers> earlier_;  // by reached leaf
  std::vector<LeafPart> parts_;
  std::vector<CutLeavesResult> cuts_;       // by piece
  std::vector<MemberPlace> places_;         // by record of the new segment
  std::vector<std::uint32_t> joined_leaf_;  // by uncut leaf of the new segment: which reached leaf
};

// The boxes of the leaves that were made, in the order of the new segment, and which earlier box their members had.
void Insertion::AppendNewGroups(SeriesChange& change, std::vector<std::uint32_t>& previous_of_leaf) {
  struct Open {
    NodeNumber node;
    std::uint32_t previous;
    Box region;
  };
  for (const CutLeavesResult& cuts : cuts_) {
    std::vector<Open> leaves;
    std::vector<Open> open;
    for (const CutLeaf& cut : cuts.cut) {
      const auto region = reached_.region(reached_.leaves[cut.leaf], domains_.size());
      const auto previous = static_cast<std::uint32_t>(change.staying_in_previous.size());
      change.staying_in_previous.push_back(0);
      covers_.Append(region, change.previous_boxes);
      const auto push_children = [&](const RegionNode& node, const Box& parent) {
        const auto children = std::span(cuts.nodes).subspan(node.first_child, node.child_count);
        for (std::size_t child = 0; child < children.size(); ++child) {
          open.push_back({node.first_child + static_cast<NodeNumber>(child), previous, parent});
          Interval& interval = open.back().region[node.column];
          interval = RegionOfChild(children, child, interval);
        }
      };
      push_children(cut.node, Box(region.begin(), region.end()));
      while (!open.empty()) {
        Open at = std::move(open.back());
        open.pop_back();
        if (cuts.nodes[at.node].is_leaf()) {
          leaves.push_back(std::move(at));
        } else {
          push_children(cuts.nodes[at.node], at.region);
        }
      }
    }
    std::sort(leaves.begin(), leaves.end(), [](const Open& a, const Open& b) { return a.node < b.node; });
    for (const Open& leaf : leaves) {
      covers_.Append(leaf.region, change.draft.boxes);
      previous_of_leaf.push_back(leaf.previous);
    }
  }
}

// What is published changes only in leaves of the new segment: these are the groups, in the same order.
void Insertion::Describe() {
  SeriesChange& change = step_.described.change;
  const SegmentData& segment = step_.segment;
  const std::size_t rows = places_.size();
  change.draft.columns = domains_.size();
  change.case_of_row.resize(rows);
  change.draft.group_of_row.resize(rows);
  change.previous_of_row.resize(rows, SeriesChange::kNew);
  change.is_withdrawn.resize(rows);
  change.arrival_of_row.resize(rows);
  std::vector<MemberPlace> place_of_row(rows);
  std::size_t next_earlier = batch_.rows;
  const auto add = [&](const LeafRecords& leaf, std::uint32_t previous, std::uint64_t staying) {
    const auto group = static_cast<GroupId>(change.staying_in_group.size());
    change.staying_in_group.push_back(staying);
    for (std::uint32_t record = leaf.begin; record < leaf.begin + leaf.count; ++record) {
      const MemberPlace& place = places_[record];
      const bool is_newcomer = place.segment == kInBatch;
      const std::size_t row = is_newcomer ? place.record : next_earlier++;
      place_of_row[row] = place;
      change.case_of_row[row] = place.member;
      change.draft.group_of_row[row] = group;
      if (!is_newcomer) change.previous_of_row[row] = previous;
      change.is_withdrawn[row] = facts_.HasLeft(place.member) ? 1 : 0;
      change.arrival_of_row[row] = facts_.ArrivalOf(place.member);
    }
  };
  for (std::size_t leaf = 0; leaf < joined_leaf_.size(); ++leaf) {
    const std::size_t reached = joined_leaf_[leaf];
    covers_.Append(reached_.region(reached_.leaves[reached], domains_.size()), change.draft.boxes);
    add(segment.leaves[leaf], SeriesChange::kNew, earlier_[reached].count);
  }
  std::vector<std::uint32_t> previous_of_leaf;
  AppendNewGroups(change, previous_of_leaf);
  for (std::size_t i = 0; i < previous_of_leaf.size(); ++i)
    add(segment.leaves[joined_leaf_.size() + i], previous_of_leaf[i], 0);
  step_.described.table = EmptyTable(domains_, rows);
  codes_.Fill(place_of_row, step_.described.table);
}

}  // namespace

Result<SeriesStep> InsertBatch(const SeriesView& series, std::span<const Domain> domains, const EncodedTable& batch,
                               std::span<const CaseNumber> withdrawn, const InsertOptions& options) {
  Check(series.columns == domains.size(), "one domain per quasi-identifier");
  Check(batch.quasi_identifiers.size() == domains.size(), "one column per domain");
  if (std::uint64_t{series.member_count()} + batch.rows >= UINT32_MAX) {
    return Error{ErrorCode::kBadInput, "the series would have more than 4,294,967,294 members; begin another series"};
  }
  if (series.segments.empty() && batch.rows < options.k) {
    return Error{
        ErrorCode::kRefused,
        fmt::format("a series begins with at least {} people, so that nobody stands alone, but here are {}: {} "
                    "more are needed, and nothing was published; wait until there are enough",
                    options.k, batch.rows, options.k - batch.rows)};
  }
  return Insertion(series, domains, batch, withdrawn, options).Run();
}

}  // namespace pentimento
