#include "taxonomy/taxonomy_builder.h"

#include <algorithm>

#include "base/check.h"
#include "fmt/core.h"
#include "taxonomy/label.h"

namespace pentimento {

std::optional<std::string> TaxonomyBuilder::AddPath(const std::vector<std::string>& labels, std::size_t line) {
  if (auto fault = FindFaultyLabel(labels)) return fault;
  std::vector<EntryId> path;
  for (const std::string& label : labels) {
    const EntryId id = Intern(label);
    if (path.empty() || path.back() != id) path.push_back(id);  // a label repeated next to itself is padding
  }
  if (path.size() < 2) {
    return fmt::format("the line holds the one label '{}'; write at least a leaf and the root, such as {};*",
                       labels.front(), labels.front());
  }
  if (root_ == kNone) root_ = path.back();
  if (auto fault = MarkSeen(path, line)) return fault;
  if (path.back() != root_) {
    return fmt::format(
        "the line ends in '{}' but line {} ends in '{}': there can be one root; end every line in the same label",
        entries_[path.back()].label, entries_[root_].inner_line, entries_[root_].label);
  }
  if (auto fault = MarkLeaf(path, line)) return fault;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    if (auto fault = SetParent(path[i], path[i + 1], line)) return fault;
  }
  return std::nullopt;
}

std::optional<std::string> TaxonomyBuilder::FindFaultyLabel(const std::vector<std::string>& labels) const {
  const auto describe = [&](std::size_t i, const std::string& fault) {
    return fmt::format("label {} of {} {}", i + 1, labels.size(), fault);
  };
  // The root first: after a separator too many, the empty last label is the cause and a "*" before it the symptom.
  if (const auto fault = FindRootLabelFault(labels.back())) return describe(labels.size() - 1, *fault);
  std::size_t root_from = labels.size() - 1;  // the root may be padded, too
  while (root_from > 0 && labels[root_from - 1] == labels.back()) --root_from;
  for (std::size_t i = 0; i < root_from; ++i) {
    if (const auto fault = FindLabelFault(labels[i])) return describe(i, *fault);
  }
  return std::nullopt;
}

TaxonomyBuilder::EntryId TaxonomyBuilder::Intern(const std::string& label) {
  const auto [found, is_new] = id_of_label_.try_emplace(label, static_cast<EntryId>(entries_.size()));
  if (is_new) {
    Check(entries_.size() < kNone, "a taxonomy has fewer nodes than there are codes");
    entries_.emplace_back().label = label;
  }
  return found->second;
}

std::optional<std::string> TaxonomyBuilder::MarkSeen(const std::vector<EntryId>& path, std::size_t line) {
  for (const EntryId id : path) {
    Entry& entry = entries_[id];
    if (entry.last_line == line) {
      return fmt::format(
          "'{}' is its own ancestor (a cycle): it stands twice on the line with other labels between; "
          "remove or rename one",
          entry.label);
    }
    entry.last_line = line;
  }
  return std::nullopt;
}

std::optional<std::string> TaxonomyBuilder::MarkLeaf(const std::vector<EntryId>& path, std::size_t line) {
  Entry& leaf = entries_[path.front()];
  if (leaf.leaf_line != 0) {
    return fmt::format("the leaf '{}' is already on line {}; keep one of the two lines", leaf.label, leaf.leaf_line);
  }
  leaf.leaf_line = line;
  for (std::size_t i = 1; i < path.size(); ++i) {
    if (entries_[path[i]].inner_line == 0) entries_[path[i]].inner_line = line;
  }
  for (const EntryId id : path) {
    const Entry& entry = entries_[id];
    if (entry.leaf_line == 0 || entry.inner_line == 0) continue;
    return fmt::format("'{}' is a leaf on line {} and has labels below it on line {}; rename one of the two",
                       entry.label, entry.leaf_line, entry.inner_line);
  }
  return std::nullopt;
}

std::optional<std::string> TaxonomyBuilder::SetParent(EntryId child, EntryId parent, std::size_t line) {
  Entry& entry = entries_[child];
  if (entry.parent == parent) return std::nullopt;
  if (entry.parent == kNone) {
    entry.parent = parent;
    entry.parent_line = line;
    entries_[parent].children.push_back(child);
    return std::nullopt;
  }
  if (IsAbove(child, parent)) {
    return fmt::format("'{}' stands below '{}' here but above it on an earlier line (a cycle); put them in one order",
                       entry.label, entries_[parent].label);
  }
  return fmt::format(
      "'{}' stands below '{}' here but below '{}' on line {}; a label has one parent: rename one of the two",
      entry.label, entries_[parent].label, entries_[entry.parent].label, entry.parent_line);
}

// Ends, because parents set so far hold no cycle: every label got its parent from a line that leads to the root.
bool TaxonomyBuilder::IsAbove(EntryId upper, EntryId lower) const {
  while (lower != kNone && lower != upper) lower = entries_[lower].parent;
  return lower == upper;
}

Taxonomy TaxonomyBuilder::Finish() {
  Check(root_ != kNone, "a taxonomy has at least one path");
  Taxonomy taxonomy;
  taxonomy.nodes_.reserve(entries_.size());
  struct Pending {
    EntryId entry;
    Taxonomy::NodeId parent;
  };
  std::vector<Pending> pending = {{root_, Taxonomy::kRoot}};  // a stack of our own: depth is the user's choice
  while (!pending.empty()) {
    const auto [entry_id, parent] = pending.back();
    pending.pop_back();
    Entry& entry = entries_[entry_id];
    const auto id = static_cast<Taxonomy::NodeId>(taxonomy.nodes_.size());
    const std::uint32_t depth = id == Taxonomy::kRoot ? 0 : taxonomy.nodes_[parent].depth + 1;
    taxonomy.nodes_.push_back({std::move(entry.label), {}, parent, depth, {}});
    if (id != Taxonomy::kRoot) taxonomy.nodes_[parent].children.push_back(id);
    for (auto child = entry.children.rbegin(); child != entry.children.rend(); ++child) pending.push_back({*child, id});
  }
  SpreadLeaves(taxonomy);
  taxonomy.IndexLabels();
  return taxonomy;
}

void TaxonomyBuilder::SpreadLeaves(Taxonomy& taxonomy) {
  for (Taxonomy::NodeId id = 0; id < taxonomy.nodes_.size(); ++id) {
    Taxonomy::Node& node = taxonomy.nodes_[id];
    const auto next_code = static_cast<Code>(taxonomy.leaf_nodes_.size());
    node.leaves = {next_code, next_code};
    if (!node.children.empty()) continue;
    taxonomy.leaf_nodes_.push_back(id);
  }
  // Depth-first order puts children behind their parent, so walking backwards meets them first.
  for (auto id = static_cast<Taxonomy::NodeId>(taxonomy.nodes_.size()); id-- > 1;) {
    const Taxonomy::Node& node = taxonomy.nodes_[id];
    Interval& above = taxonomy.nodes_[node.parent].leaves;
    above.hi = std::max(above.hi, node.leaves.hi);
  }
}

}  // namespace pentimento
