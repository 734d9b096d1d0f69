#include "anonymize/incremental/joined_leaves.h"

#include <algorithm>

#include "base/parallel.h"

namespace pentimento {
namespace {

constexpr std::size_t kLeavesPerTask = 1 << 14;

// Where the earlier members of some leaves are.
struct PartsOfLeaves {
  std::vector<LeafPart> parts;
  std::vector<std::uint32_t> part_count;  // by leaf
};

PartsOfLeaves FindParts(const SeriesView& series, std::span<const ReachedLeaf> leaves) {
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

}  // namespace

JoinedLeaves FindJoinedLeaves(const SeriesView& series, const SeriesTree& tree, const CodeLanes& batch,
                              std::size_t rows) {
  JoinedLeaves joined{Descend(tree, batch, rows), {}, {}, {}};
  const std::span<const ReachedLeaf> leaves = joined.reached.leaves;
  std::vector<PartsOfLeaves> found((leaves.size() + kLeavesPerTask - 1) / kLeavesPerTask);
  ParallelFor(found.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t)
      found[t] = FindParts(
          series,
          leaves.subspan(t * kLeavesPerTask).first(std::min(kLeavesPerTask, leaves.size() - t * kLeavesPerTask)));
  });
  joined.parts.reserve(leaves.size());
  joined.first_part.reserve(leaves.size() + 1);
  joined.member_count.reserve(leaves.size());
  for (const PartsOfLeaves& some : found) {
    auto part = some.parts.begin();
    for (const std::uint32_t count : some.part_count) {
      joined.first_part.push_back(static_cast<std::uint32_t>(joined.parts.size()));
      joined.member_count.push_back(0);
      for (const auto end = part + count; part != end; ++part) {
        joined.parts.push_back(*part);
        joined.member_count.back() += part->records.count;
      }
    }
  }
  joined.first_part.push_back(static_cast<std::uint32_t>(joined.parts.size()));
  return joined;
}

}  // namespace pentimento
