// Grows the tree of cuts over packed rows, large subtrees side by side, and gathers the leaves in the order of
// the cuts. The order and the boxes are the same for any number of threads: a node's cut depends on its rows alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "anonymize/partition/cut_finder.h"
#include "anonymize/partition/partition.h"
#include "base/parallel.h"

namespace pentimento::partition {

// The leaves of one subtree, from left to right: neighbouring ranges of records, and how each is published.
struct SubtreeLeaves {
  std::size_t begin = 0;
  std::vector<std::uint32_t> ends;
  std::vector<Interval> boxes;  // one interval per column and leaf
};

template <typename Rows>
class PartitionTree {
 public:
  PartitionTree(Rows& rows, std::span<const Domain> domains, const PartitionOptions& options)
      : rows_(rows), domains_(domains), options_(options), prices_(options.k, rows.size()) {
    for (const Domain& domain : domains) shapes_.emplace_back(domain, options.form);
  }

  std::vector<SubtreeLeaves> Grow() {
    Node root{0, rows_.size(), {}};
    if (options_.boxes == BoxKind::kRegion) {
      for (const Domain& domain : domains_) root.region.push_back(domain.root());
    }
    Spawn(std::move(root));
    tasks_.Wait();
    std::sort(subtrees_.begin(), subtrees_.end(),
              [](const SubtreeLeaves& a, const SubtreeLeaves& b) { return a.begin < b.begin; });
    return std::move(subtrees_);
  }

 private:
  struct Node {
    std::size_t begin;
    std::size_t end;
    Box region;  // empty: groups are published with their members' boxes
  };

  // Subtrees above this many rows are tasks of their own.
  static constexpr std::size_t kTaskRows = std::size_t{1} << 15;

  void Spawn(Node node) {
    tasks_.Run([this, node = std::move(node)] { GrowSubtree(node); });
  }

  // Depth first with a stack of its own: how deep the tree gets depends on the data.
  void GrowSubtree(Node root) {
    CutFinder<Rows> finder(rows_, shapes_, prices_);
    SubtreeLeaves leaves{root.begin, {}, {}};
    Box members(domains_.size());
    std::vector<Node> open;
    open.push_back(std::move(root));
    while (!open.empty()) {
      Node node = std::move(open.back());
      open.pop_back();
      rows_.Bounds(node.begin, node.end, members);
      const std::optional<Cut> cut = finder.FindCut({node.begin, node.end, members, node.region});
      if (!cut) {
        AddLeaf(node, members, leaves);
        continue;
      }
      std::vector<Node> parts = Divide(node, *cut);
      const bool is_task = node.end - node.begin > kTaskRows;
      for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        if (is_task) {
          Spawn(std::move(*part));
        } else {
          open.push_back(std::move(*part));
        }
      }
    }
    if (leaves.ends.empty()) return;
    const std::scoped_lock lock(mutex_);
    subtrees_.push_back(std::move(leaves));
  }

  // From left to right.
  std::vector<Node> Divide(const Node& node, const Cut& cut) {
    if (!cut.runs.empty()) {
      std::vector<Node> parts;
      DivideIntoRuns(node, cut, cut.runs, parts);
      return parts;
    }
    // Where every row is a person, whoever found the cut has counted already.
    const bool is_counted = !Rows::kHasPersons && cut.below > 0;
    const std::size_t below = is_counted ? cut.below : rows_.CountBelow(node.begin, node.end, cut.column, cut.at);
    const std::size_t middle = rows_.Partition(node.begin, node.end, cut.column, cut.at, below);
    std::vector<Node> parts{{node.begin, middle, node.region}, {middle, node.end, node.region}};
    if (!node.region.empty()) {
      // The boundary is the lowest code above it, however coarse the bins were through which it was found.
      const Code at = rows_.LowestCode(middle, node.end, cut.column);
      parts[0].region[cut.column].hi = at - 1;
      parts[1].region[cut.column].lo = at;
    }
    return parts;
  }

  // Halves the runs again and again, so that every record moves only log(runs) times.
  void DivideIntoRuns(const Node& node, const Cut& cut, std::span<const Interval> runs, std::vector<Node>& parts) {
    if (runs.size() == 1) {
      parts.push_back(node);
      if (!node.region.empty()) parts.back().region[cut.column] = runs[0];
      return;
    }
    const std::size_t half = runs.size() / 2;
    const std::size_t below = rows_.CountBelow(node.begin, node.end, cut.column, runs[half].lo);
    const std::size_t middle = rows_.Partition(node.begin, node.end, cut.column, runs[half].lo, below);
    DivideIntoRuns({node.begin, middle, node.region}, cut, runs.first(half), parts);
    DivideIntoRuns({middle, node.end, node.region}, cut, runs.subspan(half), parts);
  }

  void AddLeaf(const Node& node, const Box& members, SubtreeLeaves& leaves) const {
    leaves.ends.push_back(static_cast<std::uint32_t>(node.end));
    const Box& box = node.region.empty() ? members : node.region;
    for (std::size_t c = 0; c < box.size(); ++c) leaves.boxes.push_back(domains_[c].Cover(box[c], options_.form));
  }

  Rows& rows_;
  std::span<const Domain> domains_;
  PartitionOptions options_;
  CutPrices prices_;
  std::vector<ColumnShape> shapes_;
  TaskGroup tasks_;
  std::mutex mutex_;
  std::vector<SubtreeLeaves> subtrees_;
};

}  // namespace pentimento::partition
