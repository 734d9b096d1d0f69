// The tree of nodes, grown from the whole table by all threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "anonymize/recode/specializer.h"
#include "base/parallel.h"

namespace pentimento::recode {

// Groups that are final: their places in the front, and the box each is published with.
struct FinalGroups {
  std::vector<Places> places;
  std::vector<Interval> boxes;
};

// Rows: a PackedRows with signatures.
template <typename Rows>
class RecodingTree {
 public:
  RecodingTree(Rows& rows, const ClassRule& rule, std::span<const Domain> domains)
      : rows_(rows), rule_(rule), domains_(domains), levels_(domains.begin(), domains.end()) {}

  // Subtree after subtree, in no particular order.
  std::vector<FinalGroups> Grow() {
    tasks_.Run([this] { GrowSubtree({0, rows_.size()}); });
    tasks_.Wait();
    return std::move(groups_);
  }

 private:
  // Subtrees above this many rows are tasks of their own.
  static constexpr std::size_t kTaskRows = std::size_t{1} << 15;

  // Depth first with a stack of its own: how deep the tree gets depends on the data.
  void GrowSubtree(Places root) {
    Specializer<Rows> specializer(rows_, rule_, levels_);
    FinalGroups groups;
    Box bounds(domains_.size());
    std::vector<Places> open = {root};
    while (!open.empty()) {
      const Places node = open.back();
      open.pop_back();
      rows_.Bounds(node.buffer, node.begin, node.end, bounds);
      const Specialization* const made = specializer.Specialize(node, bounds);
      if (made == nullptr) {
        Finish(node, bounds, groups);
        continue;
      }
      for (const Places& branch : made->branches) GrowLater(branch, open);
      const Places remainder = made->remainder;
      if (remainder.size() == 0) continue;
      if (IsWorthAnotherTry(remainder, node)) {
        GrowLater(remainder, open);
      } else {
        rows_.Bounds(remainder.buffer, remainder.begin, remainder.end, bounds);
        Finish(remainder, bounds, groups);
      }
    }
    const std::scoped_lock lock(mutex_);
    groups_.push_back(std::move(groups));
  }

  void GrowLater(Places node, std::vector<Places>& open) {
    if (node.size() > kTaskRows) {
      tasks_.Run([this, node] { GrowSubtree(node); });
    } else {
      open.push_back(node);
    }
  }

  // What was pushed back keeps the rule, so it is a node like any other. Only if it is clearly smaller than the node it
  // came from: otherwise a node that loses k rows at a time would be gone over again and again.
  static bool IsWorthAnotherTry(Places remainder, Places node) {
    return remainder.size() <= node.size() - node.size() / 8;
  }

  void Finish(Places group, const Box& bounds, FinalGroups& groups) const {
    rows_.Settle(group.buffer, group.begin, group.end);
    groups.places.push_back({group.begin, group.end});
    for (std::size_t c = 0; c < bounds.size(); ++c)
      groups.boxes.push_back(domains_[c].Cover(bounds[c], CategoryForm::kTaxonomy));
  }

  Rows& rows_;
  const ClassRule& rule_;
  std::span<const Domain> domains_;
  std::vector<ColumnLevels> levels_;
  TaskGroup tasks_;
  std::mutex mutex_;
  std::vector<FinalGroups> groups_;
};

}  // namespace pentimento::recode
