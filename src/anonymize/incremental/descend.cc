#include "anonymize/incremental/descend.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <numeric>

#include "anonymize/partition/packed_rows.h"
#include "base/parallel.h"

namespace pentimento {
namespace {

using partition::Buffer;
using partition::Other;
using partition::PackedRows;

// Subtrees above this many rows are tasks of their own.
constexpr std::size_t kTaskRows = std::size_t{1} << 14;
// So few rows go down one by one.
constexpr std::size_t kFewRows = 64;

template <typename Lane, std::size_t kLanes>
class Descent {
 public:
  Descent(const SeriesTree& tree, const EncodedTable& batch, std::span<const Domain> domains)
      : tree_(tree), rows_(batch), columns_(domains.size()) {
    for (const Domain& domain : domains) root_region_.push_back(domain.root());
  }

  Reached Run() {
    Spawn({0, 0, rows_.size(), Buffer::kFront}, root_region_);
    tasks_.Wait();
    return Join();
  }

 private:
  struct Open {
    NodeNumber node;
    std::size_t begin;
    std::size_t end;
    Buffer buffer;
  };

  void Spawn(const Open& from, Box region) {
    tasks_.Run([this, from, region = std::move(region)] { GoDown(from, region); });
  }

  void GoDown(const Open& from, const Box& from_region) {
    Reached found;
    std::vector<Open> open{from};
    Box regions = from_region;  // columns_ intervals per open node
    Box region;
    std::vector<std::size_t> next;
    Box bounds;
    while (!open.empty()) {
      const Open at = open.back();
      open.pop_back();
      region.assign(regions.end() - static_cast<std::ptrdiff_t>(columns_), regions.end());
      regions.resize(regions.size() - columns_);
      if (at.end - at.begin <= kFewRows) {
        GoDownOneByOne(at, region, found);
        continue;
      }
      const RegionNode node = tree_.node(at.node);
      if (node.is_leaf()) {
        AddLeaf(at, region, found);
        continue;
      }
      const auto children = tree_.children(node);
      MoveToChildren(at, node, children, next, bounds);
      std::size_t begin = at.begin;
      for (std::size_t child = 0; child < children.size(); begin = next[child++]) {
        if (next[child] == begin) continue;
        const Open below{node.first_child + static_cast<NodeNumber>(child), begin, next[child], Other(at.buffer)};
        const Interval whole = region[node.column];
        region[node.column] = RegionOfChild(children, child, whole);
        if (below.end - below.begin > kTaskRows) {
          Spawn(below, region);
        } else {
          open.push_back(below);
          regions.insert(regions.end(), region.begin(), region.end());
        }
        region[node.column] = whole;
      }
    }
    const std::scoped_lock lock(mutex_);
    found_.push_back(std::move(found));
  }

  // Afterwards next[child] is where the child's rows end.
  void MoveToChildren(const Open& at, const RegionNode& node, std::span<const RegionNode> children,
                      std::vector<std::size_t>& next, Box& bounds) {
    const auto child_of = [&](Code code) { return ChildOfCode(children, code); };
    const auto records = rows_.records(at.buffer);
    next.assign(children.size() + 1, 0);
    for (std::size_t i = at.begin; i < at.end; ++i) ++next[child_of(records.codes(i)[node.column]) + 1];
    next[0] = at.begin;
    std::partial_sum(next.begin(), next.end(), next.begin());
    next.pop_back();
    bounds.resize(children.size() * columns_);
    rows_.MoveParts(at.buffer, at.begin, at.end, node.column, child_of, next, bounds);
  }

  void AddLeaf(const Open& at, const Box& region, Reached& found) const {
    const auto records = rows_.records(at.buffer);
    StartLeaf(at.node, region, found);
    for (std::size_t i = at.begin; i < at.end; ++i) found.rows.push_back(records.row(i));
    found.leaves.back().row_count = static_cast<std::uint32_t>(at.end - at.begin);
  }

  void StartLeaf(NodeNumber node, const Box& region, Reached& found) const {
    const auto number = static_cast<std::uint32_t>(found.leaves.size());
    found.leaves.push_back({node, static_cast<std::uint32_t>(found.rows.size()), 0, number});
    found.regions.insert(found.regions.end(), region.begin(), region.end());
  }

  // Where only a few rows are left it is quicker to let each find its leaf, and to sort them by leaf afterwards.
  void GoDownOneByOne(const Open& at, const Box& region, Reached& found) const {
    struct Arrived {
      NodeNumber leaf;
      std::uint32_t record;
    };
    std::array<Arrived, kFewRows> arrived;
    const auto records = rows_.records(at.buffer);
    const std::size_t count = at.end - at.begin;
    for (std::size_t i = 0; i < count; ++i) {
      const auto record = static_cast<std::uint32_t>(at.begin + i);
      arrived[i] = {FindLeaf(at.node, records.codes(record), nullptr), record};
    }
    std::sort(
        arrived.begin(), arrived.begin() + static_cast<std::ptrdiff_t>(count),
        [](const Arrived& a, const Arrived& b) { return a.leaf != b.leaf ? a.leaf < b.leaf : a.record < b.record; });
    Box below;
    for (std::size_t i = 0; i < count; ++i) {
      if (i == 0 || arrived[i].leaf != arrived[i - 1].leaf) {
        below = region;
        (void)FindLeaf(at.node, records.codes(arrived[i].record), &below);
        StartLeaf(arrived[i].leaf, below, found);
      }
      found.rows.push_back(records.row(arrived[i].record));
      ++found.leaves.back().row_count;
    }
  }

  // From `number` down; `region`, where wanted, shrinks on the way.
  NodeNumber FindLeaf(NodeNumber number, const Lane* codes, Box* region) const {
    for (RegionNode node = tree_.node(number); !node.is_leaf(); node = tree_.node(number)) {
      const auto children = tree_.children(node);
      const std::size_t child = ChildOfCode(children, codes[node.column]);
      if (region != nullptr) (*region)[node.column] = RegionOfChild(children, child, (*region)[node.column]);
      number = node.first_child + static_cast<NodeNumber>(child);
    }
    return number;
  }

  // Tasks end in any order; leaves do not overlap, so sorting them by node makes one order of it.
  Reached Join() {
    Reached all;
    for (Reached& found : found_) {
      const auto first_row = static_cast<std::uint32_t>(all.rows.size());
      const auto first_region = static_cast<std::uint32_t>(all.regions.size() / columns_);
      for (ReachedLeaf leaf : found.leaves) {
        leaf.first_row += first_row;
        leaf.region += first_region;
        all.leaves.push_back(leaf);
      }
      all.rows.insert(all.rows.end(), found.rows.begin(), found.rows.end());
      all.regions.insert(all.regions.end(), found.regions.begin(), found.regions.end());
      found = {};
    }
    ParallelSort(all.leaves.begin(), all.leaves.end(),
                 [](const ReachedLeaf& a, const ReachedLeaf& b) { return a.node < b.node; });
    return all;
  }

  const SeriesTree& tree_;
  PackedRows<Lane, kLanes, false> rows_;
  std::size_t columns_;
  Box root_region_;
  TaskGroup tasks_;
  std::mutex mutex_;
  std::vector<Reached> found_;
};

// Before the first release everybody is in the root.
Reached EverybodyInTheRoot(const EncodedTable& batch, std::span<const Domain> domains) {
  Reached all;
  if (batch.rows == 0) return all;
  all.leaves.push_back({0, 0, static_cast<std::uint32_t>(batch.rows), 0});
  all.rows.resize(batch.rows);
  std::iota(all.rows.begin(), all.rows.end(), 0U);
  for (const Domain& domain : domains) all.regions.push_back(domain.root());
  return all;
}

}  // namespace

Reached Descend(const SeriesTree& tree, const EncodedTable& batch, std::span<const Domain> domains) {
  if (batch.rows == 0 || tree.is_leaf(0)) return EverybodyInTheRoot(batch, domains);
  const bool is_narrow = partition::FitNarrowLanes(domains);
  if (is_narrow && domains.size() <= 8) return Descent<std::uint16_t, 8>(tree, batch, domains).Run();
  if (is_narrow) return Descent<std::uint16_t, 0>(tree, batch, domains).Run();
  return Descent<std::uint32_t, 0>(tree, batch, domains).Run();
}

}  // namespace pentimento
