#include "engine/incremental/series_classes.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace pentimento {

OwnClasses ClassesOfSeries(const IncrementalView& view, std::vector<NamedMember> named) {
  OwnClasses own;
  // A leaf that was cut has all its members in later segments, so the last one that names a member is right.
  std::vector<NodeNumber> leaf_of(view.member_count(), 0);
  NodeNumber nodes = 1;
  for (const SegmentView& segment : view.segments) {
    nodes += static_cast<NodeNumber>(segment.nodes.size());
    for (const LeafRecords& leaf : segment.leaves) {
      for (std::uint32_t i = 0; i < leaf.count; ++i) leaf_of[segment.members[leaf.begin + i]] = leaf.node;
    }
  }
  std::vector<ClassNumber> class_of_leaf(nodes, kNotInRelease);
  for (const NodeNumber leaf : leaf_of) {
    if (class_of_leaf[leaf] == kNotInRelease) {
      class_of_leaf[leaf] = static_cast<ClassNumber>(own.rows.size());
      own.rows.push_back(0);
    }
    ++own.rows[class_of_leaf[leaf]];
  }
  std::ranges::sort(named, [](const NamedMember& a, const NamedMember& b) {
    return a.identity != b.identity ? a.identity < b.identity : a.member > b.member;
  });
  const auto repeated = std::ranges::unique(named, {}, &NamedMember::identity);
  named.erase(repeated.begin(), repeated.end());
  std::vector<IdentityHash> people;
  for (const NamedMember& one : named) {
    people.push_back(one.identity);
    own.class_of.push_back(class_of_leaf[leaf_of[one.member]]);
  }
  own.people = std::make_shared<const std::vector<IdentityHash>>(std::move(people));
  own.is_in_series_state = true;
  return own;
}

}  // namespace pentimento
