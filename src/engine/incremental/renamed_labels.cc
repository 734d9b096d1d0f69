#include "engine/incremental/renamed_labels.h"

#include <algorithm>

namespace pentimento {
namespace {

constexpr Taxonomy::NodeId kNobody = UINT32_MAX;

// By node of `now` the one of `before` over the same leaves, in the same place; nothing where there is not one for
// each.
std::optional<std::vector<Taxonomy::NodeId>> FindTwins(const Taxonomy& before, const Taxonomy& now) {
  if (before.nodes().size() != now.nodes().size() || before.leaf_count() != now.leaf_count()) return std::nullopt;
  std::vector<Taxonomy::NodeId> twin(now.nodes().size(), kNobody);
  // Children stand behind their parents.
  for (auto id = static_cast<Taxonomy::NodeId>(now.nodes().size()); id-- > 0;) {
    const Taxonomy::Node& node = now.node(id);
    if (node.children.empty()) {
      const std::optional<Code> leaf = before.FindLeaf(node.label);
      if (!leaf) return std::nullopt;
      twin[id] = before.leaf_node(*leaf);
      continue;
    }
    const Taxonomy::NodeId parent = before.node(twin[node.children.front()]).parent;
    const auto is_below = [&](Taxonomy::NodeId child) {
      return twin[child] != Taxonomy::kRoot && before.node(twin[child]).parent == parent;
    };
    if (before.node(parent).children.size() != node.children.size()) return std::nullopt;
    if (!std::ranges::all_of(node.children, is_below)) return std::nullopt;
    twin[id] = parent;
  }
  if (twin[Taxonomy::kRoot] != Taxonomy::kRoot) return std::nullopt;
  return twin;
}

}  // namespace

std::optional<RenamedTaxonomy> FindRenamed(const Taxonomy& before, const Taxonomy& now) {
  const auto twin = FindTwins(before, now);
  if (!twin) return std::nullopt;
  std::vector<std::string> labels;
  for (const Taxonomy::Node& node : before.nodes()) labels.push_back(node.label);
  for (Taxonomy::NodeId id = 1; id < now.nodes().size(); ++id) labels[(*twin)[id]] = now.node(id).label;
  RenamedTaxonomy renamed{before.WithLabels(labels)};
  for (Taxonomy::NodeId id = 1; id < labels.size(); ++id) {
    if (labels[id] != before.node(id).label) renamed.labels.emplace_back(before.node(id).label, labels[id]);
  }
  return renamed;
}

bool HaveSameShape(const Taxonomy& one, const Taxonomy& other) {
  return std::ranges::equal(one.nodes(), other.nodes(), [](const Taxonomy::Node& a, const Taxonomy::Node& b) {
    return a.leaves == b.leaves && a.parent == b.parent && (!a.children.empty() || a.label == b.label);
  });
}

std::optional<std::string> FindMovedLabel(const Taxonomy& published, const Taxonomy& now) {
  for (Taxonomy::NodeId id = 1; id < published.nodes().size(); ++id) {
    const std::string& label = published.node(id).label;
    const auto found = now.FindNode(label);
    if (found && *found != id) return label;
  }
  return std::nullopt;
}

}  // namespace pentimento
