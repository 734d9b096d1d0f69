#include "anonymize/incremental/descend.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

#include "base/parallel.h"

namespace pentimento {
namespace {

constexpr std::size_t kBlockRows = 256;
constexpr std::size_t kBlocksPerTask = 16;
// So far down all nodes are in the cache whatever order rows come in.
constexpr int kTopLevels = 9;

// Nodes are numbered from left to right, nearly: those of one bucket are close to each other in the tree.
constexpr int kBucketBits = 11;
constexpr std::size_t kBuckets = std::size_t{1} << kBucketBits;

// All rows go down a few levels; then those who stand at one node go on together, so that the nodes below it are looked
// at by all of them before anybody needs others.
template <typename Lane>
class Descent {
 public:
  Descent(const SeriesTree& tree, std::span<const Lane> codes, std::size_t rows)
      : tree_(tree), columns_(tree.root_region().size()), codes_(codes), node_of_row_(rows, 0), rows_(rows) {
    std::iota(rows_.begin(), rows_.end(), 0U);
  }

  Reached Run() {
    GoDown(kTopLevels);
    SortIntoBuckets();
    GoDown(std::numeric_limits<int>::max());
    SortIntoBuckets();
    return Gather();
  }

 private:
  // Stable, so rows ascend within a bucket.
  void SortIntoBuckets() {
    const int shift = std::max(0, static_cast<int>(std::bit_width(tree_.node_count())) - kBucketBits);
    bucket_begin_.fill(0);
    for (const std::uint32_t row : rows_) ++bucket_begin_[(node_of_row_[row] >> shift) + 1];
    std::partial_sum(bucket_begin_.begin(), bucket_begin_.end(), bucket_begin_.begin());
    auto next = bucket_begin_;
    std::vector<std::uint32_t> sorted(rows_.size());
    for (const std::uint32_t row : rows_) sorted[next[node_of_row_[row] >> shift]++] = row;
    rows_ = std::move(sorted);
  }

  // Sorts every bucket, and lists its leaves.
  Reached Gather() {
    std::vector<std::vector<ReachedLeaf>> leaves_of_bucket(kBuckets);
    ParallelFor(kBuckets, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t bucket = begin; bucket < end; ++bucket) leaves_of_bucket[bucket] = SortBucket(bucket);
    });
    Reached reached{{}, std::move(rows_)};
    std::size_t count = 0;
    for (const auto& leaves : leaves_of_bucket) count += leaves.size();
    reached.leaves.reserve(count);
    for (const auto& leaves : leaves_of_bucket)
      reached.leaves.insert(reached.leaves.end(), leaves.begin(), leaves.end());
    return reached;
  }

  std::vector<ReachedLeaf> SortBucket(std::size_t bucket) {
    const auto rows =
        std::span(rows_).subspan(bucket_begin_[bucket], bucket_begin_[bucket + 1] - bucket_begin_[bucket]);
    std::vector<std::uint64_t> sorted;  // leaf, then row
    sorted.reserve(rows.size());
    for (const std::uint32_t row : rows) sorted.push_back(std::uint64_t{node_of_row_[row]} << 32 | row);
    std::ranges::sort(sorted);
    std::vector<ReachedLeaf> leaves;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i] = static_cast<std::uint32_t>(sorted[i]);
      const auto leaf = static_cast<NodeNumber>(sorted[i] >> 32);
      if (leaves.empty() || leaves.back().node != leaf)
        leaves.push_back({leaf, bucket_begin_[bucket] + static_cast<std::uint32_t>(i), 0});
      ++leaves.back().row_count;
    }
    return leaves;
  }

  void GoDown(int levels) {
    const std::size_t blocks = (rows_.size() + kBlockRows - 1) / kBlockRows;
    ParallelFor(blocks, kBlocksPerTask, [&](std::size_t begin, std::size_t end) {
      for (std::size_t block = begin; block < end; ++block) {
        const std::size_t first = block * kBlockRows;
        GoDownTogether(std::span(rows_).subspan(first, std::min(kBlockRows, rows_.size() - first)), levels);
      }
    });
  }

  // Everybody takes a step before anybody takes the next one: they do not wait for each other's memory.
  void GoDownTogether(std::span<const std::uint32_t> rows, int levels) {
    std::array<std::uint32_t, kBlockRows> on_the_way;
    std::array<NodeNumber, kBlockRows> number;
    std::array<RegionNode, kBlockRows> at;
    std::array<const Lane*, kBlockRows> codes;
    std::size_t left = rows.size();
    for (std::size_t i = 0; i < left; ++i) {
      on_the_way[i] = static_cast<std::uint32_t>(i);
      number[i] = node_of_row_[rows[i]];
      at[i] = tree_.node(number[i]);
      codes[i] = codes_.data() + rows[i] * columns_;
    }
    for (int level = 0; left > 0 && level < levels; ++level) {
      std::size_t still = 0;
      for (std::size_t w = 0; w < left; ++w) {
        const std::uint32_t i = on_the_way[w];
        const RegionNode node = at[i];
        if (node.is_leaf()) continue;
        const auto children = tree_.children(node);
        const std::size_t child = ChildOfCode(children, codes[i][node.column]);
        number[i] = node.first_child + static_cast<NodeNumber>(child);
        at[i] = tree_.Current(number[i], children[child]);
        on_the_way[still++] = i;
      }
      left = still;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) node_of_row_[rows[i]] = number[i];
  }

  const SeriesTree& tree_;
  std::size_t columns_;
  std::span<const Lane> codes_;
  std::vector<NodeNumber> node_of_row_;  // how far each has come
  std::vector<std::uint32_t> rows_;
  std::array<std::uint32_t, kBuckets + 1> bucket_begin_{};
};

}  // namespace

Reached Descend(const SeriesTree& tree, const CodeLanes& batch, std::size_t rows) {
  return std::visit([&](auto codes) { return Descent(tree, codes, rows).Run(); }, batch);
}

}  // namespace pentimento
