#include "guarantee/form/box_classes.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>

#include "base/hash.h"
#include "base/parallel.h"

namespace pentimento {
namespace {

constexpr std::size_t kBoxesPerTask = 4096;
// So few that there is next to nothing to sort in a bucket.
constexpr std::size_t kGroupsPerBucket = 4;
constexpr std::size_t kBucketsPerTask = 1024;

struct HashedGroup {
  std::uint64_t hash = 0;
  ClassNumber group = 0;
};

// Groups by the highest bits of their hash, ascending within a bucket.
struct GroupsByHash {
  std::vector<HashedGroup> groups;
  std::vector<std::uint32_t> bucket_begin;  // and past the last

  std::size_t buckets() const { return bucket_begin.size() - 1; }
  std::span<HashedGroup> bucket(std::size_t number) {
    return std::span(groups).subspan(bucket_begin[number], bucket_begin[number + 1] - bucket_begin[number]);
  }
};

GroupsByHash FileByHash(const Classes& draft, BoxHash hash) {
  const std::size_t count = draft.count();
  std::vector<std::uint64_t> hashes(count);
  ParallelFor(count, kBoxesPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t g = begin; g < end; ++g) hashes[g] = hash(draft.box(static_cast<ClassNumber>(g)));
  });
  const int shift = 64 - std::max(1, static_cast<int>(std::bit_width(count / kGroupsPerBucket)));
  GroupsByHash filed{std::vector<HashedGroup>(count), std::vector<std::uint32_t>((std::size_t{1} << (64 - shift)) + 1)};
  for (const std::uint64_t each : hashes) ++filed.bucket_begin[(each >> shift) + 1];
  std::partial_sum(filed.bucket_begin.begin(), filed.bucket_begin.end(), filed.bucket_begin.begin());
  std::vector<std::uint32_t> next(filed.bucket_begin);
  for (std::size_t g = 0; g < count; ++g)
    filed.groups[next[hashes[g] >> shift]++] = {hashes[g], static_cast<ClassNumber>(g)};
  return filed;
}

// Within one hash: equal boxes side by side, the smallest group of each box first. Boxes with one hash are nearly
// always one box, so a straight comparison with the first comes before any sorting.
void BringEqualBoxesTogether(const Classes& draft, std::span<HashedGroup> same_hash) {
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

// Notes the smallest group of the class of each group of a bucket.
void FindLeaders(const Classes& draft, std::span<HashedGroup> groups, std::span<ClassNumber> leader_of_group) {
  std::ranges::sort(groups, [](const HashedGroup& a, const HashedGroup& b) {
    return a.hash != b.hash ? a.hash < b.hash : a.group < b.group;
  });
  for (std::size_t begin = 0, end = 0; begin < groups.size(); begin = end) {
    while (end < groups.size() && groups[end].hash == groups[begin].hash) ++end;
    const auto same_hash = groups.subspan(begin, end - begin);
    BringEqualBoxesTogether(draft, same_hash);
    ClassNumber leader = same_hash.front().group;
    for (const HashedGroup& g : same_hash) {
      if (g.group != leader && !std::ranges::equal(draft.box(g.group), draft.box(leader))) leader = g.group;
      leader_of_group[g.group] = leader;
    }
  }
}

std::vector<ClassNumber> LeaderOfGroup(const Classes& draft, BoxHash hash) {
  GroupsByHash filed = FileByHash(draft, hash);
  std::vector<ClassNumber> leader_of_group(filed.groups.size());
  ParallelFor(filed.buckets(), kBucketsPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t bucket = begin; bucket < end; ++bucket) FindLeaders(draft, filed.bucket(bucket), leader_of_group);
  });
  return leader_of_group;
}

}  // namespace

std::uint64_t HashBox(std::span<const Interval> box) { return Checksum(std::as_bytes(box)); }

std::vector<ClassId> ClassOfGroup(const Classes& draft, BoxHash hash) {
  const std::vector<ClassNumber> leader_of_group = LeaderOfGroup(draft, hash);
  std::vector<ClassId> class_of_group(leader_of_group.size());
  ClassId classes = 0;
  for (std::size_t g = 0; g < class_of_group.size(); ++g) {
    class_of_group[g] = leader_of_group[g] == g ? classes++ : class_of_group[leader_of_group[g]];
  }
  return class_of_group;
}

}  // namespace pentimento
