#include "guarantee/box_classes.h"

#include <algorithm>
#include <cstddef>

#include "base/hash.h"
#include "base/parallel.h"

namespace pentimento {
namespace {

constexpr std::size_t kGroupsPerTask = 4096;

struct HashedGroup {
  std::uint64_t hash = 0;
  GroupId group = 0;
};

std::vector<HashedGroup> SortByHash(const Draft& draft, BoxHash hash) {
  std::vector<HashedGroup> groups(draft.group_count());
  ParallelFor(groups.size(), kGroupsPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t g = begin; g < end; ++g) {
      const auto group = static_cast<GroupId>(g);
      groups[g] = {hash(draft.box(group)), group};
    }
  });
  ParallelSort(groups.begin(), groups.end(), [](const HashedGroup& a, const HashedGroup& b) {
    return a.hash != b.hash ? a.hash < b.hash : a.group < b.group;
  });
  return groups;
}

// Within one hash: equal boxes side by side, the smallest group of each box first. Boxes with one hash are nearly
// always one box, so a straight comparison with the first comes before any sorting.
void BringEqualBoxesTogether(const Draft& draft, std::span<HashedGroup> same_hash) {
  const auto first = draft.box(same_hash.front().group);
  const auto is_first = [&](const HashedGroup& g) { return std::ranges::equal(draft.box(g.group), first); };
  if (std::ranges::all_of(same_hash.subspan(1), is_first)) return;
  std::ranges::sort(same_hash, [&](const HashedGroup& a, const HashedGroup& b) {
    const auto left = draft.box(a.group);
    const auto right = draft.box(b.group);
    const auto order = std::lexicographical_compare_three_way(left.begin(), left.end(), right.begin(), right.end());
    return order != 0 ? order < 0 : a.group < b.group;
  });
}

// The smallest group of the class of each group.
std::vector<GroupId> LeaderOfGroup(const Draft& draft, BoxHash hash) {
  std::vector<HashedGroup> groups = SortByHash(draft, hash);
  std::vector<GroupId> leader_of_group(groups.size());
  for (std::size_t begin = 0, end = 0; begin < groups.size(); begin = end) {
    while (end < groups.size() && groups[end].hash == groups[begin].hash) ++end;
    const auto same_hash = std::span(groups).subspan(begin, end - begin);
    BringEqualBoxesTogether(draft, same_hash);
    GroupId leader = same_hash.front().group;
    for (const HashedGroup& g : same_hash) {
      if (g.group != leader && !std::ranges::equal(draft.box(g.group), draft.box(leader))) leader = g.group;
      leader_of_group[g.group] = leader;
    }
  }
  return leader_of_group;
}

}  // namespace

std::uint64_t HashBox(std::span<const Interval> box) { return Checksum(std::as_bytes(box)); }

std::vector<ClassId> ClassOfGroup(const Draft& draft, BoxHash hash) {
  const std::vector<GroupId> leader_of_group = LeaderOfGroup(draft, hash);
  std::vector<ClassId> class_of_group(leader_of_group.size());
  ClassId classes = 0;
  for (std::size_t g = 0; g < class_of_group.size(); ++g) {
    class_of_group[g] = leader_of_group[g] == g ? classes++ : class_of_group[leader_of_group[g]];
  }
  return class_of_group;
}

}  // namespace pentimento
