#include "engine/incremental/series_classes.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace pentimento {
namespace {

// By member: the leaf of the latest release. A leaf that was cut has all its members in later segments, so the last one
// that names a member is right.
std::vector<NodeNumber> LeafOfMembers(const IncrementalView& view) {
  std::vector<NodeNumber> leaf_of(view.member_count(), 0);
  for (const SegmentView& segment : view.segments) {
    for (const LeafRecords& leaf : segment.leaves) {
      for (std::uint32_t i = 0; i < leaf.count; ++i) leaf_of[segment.members[leaf.begin + i]] = leaf.node;
    }
  }
  return leaf_of;
}

// By person, the newest case first.
void SortByIdentity(std::vector<NamedMember>& named) {
  std::ranges::sort(named, [](const NamedMember& a, const NamedMember& b) {
    return a.identity != b.identity ? a.identity < b.identity : a.member > b.member;
  });
}

// Numbers the leaves that have members, in the order in which these come.
struct ClassesOfLeaves {
  std::vector<ClassNumber> of_leaf;
  std::vector<std::uint32_t> rows;

  explicit ClassesOfLeaves(NodeNumber nodes) : of_leaf(nodes, kNotInRelease) {}
  void AddMember(NodeNumber leaf) {
    if (of_leaf[leaf] == kNotInRelease) {
      of_leaf[leaf] = static_cast<ClassNumber>(rows.size());
      rows.push_back(0);
    }
    ++rows[of_leaf[leaf]];
  }
};

NodeNumber NodesOf(const IncrementalView& view) {
  NodeNumber nodes = 1;
  for (const SegmentView& segment : view.segments) nodes += static_cast<NodeNumber>(segment.nodes.size());
  return nodes;
}

// By node. A child is made after its parent, and has a higher number.
std::vector<NodeNumber> ParentsOf(const IncrementalView& view) {
  std::vector<NodeNumber> parent(NodesOf(view), 0);
  const auto put = [&](NodeNumber node, NodeNumber first_child, std::uint32_t children) {
    for (std::uint32_t i = 0; i < children; ++i) parent[first_child + i] = node;
  };
  NodeNumber first = 1;
  for (const SegmentView& segment : view.segments) {
    for (const NodeSplit& split : segment.splits) put(split.node, split.first_child, split.child_count);
    for (std::size_t i = 0; i < segment.nodes.size(); ++i) {
      const RegionNode& node = segment.nodes[i];
      if (!node.is_leaf()) put(first + static_cast<NodeNumber>(i), node.first_child, node.child_count);
    }
    first += static_cast<NodeNumber>(segment.nodes.size());
  }
  return parent;
}

// By node: the leaf of a release that had the first `nodes` of them in which it lies.
std::vector<NodeNumber> LeavesWith(const std::vector<NodeNumber>& parent, NodeNumber nodes) {
  std::vector<NodeNumber> leaf_of(parent.size());
  for (NodeNumber node = 0; node < parent.size(); ++node) leaf_of[node] = node < nodes ? node : leaf_of[parent[node]];
  return leaf_of;
}

}  // namespace

OwnClasses ClassesOfSeries(const IncrementalView& view, std::vector<NamedMember> named) {
  const std::vector<NodeNumber> leaf_of = LeafOfMembers(view);
  ClassesOfLeaves classes(NodesOf(view));
  for (const NodeNumber leaf : leaf_of) classes.AddMember(leaf);
  OwnClasses own;
  own.rows = std::move(classes.rows);
  SortByIdentity(named);
  const auto repeated = std::ranges::unique(named, {}, &NamedMember::identity);
  named.erase(repeated.begin(), repeated.end());
  std::vector<IdentityHash> people;
  for (const NamedMember& one : named) {
    people.push_back(one.identity);
    own.class_of.push_back(classes.of_leaf[leaf_of[one.member]]);
  }
  own.people = std::make_shared<const std::vector<IdentityHash>>(std::move(people));
  own.is_in_series_state = true;
  return own;
}

std::vector<EarlierClasses> EarlierClassesOfSeries(const IncrementalView& view, std::vector<NamedMember> named) {
  const std::vector<NodeNumber> leaf_of = LeafOfMembers(view);
  const std::vector<NodeNumber> parent = ParentsOf(view);
  SortByIdentity(named);
  std::vector<EarlierClasses> earlier;
  NodeNumber nodes = 1;
  CaseNumber members = 0;
  for (std::size_t release = 0; release + 1 < view.segments.size(); ++release) {
    nodes += static_cast<NodeNumber>(view.segments[release].nodes.size());
    members += view.segments[release].new_members;
    if (view.segments[release + 1].new_members == 0) continue;
    const std::vector<NodeNumber> leaf_then = LeavesWith(parent, nodes);
    ClassesOfLeaves classes(nodes);
    for (CaseNumber member = 0; member < members; ++member) classes.AddMember(leaf_then[leaf_of[member]]);
    EarlierClasses& own = earlier.emplace_back();
    own.release = release;
    for (std::size_t i = 0, next = 0; i < named.size(); i = next) {
      while (next < named.size() && named[next].identity == named[i].identity) ++next;
      const auto end = named.begin() + static_cast<std::ptrdiff_t>(next);
      const auto then = std::find_if(named.begin() + static_cast<std::ptrdiff_t>(i), end,
                                     [&](const NamedMember& one) { return one.member < members; });
      const ClassNumber number = classes.of_leaf[leaf_then[leaf_of[(then == end ? named[i] : *then).member]]];
      own.class_of.push_back(then == end ? kNotInRelease : number);
      own.covering.push_back(then == end ? number : kNotInRelease);
    }
    own.rows = std::move(classes.rows);
  }
  return earlier;
}

}  // namespace pentimento
