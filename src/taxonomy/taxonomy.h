// A taxonomy: a tree of labels over the leaves of one categorical column. Leaves are numbered in
// depth-first order, so every node covers an interval of leaf codes and "is an ancestor of" is "contains".
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/interval.h"
#include "base/result.h"
#include "taxonomy/calendar.h"

namespace pentimento {

// Immutable once built. A label names one node. The root is always node 0 and is always written "*" when
// published; the label of the root in the file (usually "*" as well) is kept as that of kRoot.
class Taxonomy {
 public:
  using NodeId = std::uint32_t;
  static constexpr NodeId kRoot = 0;

  struct Node {
    std::string label;
    Interval leaves;               // codes of the leaves below (one code for a leaf)
    NodeId parent = kRoot;         // the root is its own parent
    std::uint32_t depth = 0;       // edges from the root
    std::vector<NodeId> children;  // in code order; empty for a leaf
  };

  // Reads ARX's form: one line per leaf, leaf first, root last, `;` or `,`, no header, ragged depths, values
  // may be quoted as in CSV. The same label repeated next to itself on a line is one node (ARX pads so).
  // Leaves keep the order of the file as far as depth-first numbering allows. `source` names the file in messages,
  // which carry the line: cycle, duplicate leaf, two roots, a label with two parents, a leaf that is also an
  // inner node, empty file, bad UTF-8. Errors are kBadPolicy.
  static Result<Taxonomy> Parse(std::string_view text, std::string_view source);
  static Result<Taxonomy> ReadFile(const std::filesystem::path& path);

  // A root over the values: "value or *". Duplicates and an empty list are kBadPolicy errors.
  static Result<Taxonomy> Flat(std::span<const std::string> values);

  // Where the leaves are the days of a domain: then runs of neighbours are published, see calendar.h.
  const std::optional<DayRange>& calendar() const { return calendar_; }

  Code leaf_count() const { return nodes_[kRoot].leaves.hi + 1; }
  std::span<const Node> nodes() const { return nodes_; }
  const Node& node(NodeId id) const { return nodes_[id]; }
  const Node& root() const { return nodes_[kRoot]; }
  std::uint32_t height() const;  // longest path from the root to a leaf, in edges

  std::optional<Code> FindLeaf(std::string_view label) const;
  std::optional<NodeId> FindNode(std::string_view label) const;  // "*" and the root's label in the file find the root
  const std::string& leaf_label(Code code) const { return nodes_[leaf_nodes_[code]].label; }
  NodeId leaf_node(Code code) const { return leaf_nodes_[code]; }

  // The smallest node whose leaves contain the interval (the lowest one where several cover the same leaves).
  NodeId Cover(Interval codes) const;
  // The fewest nodes whose leaves together are exactly the interval, in code order.
  std::vector<NodeId> Decompose(Interval codes) const;

  // The same nodes under other labels, one for each. REQUIRES: each is a label that a file could give it, and no two
  // are the same.
  Taxonomy WithLabels(std::span<const std::string> labels) const;

  // ARX's form again, `;` between labels, quoted where needed, root written "*": Parse() of it gives an equal taxonomy.
  std::string ToText() const;

 private:
  friend class TaxonomyBuilder;
  friend Taxonomy MakeCalendarTaxonomy(DayRange domain);
  // A place in the table that finds nodes by label. Part of the hash stands beside the id, so that a search reads
  // hardly any label but the one it wants.
  struct Slot {
    std::uint32_t hash = 0;
    NodeId node = kNoNode;
  };
  static constexpr NodeId kNoNode = UINT32_MAX;

  Taxonomy() = default;  // only the friends make one, so every taxonomy there is has a root and a leaf
  void IndexLabels();

  std::vector<Node> nodes_;         // depth-first order, root first
  std::vector<NodeId> leaf_nodes_;  // by code
  std::vector<Slot> slots_;         // open addressing, a power of two, at most half full
  std::optional<DayRange> calendar_;
};

}  // namespace pentimento
