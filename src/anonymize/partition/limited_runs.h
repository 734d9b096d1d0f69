// Cuts along a taxonomy where sensitive values are limited: children whose members may be a class stand alone, others
// join a neighbour. What joins is tested again, because a child with many rows of one value spoils a run.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "anonymize/partition/column_cuts.h"
#include "anonymize/partition/node_view.h"

namespace pentimento::partition {

// Memory that is used again for the next node.
struct RunMemory {
  struct Child {
    Interval leaves;
    Interval members;
    std::size_t first;  // slot
  };
  struct Range {  // of children
    std::size_t first;
    std::size_t past;
  };
  std::vector<Child> children;
  std::vector<Range> runs;
  std::vector<RunBuilder::Run> found;
};

// Members: OrderedMembers or CountedMembers, which are loaded.
template <typename Members>
class LimitedRuns {
 public:
  LimitedRuns(const ColumnShape& shape, const NodeView& node, std::size_t column, Members& members, RunMemory& memory)
      : members_(members), children_(memory.children), runs_(memory.runs), found_(memory.found) {
    children_.clear();
    runs_.clear();
    found_.clear();
    const NodeToCut taxonomy_node(shape, node.members[column]);
    const auto slots = members.slots();
    for (std::size_t s = 0; s < slots.size(); ++s) {
      const Code code = slots[s].code;
      if (children_.empty() || code > children_.back().leaves.hi)
        children_.push_back({taxonomy_node.ChildOf(code), {code, code}, s});
      children_.back().members.hi = code;
    }
  }

  // As many runs as one pass from the left finds. Fewer than two: nothing.
  std::span<const RunBuilder::Run> Find() {
    std::size_t pending = 0;  // the first child of those that are in no run yet
    for (std::size_t c = 0; c < children_.size(); ++c) {
      const ClassPart alone = Of(c, c + 1, kAlone);
      if (pending < c && alone.keeps && JoinsRunBefore(pending, c, alone.persons)) {
        runs_.back().past = c;
        pending = c;
      }
      const ClassPart joined = pending == c ? alone : Of(pending, c + 1, kJoined);
      if (!joined.keeps) continue;
      runs_.push_back({pending, c + 1});
      pending = c + 1;
    }
    if (pending < children_.size()) JoinLast();
    for (const Range& run : runs_) found_.push_back(RunOf(run));
    return found_;
  }

  // Every boundary between two children whose two sides are legal.
  template <typename Body>
  void ForEachLegalBoundary(const Body& body) {
    members_.FindBoundaries();
    for (std::size_t c = 1; c < children_.size(); ++c) {
      if (!members_.BoundaryAt(children_[c].first).is_legal()) continue;
      const RunBuilder::Run runs[] = {RunOf({0, c}), RunOf({c, children_.size()})};
      body(runs);
    }
  }

 private:
  // Which of the two ranges that members remember.
  static constexpr std::size_t kAlone = 0;
  static constexpr std::size_t kJoined = 1;

  using Range = RunMemory::Range;

  ClassPart Of(std::size_t first, std::size_t past, std::size_t which) {
    return members_.Of(children_[first].first,
                       past < children_.size() ? children_[past].first : members_.slots().size(), which);
  }

  // The children [pending, child) cannot be a class. They join the run before them where that costs no label of more
  // persons than the child after them has.
  bool JoinsRunBefore(std::size_t pending, std::size_t child, std::uint64_t persons_of_child) {
    if (runs_.empty()) return false;
    const Range last = runs_.back();
    const bool has_label = last.past - last.first == 1;
    if (has_label && Of(last.first, last.past, kAlone).persons >= persons_of_child) return false;
    return Of(last.first, child, kAlone).keeps && pending == last.past;
  }

  void JoinLast() {
    while (!runs_.empty()) {
      runs_.back().past = children_.size();
      if (Of(runs_.back().first, children_.size(), kAlone).keeps) return;
      runs_.pop_back();
    }
  }

  RunBuilder::Run RunOf(Range run) {
    return {{children_[run.first].leaves.lo, children_[run.past - 1].leaves.hi},
            {children_[run.first].members.lo, children_[run.past - 1].members.hi},
            Of(run.first, run.past, kAlone).persons,
            run.past - run.first == 1};
  }

  Members& members_;
  std::vector<RunMemory::Child>& children_;
  std::vector<Range>& runs_;
  std::vector<RunBuilder::Run>& found_;
};

// The best legal cut of one column that follows a taxonomy, whose members are loaded.
template <typename Members>
std::optional<Cut> LimitedCutIntoRuns(const ColumnShape& shape, const NodeView& node, std::size_t column,
                                      const CutPrices& prices, Members& members, RunMemory& memory) {
  LimitedRuns<Members> limited(shape, node, column, members, memory);
  const auto cut_into = [&](std::span<const RunBuilder::Run> runs) {
    return CutIntoRuns(shape, runs, node.members[column], node.RegionOf(column), prices);
  };
  std::optional<Cut> best = cut_into(limited.Find());
  if (best) return best;
  limited.ForEachLegalBoundary([&](std::span<const RunBuilder::Run> runs) {
    std::optional<Cut> cut = cut_into(runs);
    if (!best || cut->gain > best->gain) best = std::move(cut);
  });
  return best;
}

}  // namespace pentimento::partition
