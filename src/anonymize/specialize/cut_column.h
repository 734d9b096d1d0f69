// One column that is being specialized: its values as a tree of intervals, from the most general value down, and the
// cut through it that is reached. Taxonomies give the tree; of numbers it grows with the cut, two parts at a time,
// where the split gains most.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/interval.h"
#include "policy/policy.h"
#include "taxonomy/domain.h"

namespace pentimento {

// How often each code occurs, by class: `classes` counts per code. One class where nobody asks for classes.
struct ColumnHistogram {
  std::size_t classes = 1;
  std::vector<std::uint64_t> counts;
  std::span<const std::uint64_t> of(Code code) const { return std::span(counts).subspan(code * classes, classes); }
};

class CutColumn {
 public:
  using NodeId = std::uint32_t;

  struct Node {
    Interval codes;
    NodeId first_child = 0;
    std::uint32_t child_count = 0;  // 0: this is as special as it gets, or nobody is here
    double gain = 0;                // what is won by its specialization; discernibility is counted elsewhere
    std::uint64_t records = 0;
  };

  CutColumn(const Domain& domain, ColumnHistogram histogram, Utility utility);

  const Node& node(NodeId id) const { return nodes_[id]; }
  std::span<const NodeId> cut() const { return cut_; }
  // Which node of the cut a code belongs to, and which child of that node.
  NodeId NodeOf(Code code) const { return node_of_code_[code]; }
  std::uint32_t ChildOf(Code code) const { return child_of_code_[code]; }

  // Replaces a node of the cut by its children.
  void Specialize(NodeId id);

  // Of numbers: every place where a node of the cut could be split between two values that occur, the one that gains
  // most first; the second part begins there. Nothing for a node whose children are given.
  std::vector<Code> SplitsOf(NodeId id) const;
  // Lets the children of a node of the cut be the two parts before and from `at`, one of its splits.
  void SplitAt(NodeId id, Code at);

 private:
  void GrowFromTaxonomy(NodeId id);
  void GrowFromNumbers(NodeId id);
  void AddChildren(NodeId id, std::span<const Interval> children);
  void EnterCut(NodeId id);
  void NumberChildren(NodeId id);
  std::uint64_t CountRecords(Interval codes) const;
  double GainOf(NodeId id) const;
  double GainOfParts(Interval left, Interval right) const;
  double EntropyTimesRecords(Interval codes) const;

  const Domain& domain_;
  ColumnHistogram histogram_;
  std::vector<std::uint64_t> before_;  // histogram added up: `classes` counts per code and one more code
  Utility utility_;
  std::vector<Node> nodes_;
  std::vector<NodeId> cut_;
  std::vector<NodeId> node_of_code_;
  std::vector<std::uint32_t> child_of_code_;
};

}  // namespace pentimento
