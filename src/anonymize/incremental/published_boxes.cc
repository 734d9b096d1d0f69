#include "anonymize/incremental/published_boxes.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "anonymize/incremental/incremental_tree.h"
#include "anonymize/incremental/leaf_lookup.h"
#include "anonymize/incremental/member_codes.h"
#include "base/check.h"
#include "base/parallel.h"

namespace pentimento {
namespace {

constexpr std::size_t kLeavesPerTask = 1024;

// Calls body(segment, entry) for what is said of leaves that are still leaves: every member once. In parallel.
template <typename Body>
void ForEachCurrentLeaf(const IncrementalView& series, const IncrementalTree& tree, const Body& body) {
  for (const SegmentView& segment : series.segments) {
    ParallelFor(segment.leaves.size(), kLeavesPerTask, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (tree.is_leaf(segment.leaves[i].node)) body(segment, segment.leaves[i]);
      }
    });
  }
}

IncrementalView Before(const IncrementalView& series) {
  IncrementalView before = series;
  before.segments.pop_back();
  return before;
}

}  // namespace

EncodedTable CodesOfMembers(const IncrementalView& series, std::span<const Domain> domains) {
  const IncrementalTree tree(series, domains);
  EncodedTable table = EmptyTable(domains, series.member_count());
  ForEachCurrentLeaf(series, tree, [&](const SegmentView& segment, const LeafRecords& leaf) {
    for (std::uint32_t record = leaf.begin; record < leaf.begin + leaf.count; ++record) {
      for (std::size_t c = 0; c < domains.size(); ++c) {
        table.quasi_identifiers[c].Set(segment.members[record], CodeAt(segment, record, domains.size(), c));
      }
    }
  });
  return table;
}

Classes BoxesOfMembers(const IncrementalView& series, std::span<const Domain> domains, CategoryForm form) {
  const IncrementalTree tree(series, domains);
  Classes draft{.columns = domains.size(), .boxes = {}, .of_row = std::vector<ClassNumber>(series.member_count())};
  std::vector<ClassNumber> group_of_node(tree.node_count());
  ClassNumber groups = 0;
  RegionCovers covers(domains, form);
  tree.ForEachLeaf([&](NodeNumber leaf, const Box& region) {
    group_of_node[leaf] = groups++;
    covers.Append(region, draft.boxes);
  });
  ForEachCurrentLeaf(series, tree, [&](const SegmentView& segment, const LeafRecords& leaf) {
    for (std::uint32_t record = leaf.begin; record < leaf.begin + leaf.count; ++record) {
      draft.of_row[segment.members[record]] = group_of_node[leaf.node];
    }
  });
  return draft;
}

DescribedChange DescribeEverything(const IncrementalView& series, std::span<const Domain> domains, CategoryForm form,
                                   bool with_arrivals) {
  Check(!series.segments.empty(), "a change is made by a release");
  const IncrementalView before = Before(series);
  const MemberFacts facts(before, series.segments.back().withdrawn);
  DescribedChange described{CodesOfMembers(series, domains), {}};
  IncrementalChange& change = described.change;
  change.classes = BoxesOfMembers(series, domains, form);
  Classes previous = BoxesOfMembers(before, domains, form);
  change.previous_boxes = std::move(previous.boxes);
  change.previous_of_row = std::move(previous.of_row);
  const std::size_t members = series.member_count();
  change.previous_of_row.resize(members, IncrementalChange::kNew);
  change.staying_in_previous.resize(change.previous_count());
  change.staying_in_group.resize(change.classes.count());
  change.case_of_row.resize(members);
  std::iota(change.case_of_row.begin(), change.case_of_row.end(), CaseNumber{0});
  change.is_withdrawn.resize(members);
  for (CaseNumber member = 0; member < members; ++member) change.is_withdrawn[member] = facts.HasLeft(member) ? 1 : 0;
  if (!with_arrivals) return described;
  change.arrival_of_row.resize(members);
  for (CaseNumber member = 0; member < members; ++member) change.arrival_of_row[member] = facts.ArrivalOf(member);
  return described;
}

}  // namespace pentimento
