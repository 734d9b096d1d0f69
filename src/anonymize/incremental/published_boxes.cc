#include "anonymize/incremental/published_boxes.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <vector>

#include "anonymize/incremental/leaf_lookup.h"
#include "anonymize/incremental/series_tree.h"
#include "base/check.h"
#include "base/mix64.h"
#include "base/parallel.h"

namespace pentimento {
namespace {

constexpr std::size_t kLeavesPerTask = 1024;

Code CodeAt(const SegmentView& segment, std::size_t record, std::size_t columns, std::size_t column) {
  return std::visit([&](auto lanes) { return Code{lanes[record * columns + column]}; }, segment.codes);
}

// Calls body(segment, entry) for what is said of leaves that are still leaves: every member once. In parallel.
template <typename Body>
void ForEachCurrentLeaf(const SeriesView& series, const SeriesTree& tree, const Body& body) {
  for (const SegmentView& segment : series.segments) {
    ParallelFor(segment.leaves.size(), kLeavesPerTask, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (tree.is_leaf(segment.leaves[i].node)) body(segment, segment.leaves[i]);
      }
    });
  }
}

void AppendCover(std::span<const Interval> region, std::span<const Domain> domains, CategoryForm form, Box& boxes) {
  for (std::size_t c = 0; c < region.size(); ++c) boxes.push_back(domains[c].Cover(region[c], form));
}

EncodedTable EmptyTable(std::span<const Domain> domains, std::size_t rows) {
  EncodedTable table;
  table.rows = rows;
  for (const Domain& domain : domains) table.quasi_identifiers.emplace_back(domain.size(), rows);
  return table;
}

SeriesView Before(const SeriesView& series) {
  SeriesView before = series;
  before.segments.pop_back();
  return before;
}

// Members of the leaves that the last segment joined or made.
class ChangeDescription {
 public:
  ChangeDescription(const SeriesView& series, std::span<const Domain> domains, CategoryForm form)
      : series_(series),
        domains_(domains),
        form_(form),
        last_(series.segments.back()),
        before_(Before(series)),
        old_tree_(before_, domains),
        new_tree_(series, domains),
        facts_(before_, last_.withdrawn),
        lookup_(before_) {}

  DescribedChange Run() {
    const std::size_t rows = last_.members.size();
    described_.table = EmptyTable(domains_, rows);
    SeriesChange& change = described_.change;
    change.draft.columns = domains_.size();
    change.case_of_row.resize(rows);
    change.draft.group_of_row.resize(rows);
    change.previous_of_row.resize(rows);
    change.is_withdrawn.resize(rows);
    change.arrival_of_row.resize(rows);
    next_earlier_ = last_.new_members;
    for (const LeafRecords& leaf : last_.leaves) AddLeaf(leaf);
    Check(next_earlier_ == rows, "every record of the last segment is a row of the change");
    return std::move(described_);
  }

 private:
  void AddLeaf(const LeafRecords& leaf) {
    SeriesChange& change = described_.change;
    const auto code_of = [&](std::size_t column) { return CodeAt(last_, leaf.begin, domains_.size(), column); };
    (void)new_tree_.Locate(code_of, region_);
    const auto group = static_cast<GroupId>(change.staying_in_group.size());
    AppendCover(region_, domains_, form_, change.draft.boxes);
    parts_.clear();
    lookup_.AppendParts(leaf.node, parts_);
    std::uint64_t staying = 0;
    for (const LeafPart& part : parts_) staying += part.records.count;
    change.staying_in_group.push_back(staying);
    const bool is_new_leaf = leaf.node >= old_tree_.node_count();
    std::uint32_t previous = SeriesChange::kNew;
    for (std::uint32_t i = 0; i < leaf.count; ++i) {
      const std::uint32_t record = leaf.begin + i;
      const CaseNumber member = last_.members[record];
      const bool is_newcomer = member >= before_.member_count();
      if (!is_newcomer && previous == SeriesChange::kNew) previous = PreviousBox(code_of);
      Check(is_newcomer || is_new_leaf, "only a leaf that was cut moves its members");
      AddRow(record, member, group, is_newcomer ? SeriesChange::kNew : previous);
    }
  }

  // Of the leaf that was cut: nobody stays behind in it.
  template <typename CodeOf>
  std::uint32_t PreviousBox(const CodeOf& code_of) {
    SeriesChange& change = described_.change;
    const NodeNumber leaf = old_tree_.Locate(code_of, region_);
    const auto number = static_cast<std::uint32_t>(change.staying_in_previous.size());
    const auto [found, is_first] = previous_of_leaf_.try_emplace(leaf, number);
    if (!is_first) return found->second;
    AppendCover(region_, domains_, form_, change.previous_boxes);
    change.staying_in_previous.push_back(0);
    return number;
  }

  void AddRow(std::uint32_t record, CaseNumber member, GroupId group, std::uint32_t previous) {
    SeriesChange& change = described_.change;
    const bool is_newcomer = previous == SeriesChange::kNew;
    const std::size_t row = is_newcomer ? member - before_.member_count() : next_earlier_++;
    for (std::size_t c = 0; c < domains_.size(); ++c) {
      described_.table.quasi_identifiers[c].Set(row, CodeAt(last_, record, domains_.size(), c));
    }
    change.case_of_row[row] = member;
    change.draft.group_of_row[row] = group;
    change.previous_of_row[row] = previous;
    change.is_withdrawn[row] = facts_.Contains(member) ? 1 : 0;
    change.arrival_of_row[row] = facts_.ArrivalOf(member);
  }

  const SeriesView& series_;
  std::span<const Domain> domains_;
  CategoryForm form_;
  const SegmentView& last_;
  SeriesView before_;
  SeriesTree old_tree_;
  SeriesTree new_tree_;
  MemberFacts facts_;
  LeafLookup lookup_;
  Box region_;
  std::vector<LeafPart> parts_;
  std::size_t next_earlier_ = 0;  // the row of the next member who is no newcomer
  tsl::robin_map<NodeNumber, std::uint32_t, Mix64> previous_of_leaf_;
  DescribedChange described_;
};

}  // namespace

EncodedTable CodesOfMembers(const SeriesView& series, std::span<const Domain> domains) {
  const SeriesTree tree(series, domains);
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

Draft BoxesOfMembers(const SeriesView& series, std::span<const Domain> domains, CategoryForm form) {
  const SeriesTree tree(series, domains);
  Draft draft{.columns = domains.size(), .boxes = {}, .group_of_row = std::vector<GroupId>(series.member_count())};
  std::vector<GroupId> group_of_node(tree.node_count());
  GroupId groups = 0;
  tree.ForEachLeaf([&](NodeNumber leaf, const Box& region) {
    group_of_node[leaf] = groups++;
    AppendCover(region, domains, form, draft.boxes);
  });
  ForEachCurrentLeaf(series, tree, [&](const SegmentView& segment, const LeafRecords& leaf) {
    for (std::uint32_t record = leaf.begin; record < leaf.begin + leaf.count; ++record) {
      draft.group_of_row[segment.members[record]] = group_of_node[leaf.node];
    }
  });
  return draft;
}

DescribedChange DescribeChange(const SeriesView& series, std::span<const Domain> domains, CategoryForm form) {
  Check(!series.segments.empty(), "a change is made by a release");
  return ChangeDescription(series, domains, form).Run();
}

DescribedChange DescribeEverything(const SeriesView& series, std::span<const Domain> domains, CategoryForm form) {
  Check(!series.segments.empty(), "a change is made by a release");
  const SeriesView before = Before(series);
  const MemberFacts facts(before, series.segments.back().withdrawn);
  DescribedChange described{CodesOfMembers(series, domains), {}};
  SeriesChange& change = described.change;
  change.draft = BoxesOfMembers(series, domains, form);
  Draft previous = BoxesOfMembers(before, domains, form);
  change.previous_boxes = std::move(previous.boxes);
  change.previous_of_row = std::move(previous.group_of_row);
  const std::size_t members = series.member_count();
  change.previous_of_row.resize(members, SeriesChange::kNew);
  change.staying_in_previous.resize(change.previous_count());
  change.staying_in_group.resize(change.draft.group_count());
  for (CaseNumber member = 0; member < members; ++member) {
    change.case_of_row.push_back(member);
    change.is_withdrawn.push_back(facts.Contains(member) ? 1 : 0);
    change.arrival_of_row.push_back(facts.ArrivalOf(member));
  }
  return described;
}

}  // namespace pentimento
