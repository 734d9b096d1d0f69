#include "anonymize/recode/column_levels.h"

#include <algorithm>

#include "base/check.h"

namespace pentimento::recode {
namespace {

// The lowest code of the upper side: the smaller the lesser side, the farther the boundary from the middle.
Code NearestBoundary(Code median, std::size_t below, std::size_t above) { return below >= above ? median : median + 1; }

}  // namespace

ColumnLevels::ColumnLevels(const Domain& domain) : domain_(domain) {
  if (domain.is_numeric()) return;
  const Taxonomy& taxonomy = domain.taxonomy();
  child_at_depth_.resize(std::max<std::uint32_t>(taxonomy.height(), 1));
  for (std::vector<Code>& child_of : child_at_depth_) child_of.resize(domain.size());
  width_at_depth_.assign(child_at_depth_.size(), std::vector<double>(domain.size(), 1.0));
  for (const Taxonomy::Node& node : taxonomy.nodes()) {
    most_children_ = std::max(most_children_, node.children.size() + 1);
    if (node.children.empty()) continue;
    const double width = domain.RelativeWidth(node.depth == 0 ? domain.root() : node.leaves);
    for (Code code = node.leaves.lo; code <= node.leaves.hi; ++code) width_at_depth_[node.depth][code] = width;
    for (Code child = 0; child < node.children.size(); ++child) {
      const Interval leaves = taxonomy.node(node.children[child]).leaves;
      for (Code code = leaves.lo; code <= leaves.hi; ++code) child_at_depth_[node.depth][code] = child;
    }
  }
  if (const auto missing = domain.missing_code())
    child_at_depth_[0][*missing] = static_cast<Code>(std::max<std::size_t>(taxonomy.root().children.size(), 1));
}

std::optional<Level> ColumnLevels::FixedBelow(Interval bounds) const {
  Check(bounds.lo < bounds.hi, "a single value has no level below");
  const bool has_missing = domain_.IsMissing(bounds.hi);
  if (domain_.is_numeric()) return has_missing ? std::optional<Level>(bounds.hi) : std::nullopt;
  return Level(child_at_depth_[DepthOver(bounds)].data());
}

Level ColumnLevels::AtMedian(Interval bounds, std::span<const std::uint32_t> rows_of_code, std::size_t rows) {
  std::size_t below = 0;
  Code median = 0;
  while (below + rows_of_code[median] <= rows / 2) below += rows_of_code[median++];
  return Level(NearestBoundary(bounds.lo + median, below, rows - below - rows_of_code[median]));
}

Level ColumnLevels::AtMedian(std::span<Code> codes) {
  const auto middle = codes.begin() + static_cast<std::ptrdiff_t>(codes.size() / 2);
  std::nth_element(codes.begin(), middle, codes.end());
  const Code median = *middle;
  const auto below = static_cast<std::size_t>(std::ranges::count_if(codes, [&](Code code) { return code < median; }));
  const auto above = static_cast<std::size_t>(std::ranges::count_if(codes, [&](Code code) { return code > median; }));
  return Level(NearestBoundary(median, below, above));
}

}  // namespace pentimento::recode
