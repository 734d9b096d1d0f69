#include "anonymize/incremental/joined_leaves.h"

#include <algorithm>

#include "base/large_pages.h"
#include "base/parallel.h"

namespace pentimento {
namespace {

constexpr std::size_t kReachedLeavesPerTask = 1 << 14;

// Where the earlier members of some leaves are.
struct PartsOfLeaves {
  std::vector<LeafPart> parts;
  std::vector<std::uint32_t> part_count;  // by leaf
};

PartsOfLeaves FindParts(const IncrementalView& series, std::span<const ReachedLeaf> leaves) {
  LeafLookup lookup(series);
  PartsOfLeaves found;
  found.parts.reserve(leaves.size());
  found.part_count.reserve(leaves.size());
  for (const ReachedLeaf& leaf : leaves) {
    const std::size_t before = found.parts.size();
    lookup.AppendParts(leaf.node, found.parts);
    found.part_count.push_back(static_cast<std::uint32_t>(found.parts.size() - before));
  }
  return found;
}

// Into their place: leaves from `first_leaf` on, parts from `first_part` on.
void Put(const PartsOfLeaves& found, std::size_t first_leaf, std::uint32_t first_part, JoinedLeaves& joined) {
  std::ranges::copy(found.parts, joined.parts.begin() + first_part);
  auto part = found.parts.begin();
  for (std::size_t i = 0; i < found.part_count.size(); ++i) {
    joined.first_part[first_leaf + i] = first_part;
    std::uint32_t members = 0;
    for (const auto end = part + found.part_count[i]; part != end; ++part) members += part->count;
    joined.member_count[first_leaf + i] = members;
    first_part += found.part_count[i];
  }
}

}  // namespace

JoinedLeaves FindJoinedLeaves(const IncrementalView& series, const IncrementalTree& tree,
                              std::span<const Domain> domains, const EncodedTable& batch) {
  JoinedLeaves joined{Descend(tree, domains, batch), {}, {}, {}};
  const std::span<const ReachedLeaf> leaves = joined.reached.leaves;
  std::vector<PartsOfLeaves> found((leaves.size() + kReachedLeavesPerTask - 1) / kReachedLeavesPerTask);
  const auto for_each_task = [&](const auto& body) {
    ParallelFor(found.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t t = begin; t < end; ++t) body(t, t * kReachedLeavesPerTask);
    });
  };
  for_each_task([&](std::size_t t, std::size_t first) {
    found[t] = FindParts(series, leaves.subspan(first, std::min(kReachedLeavesPerTask, leaves.size() - first)));
  });
  std::vector<std::uint32_t> first_part{0};
  for (const PartsOfLeaves& some : found)
    first_part.push_back(first_part.back() + static_cast<std::uint32_t>(some.parts.size()));
  ResizeInLargePages(joined.parts, first_part.back());
  joined.first_part.resize(leaves.size() + 1, first_part.back());
  joined.member_count.resize(leaves.size());
  for_each_task([&](std::size_t t, std::size_t first) { Put(found[t], first, first_part[t], joined); });
  return joined;
}

}  // namespace pentimento
