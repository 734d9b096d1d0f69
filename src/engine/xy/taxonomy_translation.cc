#include "engine/xy/taxonomy_translation.h"

#include <algorithm>

#include "fmt/core.h"

namespace pentimento {

TaxonomyTranslation::TaxonomyTranslation(const Taxonomy& from, const Taxonomy& to) : from_(from), to_(to) {
  for (Code leaf = 0; leaf < from.leaf_count(); ++leaf) of_leaf_.push_back(TranslateLeaf(leaf));
}

std::optional<Interval> TaxonomyTranslation::TranslateLeaf(Code leaf) const {
  Taxonomy::NodeId node = from_.leaf_node(leaf);
  if (const auto same = to_.FindNode(from_.node(node).label); same && *same != Taxonomy::kRoot)
    return to_.node(*same).leaves;
  while (node != Taxonomy::kRoot) {
    node = from_.node(node).parent;
    if (const auto coarser = to_.FindLeaf(from_.node(node).label)) return Interval{*coarser, *coarser};
  }
  return std::nullopt;
}

Result<Interval> TaxonomyTranslation::Translate(Interval leaves, const std::string& label) const {
  std::vector<Interval> parts;
  for (Code leaf = leaves.lo; leaf <= leaves.hi; ++leaf) {
    if (!of_leaf_[leaf]) {
      return Error{ErrorCode::kBadInput,
                   fmt::format("its taxonomy has the label '{}', which the other one lacks", from_.leaf_label(leaf))};
    }
    parts.push_back(*of_leaf_[leaf]);
  }
  std::ranges::sort(parts);
  Interval all = parts.front();
  for (const Interval part : parts) {
    if (part.lo > all.hi + 1) {
      return Error{
          ErrorCode::kBadInput,
          fmt::format("its taxonomy puts leaves together, in {}, that do not lie side by side in the other one: "
                      "'{}' comes between them there",
                      label.starts_with('{') ? "a set" : "'" + label + "'", to_.leaf_label(all.hi + 1))};
    }
    all.hi = std::max(all.hi, part.hi);
  }
  const auto same = to_.FindNode(label);
  if (same && to_.node(*same).leaves != all) {
    return Error{ErrorCode::kBadInput,
                 fmt::format("the label '{}' of its taxonomy covers other leaves than in the other one", label)};
  }
  return all;
}

}  // namespace pentimento
