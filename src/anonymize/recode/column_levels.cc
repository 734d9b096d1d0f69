#include "anonymize/recode/column_levels.h"

#include <algorithm>
#include <numeric>

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
  for (const Taxonomy::Node& node : taxonomy.nodes()) {
    most_children_ = std::max(most_children_, node.children.size() + 1);
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
  const Taxonomy& taxonomy = domain_.taxonomy();
  const std::uint32_t depth = has_missing ? 0 : taxonomy.node(taxonomy.Cover(bounds)).depth;
  return Level(child_at_depth_[depth].data());
}

Level ColumnLevels::Below(Interval bounds, std::span<const std::uint32_t> rows_of_code) const {
  if (const std::optional<Level> fixed = FixedBelow(bounds)) return *fixed;
  const std::size_t rows = std::accumulate(rows_of_code.begin(), rows_of_code.end(), std::size_t{0});
  std::size_t below = 0;
  Code median = 0;
  while (below + rows_of_code[median] <= rows / 2) below += rows_of_code[median++];
  return Level(NearestBoundary(bounds.lo + median, below, rows - below - rows_of_code[median]));
}

template <typename Width>
Level ColumnLevels::Below(Interval bounds, std::span<const Width> codes, std::vector<std::uint32_t>& room) const {
  if (const std::optional<Level> fixed = FixedBelow(bounds)) return *fixed;
  room.assign(codes.begin(), codes.end());
  const auto middle = room.begin() + static_cast<std::ptrdiff_t>(room.size() / 2);
  std::nth_element(room.begin(), middle, room.end());
  const Code median = *middle;
  const auto below = static_cast<std::size_t>(std::ranges::count_if(codes, [&](Code code) { return code < median; }));
  const auto above = static_cast<std::size_t>(std::ranges::count_if(codes, [&](Code code) { return code > median; }));
  return Level(NearestBoundary(median, below, above));
}

template Level ColumnLevels::Below(Interval, std::span<const std::uint8_t>, std::vector<std::uint32_t>&) const;
template Level ColumnLevels::Below(Interval, std::span<const std::uint16_t>, std::vector<std::uint32_t>&) const;
template Level ColumnLevels::Below(Interval, std::span<const std::uint32_t>, std::vector<std::uint32_t>&) const;

}  // namespace pentimento::recode
