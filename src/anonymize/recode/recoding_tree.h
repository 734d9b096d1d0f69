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
  RecodingTree(Rows& rows, const ClassLimits& limits, std::span<const Domain> domains)
      : rows_(rows), limits_(limits), domains_(domains), levels_(domains.begin(), domains.end()) {}

  // Subtree after subtree, in no particular order.
  std::vector<FinalGroups> Grow() {
    tasks_.Run([this] { GrowSubtree({0, rows_.size()}, {}); });
    tasks_.Wait();
    return std::move(groups_);
  }

 private:
  // Subtrees above this many rows are tasks of their own.
  static constexpr std::size_t kTaskRows = std::size_t{1} << 15;

  // Depth first with a stack of its own: how deep the tree gets depends on the data. `root_bounds`: may be empty.
  void GrowSubtree(Places root, Box root_bounds) {
    Specializer<Rows> specializer(rows_, limits_, levels_);
    FinalGroups groups;
    const std::size_t columns = domains_.size();
    Box bounds(columns);
    std::vector<Places> open = {root};
    while (!open.empty()) {
      const Places node = open.back();
      open.pop_back();
      if (root_bounds.empty()) {
        rows_.Bounds(node.buffer, node.begin, node.end, bounds);
      } else {
        bounds = std::exchange(root_bounds, {});
      }
      const Specialization* const made = specializer.Specialize(node, bounds);
      if (made == nullptr) {
        Finish(node, bounds, groups);
        continue;
      }
      const auto bounds_of = [&](std::size_t part) {
        return made->bounds.empty() ? std::span<const Interval>()
                                    : std::span(made->bounds).subspan(part * columns, columns);
      };
      for (std::size_t b = 0; b < made->branches.size(); ++b) GrowLater(made->branches[b], bounds_of(b), open);
      const Places remainder = made->remainder;
      if (remainder.size() == 0) continue;
      if (IsWorthAnotherTry(remainder, node)) {
        GrowLater(remainder, bounds_of(made->branches.size()), open);
      } else {
        rows_.Bounds(remainder.buffer, remainder.begin, remainder.end, bounds);
        Finish(remainder, bounds, groups);
      }
    }
    const std::scoped_lock lock(mutex_);
    groups_.push_back(std::move(groups));
  }

  void GrowLater(Places node, std::span<const Interval> bounds, std::vector<Places>& open) {
    if (node.size() > kTaskRows) {
      tasks_.Run([this, node, bounds = Box(bounds.begin(), bounds.end())] { GrowSubtree(node, bounds); });
    } else {
      open.push_back(node);
    }
  }

  // What came back keeps the rule, so it is a node like any other. Only if it is clearly smaller than the node it came
  // from: otherwise a node that loses k rows at a time would be gone over again and again.
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
  const ClassLimits& limits_;
  std::span<const Domain> domains_;
  std::vector<ColumnLevels> levels_;
  TaskGroup tasks_;
  std::mutex mutex_;
  std::vector<FinalGroups> groups_;
};

}  // namespace pentimento::recode
