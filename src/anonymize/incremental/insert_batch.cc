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
#include "base/check.h"
#include "base/parallel.h"

namespace pentimento {
namespace {

constexpr std::size_t kRecordGrain = 1 << 12;

// Who was in a leaf before the newcomers that reached it.
struct EarlierMembers {
  std::uint32_t first_part = 0;
  std::uint32_t part_count = 0;
  std::uint64_t count = 0;
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
        codes_(series, batch) {
    step_.segment.withdrawn.assign(withdrawn.begin(), withdrawn.end());
    step_.segment.new_members = static_cast<std::uint32_t>(batch.rows);
  }

  SeriesStep Run() {
    FindLeaves();
    GatherCandidates();
    if (!roots_.empty()) Cut();
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

  // Fewer than 2k members cannot be cut, and nobody needs to look at them. Where arrivals are hidden, newcomers do not
  // decide unless the leaf never had members.
  bool MayBeCut(std::size_t leaf) const {
    const std::uint64_t before = earlier_[leaf].count;
    const std::uint64_t deciding =
        options_.hides_arrivals && before > 0 ? before : before + reached_.leaves[leaf].row_count;
    return deciding / 2 >= options_.k;
  }

  void GatherCandidates() {
    for (std::size_t leaf = 0; leaf < reached_.leaves.size(); ++leaf) {
      if (!MayBeCut(leaf)) continue;
      const std::size_t first_decider = deciders_.size();
      const std::size_t first_other = others_.size();
      GatherMembers(leaf);
      // Leaves of which too few may decide stay as they are.
      if (deciders_.size() - first_decider < 2 * options_.k) {
        deciders_.resize(first_decider);
        others_.resize(first_other);
        continue;
      }
      const auto region = reached_.region(reached_.leaves[leaf], domains_.size());
      roots_.push_back({first_decider, deciders_.size(), Box(region.begin(), region.end())});
      leaf_of_root_.push_back(static_cast<std::uint32_t>(leaf));
      others_begin_.push_back(static_cast<std::uint32_t>(first_other));
    }
    others_begin_.push_back(static_cast<std::uint32_t>(others_.size()));
  }

  void GatherMembers(std::size_t leaf) {
    std::vector<MemberPlace>& members = gathered_;
    members.clear();
    for (const LeafPart& part : PartsOf(earlier_[leaf])) {
      const SegmentView& segment = series_.segments[part.segment];
      for (std::uint32_t i = 0; i < part.records.count; ++i) {
        const std::uint32_t record = part.records.begin + i;
        members.push_back({segment.members[record], part.segment, record});
      }
    }
    for (const std::uint32_t row : NewcomersOf(reached_.leaves[leaf])) members.push_back(Newcomer(row));
    const std::uint32_t oldest = options_.hides_arrivals ? OldestArrival(members) : kInBatch;
    for (const MemberPlace& member : members) {
      const bool decides =
          !facts_.HasLeft(member.member) && (oldest == kInBatch || facts_.ArrivalOf(member.member) <= oldest);
      (decides ? deciders_ : others_).push_back(member);
    }
  }

  std::uint32_t OldestArrival(std::span<const MemberPlace> members) const {
    std::uint32_t oldest = kInBatch;
    for (const MemberPlace& member : members) oldest = std::min(oldest, facts_.ArrivalOf(member.member));
    return oldest;
  }

  void Cut() {
    // The first batch as a whole is a table already.
    const bool is_batch = series_.segments.empty() && deciders_.size() == batch_.rows;
    EncodedTable table;
    if (!is_batch) {
      table = EmptyTable(domains_, deciders_.size());
      codes_.Fill(deciders_, 0, table);
    }
    grown_ = GrowRegions(is_batch ? batch_ : table, domains_, roots_, options_.k, options_.form);
  }

  bool WasCut(std::size_t root) const { return !grown_.nodes[root].is_leaf(); }
  NodeNumber Global(NodeNumber grown) const {
    return tree_.node_count() + grown - static_cast<NodeNumber>(roots_.size());
  }

  // Leaves that stay: their newcomers join them.
  void EmitUncutLeaves() {
    std::size_t root = 0;
    for (std::size_t leaf = 0; leaf < reached_.leaves.size(); ++leaf) {
      const bool is_root = root < roots_.size() && leaf_of_root_[root] == leaf;
      if (is_root && WasCut(root++)) continue;
      const ReachedLeaf& joined = reached_.leaves[leaf];
      step_.segment.leaves.push_back({joined.node, static_cast<std::uint32_t>(places_.size()), joined.row_count});
      for (const std::uint32_t row : NewcomersOf(joined)) places_.push_back(Newcomer(row));
      joined_leaf_.push_back(static_cast<std::uint32_t>(leaf));
    }
  }

  // Leaves that were cut, and all members of the leaves they were cut into.
  void EmitNewLeaves() {
    SegmentData& segment = step_.segment;
    for (std::size_t root = 0; root < roots_.size(); ++root) {
      if (!WasCut(root)) continue;
      ++step_.leaves_refined;
      const RegionNode& node = grown_.nodes[root];
      segment.splits.push_back(
          {reached_.leaves[leaf_of_root_[root]].node, node.column, Global(node.first_child), node.child_count});
    }
    for (std::size_t n = roots_.size(); n < grown_.nodes.size(); ++n) {
      RegionNode node = grown_.nodes[n];
      if (!node.is_leaf()) node.first_child = Global(node.first_child);
      segment.nodes.push_back(node);
    }
    const std::vector<std::pair<NodeNumber, MemberPlace>> others = PlaceOthers();
    std::size_t other = 0;
    std::sort(grown_.leaves.begin(), grown_.leaves.end(),
              [](const GrownLeaf& a, const GrownLeaf& b) { return a.node < b.node; });
    for (const GrownLeaf& leaf : grown_.leaves) {
      if (leaf.node < roots_.size()) continue;  // a root that was not cut
      const auto begin = static_cast<std::uint32_t>(places_.size());
      for (std::uint32_t i = leaf.begin; i < leaf.end; ++i) places_.push_back(deciders_[grown_.rows[i]]);
      for (; other < others.size() && others[other].first == leaf.node; ++other)
        places_.push_back(others[other].second);
      segment.leaves.push_back({Global(leaf.node), begin, static_cast<std::uint32_t>(places_.size()) - begin});
    }
    Check(other == others.size(), "everybody has a leaf");
  }

  // Members who did not decide go where the cuts put them, ascending by leaf.
  std::vector<std::pair<NodeNumber, MemberPlace>> PlaceOthers() const {
    std::vector<std::pair<NodeNumber, MemberPlace>> placed;
    for (std::size_t root = 0; root < roots_.size(); ++root) {
      if (!WasCut(root)) continue;
      for (std::uint32_t i = others_begin_[root]; i < others_begin_[root + 1]; ++i) {
        auto number = static_cast<NodeNumber>(root);
        while (!grown_.nodes[number].is_leaf()) {
          const RegionNode& node = grown_.nodes[number];
          const auto children = std::span(grown_.nodes).subspan(node.first_child, node.child_count);
          number = node.first_child + static_cast<NodeNumber>(ChildOfCode(children, codes_(others_[i], node.column)));
        }
        placed.emplace_back(number, others_[i]);
      }
    }
    std::stable_sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return placed;
  }

  void FillRecords() {
    SegmentData& segment = step_.segment;
    segment.members.resize(places_.size());
    const bool is_narrow =
        std::ranges::all_of(domains_, [](const Domain& domain) { return domain.size() <= 1U << 16; });
    if (is_narrow) {
      FillLanes(segment.codes.emplace<std::vector<std::uint16_t>>());
    } else {
      FillLanes(segment.codes.emplace<std::vector<std::uint32_t>>());
    }
  }

  template <typename Lane>
  void FillLanes(std::vector<Lane>& lanes) {
    const std::size_t columns = domains_.size();
    lanes.resize(places_.size() * columns);
    ParallelFor(places_.size(), kRecordGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) step_.segment.members[i] = places_[i].member;
      for (std::size_t c = 0; c < columns; ++c) {
        for (std::size_t i = begin; i < end; ++i) lanes[i * columns + c] = static_cast<Lane>(codes_(places_[i], c));
      }
    });
  }

  // A leaf that this batch made: its region, and which earlier box its members had.
  struct NewLeaf {
    NodeNumber node = 0;  // numbered as in grown_
    std::uint32_t previous = 0;
    Box region;
  };
  std::vector<NewLeaf> NewLeaves();
  void Describe();

  const SeriesView& series_;
  std::span<const Domain> domains_;
  const EncodedTable& batch_;
  InsertOptions options_;
  SeriesTree tree_;
  CaseNumber first_member_;
  MemberFacts facts_;
  MemberCodes codes_;
  SeriesStep step_;
  Reached reached_;
  std::vector<EarlierMembers> earlier_;  // by reached leaf
  std::vector<LeafPart> parts_;
  std::vector<RegionRoot> roots_;  // leaves that may be cut
  std::vector<std::uint32_t> leaf_of_root_;
  std::vector<MemberPlace> deciders_;  // root after root
  std::vector<MemberPlace> others_;
  std::vector<std::uint32_t> others_begin_;  // by root, and past the last
  std::vector<MemberPlace> gathered_;
  GrownRegions grown_;
  std::vector<MemberPlace> places_;         // by record of the new segment
  std::vector<std::uint32_t> joined_leaf_;  // by uncut leaf of the new segment: which reached leaf
};

// In the order of the new segment: ascending by node.
std::vector<Insertion::NewLeaf> Insertion::NewLeaves() {
  SeriesChange& change = step_.described.change;
  std::vector<NewLeaf> leaves;
  std::vector<NewLeaf> open;
  for (std::size_t root = 0; root < roots_.size(); ++root) {
    if (!WasCut(root)) continue;
    const auto previous = static_cast<std::uint32_t>(change.staying_in_previous.size());
    change.staying_in_previous.push_back(0);
    AppendCover(roots_[root].region, domains_, options_.form, change.previous_boxes);
    open.push_back({static_cast<NodeNumber>(root), previous, roots_[root].region});
    while (!open.empty()) {
      NewLeaf at = std::move(open.back());
      open.pop_back();
      const RegionNode& node = grown_.nodes[at.node];
      if (node.is_leaf()) {
        leaves.push_back(std::move(at));
        continue;
      }
      const auto children = std::span(grown_.nodes).subspan(node.first_child, node.child_count);
      for (std::size_t child = 0; child < children.size(); ++child) {
        open.push_back({node.first_child + static_cast<NodeNumber>(child), previous, at.region});
        Interval& cut = open.back().region[node.column];
        cut = RegionOfChild(children, child, cut);
      }
    }
  }
  std::sort(leaves.begin(), leaves.end(), [](const NewLeaf& a, const NewLeaf& b) { return a.node < b.node; });
  return leaves;
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
    AppendCover(reached_.region(reached_.leaves[reached], domains_.size()), domains_, options_.form,
                change.draft.boxes);
    add(segment.leaves[leaf], SeriesChange::kNew, earlier_[reached].count);
  }
  const std::vector<NewLeaf> new_leaves = NewLeaves();
  for (std::size_t i = 0; i < new_leaves.size(); ++i) {
    AppendCover(new_leaves[i].region, domains_, options_.form, change.draft.boxes);
    add(segment.leaves[joined_leaf_.size() + i], new_leaves[i].previous, 0);
  }
  step_.described.table = EmptyTable(domains_, rows);
  codes_.Fill(place_of_row, 0, step_.described.table);
}

}  // namespace

Result<SeriesStep> InsertBatch(const SeriesView& series, std::span<const Domain> domains, const EncodedTable& batch,
                               std::span<const CaseNumber> withdrawn, const InsertOptions& options) {
  Check(series.columns == domains.size(), "one domain per quasi-identifier");
  Check(batch.quasi_identifiers.size() == domains.size(), "one column per domain");
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
