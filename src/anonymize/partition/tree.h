// Grows the tree of cuts over packed rows, large subtrees side by side, and gathers the leaves in the order of
// the cuts. The order and the boxes are the same for any number of threads: a node's cut depends on its rows alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "anonymize/partition/column_cuts.h"
#include "anonymize/partition/node_view.h"
#include "anonymize/partition/packed_rows.h"
#include "anonymize/partition/partition.h"
#include "anonymize/partition/region_tree.h"
#include "base/parallel.h"

namespace pentimento::partition {

// A cut of a region that was made: the records it divided, and its parts, which tile the region in that column.
struct RegionCut {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t column = 0;
  std::uint32_t first_part = 0;  // into SubtreeLeaves::parts
  std::uint32_t part_count = 0;
};
struct RegionPart {
  std::uint32_t end = 0;  // of its records
  Code start = 0;         // its lowest code in the column that was cut
};

// The leaves of one subtree, from left to right: neighbouring ranges of records, and how each is published.
struct SubtreeLeaves {
  std::size_t begin = 0;
  std::vector<std::uint32_t> ends;
  std::vector<Interval> boxes;  // one interval per column and leaf
  // Where regions are published: how they came about.
  std::vector<RegionCut> cuts;
  std::vector<RegionPart> parts;
};

// Calls body(record, leaf) for every record, where leaves are numbered in the order of the cuts, which does not depend
// on threads.
template <typename Body>
void ForEachRecord(std::span<const SubtreeLeaves> subtrees, const Body& body) {
  std::vector<std::size_t> first_leaf = {0};
  for (const SubtreeLeaves& subtree : subtrees) first_leaf.push_back(first_leaf.back() + subtree.ends.size());
  ParallelFor(subtrees.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) {
      std::size_t record = subtrees[s].begin;
      for (std::size_t i = 0; i < subtrees[s].ends.size(); ++i) {
        for (; record < subtrees[s].ends[i]; ++record) body(record, static_cast<std::uint32_t>(first_leaf[s] + i));
      }
    }
  });
}

// The one tree of all makers that cut: take a node, ask a cutter for a cut, divide, go on.
//
// A Cutter looks at many nodes, one after the other, by one thread. It has
//   std::optional<Cut> FindCut(const NodeView&)      the best cut that is allowed; nothing: the node is a leaf
// and where leaves may be divided further, whatever the codes of their rows,
//   bool divides_leaves() const                      whether they are
//   std::span<const std::uint32_t> Divide(Buffer, std::size_t begin, std::size_t end)
// which brings the leaf's records to the front and returns where its parts end.
//
// REQUIRES: a cut depends on the node's set of rows alone, and every part of it has a row.
template <typename Rows, typename MakeCutter>
class CutTree {
 public:
  // make_cutter() is called by every task, also at the same time. Of the options: the form, and which boxes.
  CutTree(Rows& rows, std::span<const Domain> domains, const PartitionOptions& options, MakeCutter make_cutter)
      : rows_(rows), domains_(domains), options_(options), make_cutter_(std::move(make_cutter)) {}

  // `roots` follow one another, from the first record to the last; none is empty.
  std::vector<SubtreeLeaves> Grow(std::span<const RegionRoot> roots) {
    for (std::size_t first = 0, past = 0; first < roots.size(); first = past) {
      // Small roots share a task.
      while (past < roots.size() && (past == first || roots[past].end - roots[first].begin <= kTaskRows)) ++past;
      tasks_.Run([this, together = roots.subspan(first, past - first)] { GrowFrom(together); });
    }
    tasks_.Wait();
    std::sort(subtrees_.begin(), subtrees_.end(),
              [](const SubtreeLeaves& a, const SubtreeLeaves& b) { return a.begin < b.begin; });
    return std::move(subtrees_);
  }

 private:
  struct Node {
    std::size_t begin;
    std::size_t end;
    Buffer buffer;
  };
  // Nodes with their boxes: the bounds of the members, then the region where regions are published.
  struct Nodes {
    std::vector<Node> nodes;
    Box boxes;
  };

  // Subtrees above this many rows are tasks of their own.
  static constexpr std::size_t kTaskRows = std::size_t{1} << 15;

  bool has_regions() const { return options_.boxes == BoxKind::kRegion; }
  std::size_t intervals_per_node() const { return domains_.size() * (has_regions() ? 2 : 1); }

  void GrowFrom(std::span<const RegionRoot> roots) {
    Nodes open;
    Box members(domains_.size());
    for (std::size_t r = roots.size(); r-- > 0;) {
      open.nodes.push_back({roots[r].begin, roots[r].end, Buffer::kFront});
      rows_.Bounds(Buffer::kFront, roots[r].begin, roots[r].end, members);
      open.boxes.insert(open.boxes.end(), members.begin(), members.end());
      if (has_regions()) open.boxes.insert(open.boxes.end(), roots[r].region.begin(), roots[r].region.end());
    }
    GrowSubtrees(roots.front().begin, std::move(open));
  }

  // Depth first with a stack of its own: how deep the tree gets depends on the data.
  void GrowSubtrees(std::size_t begin, Nodes open) {
    auto cutter = make_cutter_();
    SubtreeLeaves leaves;
    leaves.begin = begin;
    Nodes parts;
    Box boxes;
    while (!open.nodes.empty()) {
      const Node node = open.nodes.back();
      boxes.assign(open.boxes.end() - static_cast<std::ptrdiff_t>(intervals_per_node()), open.boxes.end());
      open.nodes.pop_back();
      open.boxes.resize(open.boxes.size() - intervals_per_node());
      const auto members = std::span(boxes).first(domains_.size());
      const auto region = std::span(boxes).subspan(domains_.size());
      const std::optional<Cut> cut = cutter.FindCut({node.begin, node.end, node.buffer, members, region});
      if (!cut) {
        if constexpr (requires { cutter.divides_leaves(); }) {
          if (cutter.divides_leaves()) {
            std::ranges::copy(cutter.Divide(node.buffer, node.begin, node.end), std::back_inserter(leaves.ends));
            continue;
          }
        }
        rows_.Settle(node.buffer, node.begin, node.end);
        AddLeaf(node, has_regions() ? region : members, leaves);
        continue;
      }
      Divide(node, boxes, *cut, parts);
      if (has_regions()) NoteCut(node, cut->column, parts, leaves);
      const bool is_task = node.end - node.begin > kTaskRows;
      for (std::size_t p = parts.nodes.size(); p-- > 0;) {
        const auto part_boxes = std::span(parts.boxes).subspan(p * intervals_per_node(), intervals_per_node());
        if (is_task) {
          Nodes part{{parts.nodes[p]}, Box(part_boxes.begin(), part_boxes.end())};
          tasks_.Run([this, part = std::move(part)] { GrowSubtrees(part.nodes[0].begin, part); });
        } else {
          open.nodes.push_back(parts.nodes[p]);
          open.boxes.insert(open.boxes.end(), part_boxes.begin(), part_boxes.end());
        }
      }
    }
    if (leaves.ends.empty() && leaves.cuts.empty()) return;
    const std::scoped_lock lock(mutex_);
    subtrees_.push_back(std::move(leaves));
  }

  // From left to right.
  void Divide(const Node& node, const Box& boxes, const Cut& cut, Nodes& parts) {
    parts.nodes.clear();
    parts.boxes.clear();
    for (std::size_t p = 0; p < cut.part_count(); ++p)
      parts.boxes.insert(parts.boxes.end(), boxes.begin(), boxes.end());
    if (cut.runs.empty()) {
      DivideInTwo(node, cut, parts);
    } else {
      DivideIntoRuns(node, std::span(boxes).first(domains_.size()), cut, parts);
    }
  }

  std::span<Interval> MembersOf(Nodes& parts, std::size_t part) const {
    return std::span(parts.boxes).subspan(part * intervals_per_node(), domains_.size());
  }
  std::span<Interval> RegionOf(Nodes& parts, std::size_t part) const {
    return std::span(parts.boxes).subspan(part * intervals_per_node() + domains_.size(), domains_.size());
  }

  void DivideInTwo(const Node& node, const Cut& cut, Nodes& parts) {
    // Where every row is a person, whoever found the cut has counted already.
    const bool is_counted = !Rows::kHasPersons && cut.below > 0;
    const std::size_t below =
        is_counted ? cut.below : rows_.CountBelow(node.buffer, node.begin, node.end, cut.column, cut.at);
    const std::size_t middle = node.begin + below;
    rows_.MoveTwoParts(node.buffer, node.begin, node.end, cut.column, cut.at, below, MembersOf(parts, 0),
                       MembersOf(parts, 1));
    parts.nodes = {{node.begin, middle, Other(node.buffer)}, {middle, node.end, Other(node.buffer)}};
    if (!has_regions()) return;
    // In the middle of the gap between the two parts: were it the code of a member, everybody could conclude that
    // somebody has exactly this value, and later cuts could tell who.
    const Code highest_below = MembersOf(parts, 0)[cut.column].hi;
    const Code lowest_above = MembersOf(parts, 1)[cut.column].lo;
    const Code at = highest_below + 1 + (lowest_above - highest_below - 1) / 2;
    RegionOf(parts, 0)[cut.column].hi = at - 1;
    RegionOf(parts, 1)[cut.column].lo = at;
  }

  void DivideIntoRuns(const Node& node, std::span<const Interval> members, const Cut& cut, Nodes& parts) {
    const RunOfCode run_of_code(cut.runs, members[cut.column], node.end - node.begin);
    const std::vector<std::size_t> sizes = SizesOf(node, cut, run_of_code);
    std::vector<std::size_t> next;
    for (std::size_t p = 0, begin = node.begin; p < sizes.size(); begin += sizes[p++]) {
      next.push_back(begin);
      parts.nodes.push_back({begin, begin + sizes[p], Other(node.buffer)});
      if (has_regions()) RegionOf(parts, p)[cut.column] = cut.runs[p].leaves;
    }
    if (sizes.size() == 2) {
      // One comparison: what is below wraps around.
      const auto is_first = [lo = cut.runs[0].leaves.lo, last = cut.runs[0].leaves.hi - cut.runs[0].leaves.lo](
                                Code code) { return code - lo <= last; };
      return rows_.MoveTwoParts(node.buffer, node.begin, node.end, cut.column, is_first, sizes[0], MembersOf(parts, 0),
                                MembersOf(parts, 1));
    }
    Box bounds(sizes.size() * domains_.size());
    run_of_code.Visit(
        [&](auto run_of) { rows_.MoveParts(node.buffer, node.begin, node.end, cut.column, run_of, next, bounds); });
    for (std::size_t p = 0; p < sizes.size(); ++p)
      std::ranges::copy(std::span(bounds).subspan(p * domains_.size(), domains_.size()), MembersOf(parts, p).begin());
  }

  // Records in each part. Where every row is a person, whoever found the cut has counted already.
  std::vector<std::size_t> SizesOf(const Node& node, const Cut& cut, const RunOfCode& run_of_code) const {
    std::vector<std::size_t> sizes(cut.part_count());
    if constexpr (Rows::kHasPersons) {
      const auto records = rows_.records(node.buffer);
      run_of_code.Visit([&](auto run_of) {
        for (std::size_t i = node.begin; i < node.end; ++i) ++sizes[run_of(records.codes(i)[cut.column])];
      });
    } else {
      for (std::size_t p = 0; p < cut.runs.size(); ++p) sizes[p] = cut.runs[p].persons;
      if (cut.rest > 0) sizes.back() = cut.rest;
    }
    return sizes;
  }

  void NoteCut(const Node& node, std::size_t column, Nodes& parts, SubtreeLeaves& leaves) const {
    leaves.cuts.push_back({static_cast<std::uint32_t>(node.begin), static_cast<std::uint32_t>(node.end),
                           static_cast<std::uint32_t>(column), static_cast<std::uint32_t>(leaves.parts.size()),
                           static_cast<std::uint32_t>(parts.nodes.size())});
    for (std::size_t p = 0; p < parts.nodes.size(); ++p) {
      leaves.parts.push_back({static_cast<std::uint32_t>(parts.nodes[p].end), RegionOf(parts, p)[column].lo});
    }
  }

  void AddLeaf(const Node& node, std::span<const Interval> box, SubtreeLeaves& leaves) const {
    leaves.ends.push_back(static_cast<std::uint32_t>(node.end));
    if (!options_.wants_boxes) return;
    for (std::size_t c = 0; c < box.size(); ++c) leaves.boxes.push_back(domains_[c].Cover(box[c], options_.form));
  }

  Rows& rows_;
  std::span<const Domain> domains_;
  PartitionOptions options_;
  MakeCutter make_cutter_;
  std::mutex mutex_;
  std::vector<SubtreeLeaves> subtrees_;
  TaskGroup tasks_;  // last: it waits for tasks, which use the others
};

}  // namespace pentimento::partition
