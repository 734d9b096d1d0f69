#include "anonymize/incremental/insert_batch.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "anonymize/incremental/leaf_lookup.h"
#include "anonymize/incremental/series_tree.h"
#include "anonymize/partition/grow_regions.h"
#include "base/check.h"
#include "base/parallel.h"

namespace pentimento {
namespace {

constexpr std::size_t kRowGrain = 1 << 12;

struct Newcomer {
  NodeNumber leaf = 0;
  std::uint32_t row = 0;  // of the batch
};

// A leaf that has newcomers, and who was there before.
struct JoinedLeaf {
  NodeNumber node = 0;
  std::uint32_t first_newcomer = 0;
  std::uint32_t newcomers = 0;
  std::uint32_t first_part = 0;  // where its earlier members are
  std::uint32_t part_count = 0;
  std::uint64_t earlier = 0;

  std::uint64_t members() const { return earlier + newcomers; }
};

// A member of a leaf that may be cut.
struct Candidate {
  CaseNumber member = 0;
  std::uint32_t segment = 0;  // where its codes are; kInBatch for a newcomer
  std::uint32_t record = 0;
};
constexpr std::uint32_t kInBatch = std::numeric_limits<std::uint32_t>::max();

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
        withdrawn_(series, withdrawn) {
    step_.segment.withdrawn.assign(withdrawn.begin(), withdrawn.end());
    step_.segment.new_members = static_cast<std::uint32_t>(batch.rows);
    const bool is_narrow = std::ranges::all_of(domains, [](const Domain& domain) { return domain.size() <= 1U << 16; });
    if (is_narrow) {
      step_.segment.codes.emplace<std::vector<std::uint16_t>>();
    } else {
      step_.segment.codes.emplace<std::vector<std::uint32_t>>();
    }
  }

  SeriesStep Run() {
    FindLeaves();
    GatherCandidates();
    if (!roots_.empty()) Cut();
    EmitUncutLeaves();
    EmitNewLeaves();
    FillCodes();
    step_.leaves_joined = joined_.size();
    return std::move(step_);
  }

 private:
  void FindLeaves() {
    newcomers_.resize(batch_.rows);
    ParallelFor(batch_.rows, kRowGrain, [&](std::size_t begin, std::size_t end) {
      Box region;
      for (std::size_t row = begin; row < end; ++row) {
        const auto code_of = [&](std::size_t column) { return batch_.quasi_identifiers[column][row]; };
        newcomers_[row] = {tree_.Locate(code_of, region), static_cast<std::uint32_t>(row)};
      }
    });
    // Before the first release there is only one leaf.
    if (!series_.segments.empty()) {
      ParallelSort(newcomers_.begin(), newcomers_.end(), [](const Newcomer& a, const Newcomer& b) {
        return a.leaf != b.leaf ? a.leaf < b.leaf : a.row < b.row;
      });
    }
    LeafLookup lookup(series_);
    for (std::uint32_t first = 0, past = 0; first < newcomers_.size(); first = past) {
      while (past < newcomers_.size() && newcomers_[past].leaf == newcomers_[first].leaf) ++past;
      JoinedLeaf leaf{.node = newcomers_[first].leaf, .first_newcomer = first, .newcomers = past - first};
      leaf.first_part = static_cast<std::uint32_t>(parts_.size());
      lookup.AppendParts(leaf.node, parts_);
      leaf.part_count = static_cast<std::uint32_t>(parts_.size()) - leaf.first_part;
      for (const LeafPart& part : PartsOf(leaf)) leaf.earlier += part.records.count;
      joined_.push_back(leaf);
    }
  }

  std::span<const LeafPart> PartsOf(const JoinedLeaf& leaf) const {
    return std::span(parts_).subspan(leaf.first_part, leaf.part_count);
  }

  // Fewer than 2k members cannot be cut, and nobody needs to look at them. Where arrivals are hidden, newcomers do not
  // decide unless the leaf never had members.
  bool MayBeCut(const JoinedLeaf& leaf) const {
    const std::uint64_t deciding = options_.hides_arrivals && leaf.earlier > 0 ? leaf.earlier : leaf.members();
    return deciding / 2 >= options_.k;
  }

  void GatherCandidates() {
    for (std::size_t j = 0; j < joined_.size(); ++j) {
      if (!MayBeCut(joined_[j])) continue;
      cut_.push_back(static_cast<std::uint32_t>(j));
      const std::size_t begin = deciders_.size();
      GatherMembers(joined_[j]);
      RegionRoot root{begin, deciders_.size(), {}};
      const Candidate& any = root.begin < root.end ? deciders_[begin] : others_.back();
      (void)tree_.Locate([&](std::size_t column) { return CodeOf(any, column); }, root.region);
      // Leaves of which too few may decide stay as they are.
      if (root.end - root.begin < 2 * options_.k) {
        deciders_.resize(begin);
        others_.resize(others_begin_.back());
        others_begin_.pop_back();
        cut_.pop_back();
        continue;
      }
      roots_.push_back(std::move(root));
    }
    others_begin_.push_back(static_cast<std::uint32_t>(others_.size()));
  }

  void GatherMembers(const JoinedLeaf& leaf) {
    others_begin_.push_back(static_cast<std::uint32_t>(others_.size()));
    std::vector<Candidate> members;
    for (const LeafPart& part : PartsOf(leaf)) {
      const SegmentView& segment = series_.segments[part.segment];
      for (std::uint32_t i = 0; i < part.records.count; ++i) {
        const std::uint32_t record = part.records.begin + i;
        members.push_back({segment.members[record], part.segment, record});
      }
    }
    for (std::uint32_t i = 0; i < leaf.newcomers; ++i) {
      const std::uint32_t row = newcomers_[leaf.first_newcomer + i].row;
      members.push_back({first_member_ + row, kInBatch, row});
    }
    const std::uint32_t oldest = options_.hides_arrivals ? OldestArrival(members) : kInBatch;
    for (const Candidate& member : members) {
      const bool decides = !withdrawn_.Contains(member.member) && withdrawn_.ArrivalOf(member.member) <= oldest;
      (decides ? deciders_ : others_).push_back(member);
    }
  }

  std::uint32_t OldestArrival(std::span<const Candidate> members) const {
    std::uint32_t oldest = kInBatch;
    for (const Candidate& member : members) oldest = std::min(oldest, withdrawn_.ArrivalOf(member.member));
    return oldest;
  }

  Code CodeOf(const Candidate& candidate, std::size_t column) const {
    if (candidate.segment == kInBatch) return batch_.quasi_identifiers[column][candidate.record];
    return std::visit([&](auto lanes) { return Code{lanes[std::size_t{candidate.record} * series_.columns + column]}; },
                      series_.segments[candidate.segment].codes);
  }

  void Cut() {
    EncodedTable table;
    table.rows = deciders_.size();
    for (std::size_t c = 0; c < domains_.size(); ++c) {
      CodeColumn codes(domains_[c].size(), table.rows);
      for (std::size_t i = 0; i < table.rows; ++i) codes.Set(i, CodeOf(deciders_[i], c));
      table.quasi_identifiers.push_back(std::move(codes));
    }
    grown_ = GrowRegions(table, domains_, roots_, options_.k, options_.form);
  }

  bool WasCut(std::size_t root) const { return !grown_.nodes[root].is_leaf(); }
  NodeNumber Global(NodeNumber grown) const {
    return tree_.node_count() + grown - static_cast<NodeNumber>(roots_.size());
  }

  // Leaves that stay: their newcomers join them.
  void EmitUncutLeaves() {
    SegmentData& segment = step_.segment;
    std::size_t root = 0;
    for (std::size_t j = 0; j < joined_.size(); ++j) {
      const bool is_root = root < cut_.size() && cut_[root] == j;
      if (is_root && WasCut(root++)) continue;
      const JoinedLeaf& leaf = joined_[j];
      segment.leaves.push_back({leaf.node, static_cast<std::uint32_t>(sources_.size()), leaf.newcomers});
      for (std::uint32_t i = 0; i < leaf.newcomers; ++i) {
        const std::uint32_t row = newcomers_[leaf.first_newcomer + i].row;
        sources_.push_back({first_member_ + row, kInBatch, row});
      }
    }
  }

  // Leaves that were cut, and all members of the leaves they were cut into.
  void EmitNewLeaves() {
    SegmentData& segment = step_.segment;
    for (std::size_t root = 0; root < roots_.size(); ++root) {
      if (!WasCut(root)) continue;
      ++step_.leaves_refined;
      const RegionNode& node = grown_.nodes[root];
      segment.splits.push_back({joined_[cut_[root]].node, node.column, Global(node.first_child), node.child_count});
    }
    for (std::size_t n = roots_.size(); n < grown_.nodes.size(); ++n) {
      RegionNode node = grown_.nodes[n];
      if (!node.is_leaf()) node.first_child = Global(node.first_child);
      segment.nodes.push_back(node);
    }
    const std::vector<std::pair<NodeNumber, Candidate>> others = PlaceOthers();
    const std::size_t first_leaf = segment.leaves.size();
    std::size_t other = 0;
    std::vector<GrownLeaf> leaves = grown_.leaves;
    std::sort(leaves.begin(), leaves.end(), [](const GrownLeaf& a, const GrownLeaf& b) { return a.node < b.node; });
    for (const GrownLeaf& leaf : leaves) {
      if (leaf.node < roots_.size()) continue;  // a root that was not cut
      segment.leaves.push_back({Global(leaf.node), static_cast<std::uint32_t>(sources_.size()), 0});
      for (std::uint32_t i = leaf.begin; i < leaf.end; ++i) sources_.push_back(deciders_[grown_.rows[i]]);
      for (; other < others.size() && others[other].first == leaf.node; ++other)
        sources_.push_back(others[other].second);
      segment.leaves.back().count = static_cast<std::uint32_t>(sources_.size()) - segment.leaves.back().begin;
    }
    Check(other == others.size(), "everybody has a leaf");
    Check(std::is_sorted(segment.leaves.begin() + static_cast<std::ptrdiff_t>(first_leaf), segment.leaves.end(),
                         [](const LeafRecords& a, const LeafRecords& b) { return a.node < b.node; }),
          "leaves ascend");
  }

  // Members who did not decide go where the cuts put them, ascending by leaf.
  std::vector<std::pair<NodeNumber, Candidate>> PlaceOthers() const {
    std::vector<std::pair<NodeNumber, Candidate>> placed;
    for (std::size_t root = 0; root < roots_.size(); ++root) {
      if (!WasCut(root)) continue;
      for (std::uint32_t i = others_begin_[root]; i < others_begin_[root + 1]; ++i) {
        auto number = static_cast<NodeNumber>(root);
        while (!grown_.nodes[number].is_leaf()) {
          const RegionNode& node = grown_.nodes[number];
          const auto children = std::span(grown_.nodes).subspan(node.first_child, node.child_count);
          number = node.first_child + static_cast<NodeNumber>(ChildOfCode(children, CodeOf(others_[i], node.column)));
        }
        placed.emplace_back(number, others_[i]);
      }
    }
    std::stable_sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return placed;
  }

  void FillCodes() {
    SegmentData& segment = step_.segment;
    segment.members.resize(sources_.size());
    std::visit(
        [&](auto& lanes) {
          using Lane = typename std::remove_cvref_t<decltype(lanes)>::value_type;
          const std::size_t columns = domains_.size();
          lanes.resize(sources_.size() * columns);
          ParallelFor(sources_.size(), kRowGrain, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
              segment.members[i] = sources_[i].member;
              for (std::size_t c = 0; c < columns; ++c)
                lanes[i * columns + c] = static_cast<Lane>(CodeOf(sources_[i], c));
            }
          });
        },
        segment.codes);
  }

  const SeriesView& series_;
  std::span<const Domain> domains_;
  const EncodedTable& batch_;
  InsertOptions options_;
  SeriesTree tree_;
  CaseNumber first_member_;
  MemberFacts withdrawn_;
  SeriesStep step_;
  std::vector<Newcomer> newcomers_;  // by leaf
  std::vector<JoinedLeaf> joined_;   // ascending by node
  std::vector<LeafPart> parts_;
  std::vector<std::uint32_t> cut_;   // by root: which of joined_
  std::vector<RegionRoot> roots_;    // leaves that may be cut
  std::vector<Candidate> deciders_;  // root after root
  std::vector<Candidate> others_;
  std::vector<std::uint32_t> others_begin_;  // by root, and past the last
  GrownRegions grown_;
  std::vector<Candidate> sources_;  // by record of the new segment
};

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
