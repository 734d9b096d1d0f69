#include "anonymize/incremental/insert_batch.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "anonymize/incremental/cut_leaves.h"
#include "anonymize/incremental/describe_change.h"
#include "anonymize/incremental/incremental_tree.h"
#include "anonymize/incremental/joined_leaves.h"
#include "anonymize/incremental/leaf_lookup.h"
#include "anonymize/incremental/member_codes.h"
#include "anonymize/partition/grow_regions.h"
#include "base/check.h"
#include "base/large_pages.h"
#include "base/parallel.h"

namespace pentimento {
namespace {

constexpr std::size_t kLeafGrain = 1 << 9;

// Newcomers to a series with releases before this one.
class Insertion {
 public:
  Insertion(const IncrementalView& series, std::span<const Domain> domains, EncodedTable batch,
            std::span<const CaseNumber> withdrawn, const InsertOptions& options)
      : batch_(std::move(batch)),
        tree_(series, domains),
        joined_(FindJoinedLeaves(series, tree_, domains, batch_)),
        facts_(series, withdrawn),
        codes_(series, ViewOf(joined_.codes)),
        context_{series, domains, tree_, joined_, facts_, codes_, options.k, options.form, options.hides_arrivals},
        withdrawn_(withdrawn),
        options_(options) {}

  Result<IncrementalStep> Run() {
    PENTIMENTO_ASSIGN(pieces_, CutLeaves(context_, options_.require_intact));
    const auto new_members = static_cast<std::uint32_t>(batch_.rows);
    std::optional<ChangeDescription> description;
    if (options_.describes_change) description.emplace(context_, std::move(batch_), pieces_);
    EmitUncutLeaves();
    EmitNewLeaves();
    FillRecords();
    segment_->withdrawn.assign(withdrawn_.begin(), withdrawn_.end());
    segment_->new_members = new_members;
    if (options_.segment_is_made) options_.segment_is_made(segment_);
    if (description) step_.described = description->Run(segment_->view(), uncut_);
    step_.leaves_joined = joined_.size();
    step_.segment = std::move(segment_);
    return std::move(step_);
  }

 private:
  // Leaves that stay: their newcomers join them.
  void EmitUncutLeaves() {
    std::vector<bool> was_cut(joined_.size(), false);
    for (const CutPiece& piece : pieces_) {
      for (const CutLeaf& cut : piece.cut) was_cut[cut.leaf] = true;
    }
    uncut_.reserve(joined_.size());
    std::size_t new_leaves = 0;
    std::size_t new_nodes = 0;
    for (const CutPiece& piece : pieces_) new_leaves += piece.leaves.size(), new_nodes += piece.nodes.size();
    segment_->nodes.reserve(new_nodes);
    segment_->leaves.reserve(joined_.size() + new_leaves);
    AskForLargePages(segment_->leaves.data(), (joined_.size() + new_leaves) * sizeof(LeafRecords));
    for (std::size_t leaf = 0; leaf < joined_.size(); ++leaf) {
      if (was_cut[leaf]) continue;
      const JoinedLeaf& joined = joined_.leaves[leaf];
      segment_->leaves.push_back({joined.node, records_, joined.row_count});
      records_ += joined.row_count;
      uncut_.push_back(static_cast<std::uint32_t>(leaf));
    }
  }

  // Nodes of one piece follow those of the piece before.
  void EmitNewLeaves() {
    SegmentData& segment = *segment_;
    NodeNumber first_node = tree_.node_count();
    for (const CutPiece& piece : pieces_) {
      first_record_.push_back(records_);
      for (const CutLeaf& cut : piece.cut) {
        ++step_.leaves_refined;
        segment.splits.push_back(
            {joined_.leaves[cut.leaf].node, cut.node.column, first_node + cut.node.first_child, cut.node.child_count});
      }
      for (RegionNode node : piece.nodes) {
        if (!node.is_leaf()) node.first_child += first_node;
        segment.nodes.push_back(node);
      }
      for (const LeafRecords& leaf : piece.leaves)
        segment.leaves.push_back({first_node + leaf.node, records_ + leaf.begin, leaf.count});
      records_ += static_cast<std::uint32_t>(piece.places.size());
      first_node += static_cast<NodeNumber>(piece.nodes.size());
    }
  }

  void FillRecords() {
    SegmentData& segment = *segment_;
    const std::size_t columns = context_.domains.size();
    TaskGroup room;
    room.Run([&] { ResizeInLargePages(segment.members, records_); });
    WithCodes(segment.codes, context_.domains, records_, [&](auto* codes) {
      room.Wait();
      ParallelFor(uncut_.size(), kLeafGrain, [&](std::size_t begin, std::size_t end) { FillUncut(begin, end, codes); });
      ParallelFor(pieces_.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t p = begin; p < end; ++p) {
          std::size_t record = first_record_[p];
          for (const MemberPlace& place : pieces_[p].places) {
            segment.members[record] = place.member;
            codes_.Copy(place, codes + record++ * columns);
          }
        }
      });
    });
  }

  // Leaves between which none was cut lie in the new segment as they lie in the batch, and are copied together.
  template <typename Stored>
  void FillUncut(std::size_t begin, std::size_t end, Stored* codes) {
    for (std::size_t leaf = begin, past = begin; leaf < end; leaf = past) {
      const std::uint32_t first = joined_.leaves[uncut_[leaf]].first_row;
      std::uint32_t next = first;
      while (past < end && joined_.leaves[uncut_[past]].first_row == next) next += segment_->leaves[past++].count;
      const std::size_t record = segment_->leaves[leaf].begin;
      codes_.CopyRecords(kInBatch, first, next - first, codes + record * context_.domains.size());
      const auto rows = std::span(joined_.rows).subspan(first, next - first);
      std::ranges::transform(rows, segment_->members.begin() + static_cast<std::ptrdiff_t>(record),
                             [&](std::uint32_t row) { return facts_.first_newcomer() + row; });
    }
  }

  EncodedTable batch_;
  IncrementalTree tree_;
  JoinedLeaves joined_;
  MemberFacts facts_;
  MemberCodes codes_;
  StepContext context_;
  std::span<const CaseNumber> withdrawn_;
  const InsertOptions& options_;
  std::vector<CutPiece> pieces_;
  std::vector<std::uint32_t> uncut_;         // joined leaves that stay: the first leaves of the new segment
  std::uint32_t records_ = 0;                // of the new segment, so far
  std::vector<std::uint32_t> first_record_;  // by piece
  std::shared_ptr<SegmentData> segment_ = std::make_shared<SegmentData>();
  IncrementalStep step_;
};

// The first release: everybody is in the root, and members are numbered like rows.
SegmentData Begin(std::span<const Domain> domains, const EncodedTable& batch, const InsertOptions& options) {
  const RegionRoot root{0, batch.rows, IncrementalTree({domains.size(), {}}, domains).root_region()};
  GrownRegions grown = GrowRegions(batch, domains, {&root, 1}, options.k, options.form);
  SegmentData segment;
  segment.new_members = static_cast<std::uint32_t>(batch.rows);
  const RegionNode& cut = grown.nodes.front();
  if (!cut.is_leaf()) segment.splits.push_back({0, cut.column, cut.first_child, cut.child_count});
  segment.nodes.assign(grown.nodes.begin() + 1, grown.nodes.end());
  for (const GrownLeaf& leaf : grown.leaves) segment.leaves.push_back({leaf.node, leaf.begin, leaf.end - leaf.begin});
  std::ranges::sort(segment.leaves, {}, &LeafRecords::node);
  segment.members = std::move(grown.rows);
  FillCodes(batch, domains, segment.members, segment.codes);
  return segment;
}

IncrementalStep BeginSeries(std::span<const Domain> domains, const EncodedTable& batch, const InsertOptions& options) {
  const auto segment = std::make_shared<const SegmentData>(Begin(domains, batch, options));
  if (options.segment_is_made) options.segment_is_made(segment);
  IncrementalStep step{segment, {}, batch.rows > 0 ? std::size_t{1} : 0, segment->splits.size()};
  if (options.describes_change)
    step.described =
        DescribeEverything({domains.size(), {segment->view()}}, domains, options.form, options.hides_arrivals);
  return step;
}

}  // namespace

Result<IncrementalStep> InsertBatch(const IncrementalView& series, std::span<const Domain> domains, EncodedTable batch,
                                    std::span<const CaseNumber> withdrawn, const InsertOptions& options) {
  Check(series.columns == domains.size(), "one domain per quasi-identifier");
  Check(batch.quasi_identifiers.size() == domains.size(), "one column per domain");
  if (std::uint64_t{series.member_count()} + batch.rows >= UINT32_MAX) {
    return Error{ErrorCode::kBadInput, "the series would have more than 4,294,967,294 cases; begin another series"};
  }
  if (series.segments.empty() && batch.rows < options.k) {
    return Error{ErrorCode::kRefused,
                 fmt::format("a series begins with at least {} people, so that nobody stands alone, but here {} {}: {} "
                             "more {} needed, and nothing was published; wait until there are enough",
                             options.k, batch.rows == 1 ? "is" : "are", batch.rows, options.k - batch.rows,
                             options.k - batch.rows == 1 ? "is" : "are")};
  }
  if (series.segments.empty()) {
    Check(withdrawn.empty(), "nobody can leave before the first release");
    return BeginSeries(domains, batch, options);
  }
  return Insertion(series, domains, std::move(batch), withdrawn, options).Run();
}

}  // namespace pentimento
