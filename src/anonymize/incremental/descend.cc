#include "anonymize/incremental/descend.h"

#include <algorithm>
#include <array>
#include <utility>

#include "anonymize/incremental/place_walk.h"
#include "anonymize/incremental/row_lanes.h"
#include "anonymize/incremental/top_of_tree.h"
#include "base/large_pages.h"
#include "base/parallel.h"
#include "base/parallel_sort.h"

namespace pentimento {
namespace {

constexpr std::size_t kBlockRows = 256;
// Rows of a chunk are counted and filed by one task.
constexpr std::size_t kChunkRows = std::size_t{1} << 15;

// The rows of a place, their codes and the nodes below it fit into the cache.
constexpr std::size_t kRowsPerPlace = 256;
constexpr std::size_t kMostPlaces = 2048;
// So many walks take turns.
constexpr std::size_t kWalks = 4;

template <typename Lane>
class Descent {
 public:
  Descent(const IncrementalTree& tree, const EncodedTable& batch, Reached& reached)
      : tree_(tree),
        batch_(batch),
        columns_(tree.root_region().size()),
        top_(tree, std::min(kMostPlaces, batch.rows / kRowsPerPlace + 1), batch.rows),
        chunks_((batch.rows + kChunkRows - 1) / kChunkRows),
        reached_(reached),
        codes_(reached.codes.emplace<UnfilledVector<Lane>>()) {
    TaskGroup tasks;
    tasks.Run([&] { ResizeInLargePages(codes_, batch.rows * columns_); });
    tasks.Run([&] { place_of_row_.resize(batch.rows); });
    tasks.Run([&] { reached_.rows.resize(batch.rows); });
    tasks.Wait();
  }

  void Run() {
    FindPlaces();
    FileByPlace();
    WalkPlaces();
    GatherLeaves();
  }

 private:
  // Calls body(first row, count, codes) for blocks of a chunk.
  template <typename Body>
  void ForEachBlock(std::size_t chunk, const Body& body) const {
    std::vector<Lane> codes(kBlockRows * columns_);
    const std::size_t end = std::min((chunk + 1) * kChunkRows, batch_.rows);
    for (std::size_t first = chunk * kChunkRows; first < end; first += kBlockRows) {
      const std::size_t count = std::min(kBlockRows, end - first);
      CopyRows(
          batch_, count, [&](std::size_t i) { return first + i; }, codes.data());
      body(first, count, codes.data());
    }
  }

  template <typename Body>
  void ForEachChunk(const Body& body) const {
    ParallelFor(chunks_, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t chunk = begin; chunk < end; ++chunk) body(chunk);
    });
  }

  std::uint32_t& Next(std::size_t chunk, std::size_t place) { return next_[chunk * top_.places().size() + place]; }

  void FindPlaces() {
    next_.assign(chunks_ * top_.places().size(), 0);
    ForEachChunk([&](std::size_t chunk) {
      ForEachBlock(chunk, [&](std::size_t first, std::size_t count, const Lane* codes) {
        top_.Find(codes, columns_, count, &place_of_row_[first]);
        for (std::size_t i = 0; i < count; ++i) ++Next(chunk, place_of_row_[first + i]);
      });
    });
  }

  // Rows of one place ascend.
  void FileByPlace() {
    std::uint32_t filed = 0;
    for (std::size_t place = 0; place < top_.places().size(); ++place) {
      first_of_place_.push_back(filed);
      for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
        const std::uint32_t count = Next(chunk, place);
        Next(chunk, place) = filed;
        filed += count;
      }
    }
    first_of_place_.push_back(filed);
    ForEachChunk([&](std::size_t chunk) {
      ForEachBlock(chunk, [&](std::size_t first, std::size_t count, const Lane* codes) {
        for (std::size_t i = 0; i < count; ++i) {
          const std::size_t to = Next(chunk, place_of_row_[first + i])++;
          reached_.rows[to] = static_cast<std::uint32_t>(first + i);
          CopyLanes(codes + i * columns_, columns_, codes_.data() + to * columns_);
        }
      });
    });
    place_of_row_ = {};
    next_ = {};
  }

  void WalkPlaces() {
    found_.resize(top_.places().size());
    ParallelFor((found_.size() + kWalks - 1) / kWalks, 1, [&](std::size_t begin, std::size_t end) {
      std::vector<PlaceWalk<Lane>> walks(kWalks, PlaceWalk<Lane>(tree_, columns_));
      for (std::size_t group = begin; group < end; ++group) WalkTogether(group * kWalks, walks);
    });
  }

  void WalkTogether(std::size_t first_place, std::span<PlaceWalk<Lane>> walks) {
    std::array<PlaceWalk<Lane>*, kWalks> active;
    std::size_t left = 0;
    for (std::size_t w = 0; w < walks.size() && first_place + w < found_.size(); ++w) {
      const std::size_t place = first_place + w;
      const std::uint32_t first = first_of_place_[place];
      const std::uint32_t count = first_of_place_[place + 1] - first;
      if (count == 0) continue;
      walks[w].Begin(top_.places()[place], first, std::span(reached_.rows).subspan(first, count),
                     codes_.data() + std::size_t{first} * columns_, &found_[place]);
      active[left++] = &walks[w];
    }
    while (left > 0) {
      std::size_t still = 0;
      for (std::size_t w = 0; w < left; ++w) {
        if (active[w]->Step()) active[still++] = active[w];
      }
      left = still;
    }
  }

  void GatherLeaves() {
    std::vector<std::uint32_t> first_leaf{0};
    for (const LeavesOfPlace<Lane>& found : found_)
      first_leaf.push_back(first_leaf.back() + static_cast<std::uint32_t>(found.leaves.size()));
    UnfilledVector<Lane>& regions = reached_.regions.emplace<UnfilledVector<Lane>>();
    TaskGroup room;
    room.Run([&] { ResizeInLargePages(regions, std::size_t{first_leaf.back()} * 2 * columns_); });
    ResizeInLargePages(reached_.leaves, first_leaf.back());
    room.Wait();
    ParallelFor(found_.size(), kPlacesPerTask, [&](std::size_t begin, std::size_t end) {
      for (std::size_t place = begin; place < end; ++place) {
        LeavesOfPlace<Lane>& found = found_[place];
        for (std::size_t i = 0; i < found.leaves.size(); ++i) {
          ReachedLeaf& leaf = reached_.leaves[first_leaf[place] + i] = found.leaves[i];
          leaf.region += first_leaf[place];
        }
        std::ranges::copy(found.regions,
                          regions.begin() + static_cast<std::ptrdiff_t>(first_leaf[place] * 2 * columns_));
        found = {};
      }
    });
    SortLeaves();
  }

  // Those of the first release come in order; among them stand those that later releases made.
  void SortLeaves() {
    std::vector<ReachedLeaf>& leaves = reached_.leaves;
    if (std::ranges::is_sorted(leaves, {}, &ReachedLeaf::node)) return;
    const NodeNumber first_later = tree_.first_later_node();
    std::vector<ReachedLeaf> later;
    std::ranges::copy_if(leaves, std::back_inserter(later),
                         [&](const ReachedLeaf& leaf) { return leaf.node >= first_later; });
    std::erase_if(leaves, [&](const ReachedLeaf& leaf) { return leaf.node >= first_later; });
    const auto by_node = [](const ReachedLeaf& a, const ReachedLeaf& b) { return a.node < b.node; };
    ParallelSort(later.begin(), later.end(), by_node);
    if (!std::ranges::is_sorted(leaves, by_node)) ParallelSort(leaves.begin(), leaves.end(), by_node);
    leaves.insert(leaves.end(), later.begin(), later.end());
  }

  static constexpr std::size_t kPlacesPerTask = 64;

  const IncrementalTree& tree_;
  const EncodedTable& batch_;
  std::size_t columns_;
  TopOfTree top_;
  std::size_t chunks_;
  Reached& reached_;
  UnfilledVector<Lane>& codes_;
  std::vector<std::uint32_t> place_of_row_;
  std::vector<std::uint32_t> next_;  // by chunk and place: first how many there are, then where the next row goes
  std::vector<std::uint32_t> first_of_place_;
  std::vector<LeavesOfPlace<Lane>> found_;
};

}  // namespace

Reached Descend(const IncrementalTree& tree, std::span<const Domain> domains, const EncodedTable& batch) {
  Reached reached;
  if (batch.rows == 0) return reached;
  if (partition::FitNarrowLanes(domains)) {
    Descent<std::uint16_t>(tree, batch, reached).Run();
  } else {
    Descent<std::uint32_t>(tree, batch, reached).Run();
  }
  return reached;
}

}  // namespace pentimento
