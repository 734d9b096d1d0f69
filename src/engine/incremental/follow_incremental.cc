#include "engine/incremental/follow_incremental.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/published/datapackage.h"
#include "engine/published/manifest.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

void OrderAsBefore(const std::vector<std::string>& names, BoundPolicy& bound) {
  if (!std::ranges::is_permutation(names, bound.quasi_identifiers)) return;
  bound.quasi_identifiers = names;
  std::vector<ColumnPlan> plans;
  for (const std::string& name : names)
    plans.push_back(*std::ranges::find(bound.plan.columns, name, &ColumnPlan::name));
  auto next = plans.begin();
  for (ColumnPlan& column : bound.plan.columns) {
    if (column.role == Role::kQuasiIdentifier) column = std::move(*next++);
  }
}

// As one of the releases was published with it. What lies there counts only if its hash is that in the ledger.
std::optional<Taxonomy> PublishedTaxonomy(const IncrementalMemory& series, const ColumnPlan& column,
                                          const std::string& hash) {
  for (const std::filesystem::path& folder : series.folders()) {
    Result<Taxonomy> taxonomy = ReadPublishedTaxonomy(folder, TaxonomyFileName(column));
    if (taxonomy.ok() && HashOfTaxonomy(*taxonomy) == hash) return std::move(taxonomy).value();
  }
  return std::nullopt;
}

// What `now` has below its nodes and `before` has not, or elsewhere. A label names one node; roots are all published
// as "*".
struct TreeDifference {
  std::size_t new_leaves = 0;
  std::size_t lost_leaves = 0;
  bool is_same = true;
};

TreeDifference Compare(const Taxonomy& before, const Taxonomy& now) {
  TreeDifference difference;
  difference.is_same = before.nodes().size() == now.nodes().size();
  for (Taxonomy::NodeId id = 1; id < now.nodes().size(); ++id) {
    const Taxonomy::Node& node = now.node(id);
    const auto twin = before.FindNode(node.label);
    if (node.children.empty() && !before.FindLeaf(node.label)) ++difference.new_leaves;
    if (!twin || *twin == Taxonomy::kRoot || before.node(*twin).children.size() != node.children.size()) {
      difference.is_same = false;
      continue;
    }
    const Taxonomy::NodeId parent = before.node(*twin).parent;
    const bool is_below_root = node.parent == Taxonomy::kRoot;
    if (is_below_root != (parent == Taxonomy::kRoot) ||
        (!is_below_root && now.node(node.parent).label != before.node(parent).label))
      difference.is_same = false;
  }
  for (Code code = 0; code < before.leaf_count(); ++code)
    difference.lost_leaves += now.FindLeaf(before.leaf_label(code)) ? 0 : 1;
  return difference;
}

std::string Leaves(std::size_t count) { return fmt::format("{} {}", count, count == 1 ? "leaf" : "leaves"); }

IncrementalBreak OtherTree(const std::string& column, const TreeDifference& difference) {
  std::string what = "some labels stand below others than before";
  if (difference.new_leaves > 0)
    what = fmt::format("it has {} that the series did not begin with", Leaves(difference.new_leaves));
  if (difference.lost_leaves > 0) {
    what = fmt::format("{}{} of the series {} gone", difference.new_leaves > 0 ? what + ", and " : "",
                       Leaves(difference.lost_leaves), difference.lost_leaves == 1 ? "is" : "are");
  }
  return {.why = fmt::format("the taxonomy of column '{}' is not the one it began with: {}. Labels which are out would "
                             "change their meaning",
                             column, what),
          .what_to_do = "take the one it began with",
          .column = column};
}

}  // namespace

Status FollowIncremental(const IncrementalMemory& series, BoundPolicy& bound,
                         const IncrementalKAnonymityPolicy& guarantee) {
  if (series.is_new()) return {};
  const IncrementalAbout& first = series.abouts().front();
  OrderAsBefore(QuasiIdentifiersOf(first), bound);
  for (ColumnPlan& column : bound.plan.columns) {
    if (!column.taxonomy) continue;
    const std::optional<std::string> hash = TaxonomyHashOf(first, column.name);
    if (!hash || *hash == HashOfTaxonomy(*column.taxonomy)) continue;
    std::optional<Taxonomy> published = PublishedTaxonomy(series, column, *hash);
    if (!published) continue;
    const TreeDifference difference = Compare(*published, *column.taxonomy);
    if (!difference.is_same) return CannotContinue(bound.policy, guarantee, OtherTree(column.name, difference));
    column.taxonomy = std::make_shared<const Taxonomy>(*std::move(published));
  }
  return {};
}

Error CannotContinue(const Policy& policy, const IncrementalKAnonymityPolicy& guarantee,
                     const IncrementalBreak& found) {
  SourcePosition position = policy.release_position;
  for (const ColumnPolicy& column : policy.columns) {
    if (column.name == found.column) position = column.position;
  }
  return PolicyError(policy, position,
                     fmt::format("this release cannot continue the series '{}': {}; {}, or begin a series with another "
                                 "name",
                                 guarantee.series, found.why, found.what_to_do));
}

}  // namespace pentimento
