#include "anonymize/recode/column_levels.h"

#include <algorithm>

#include "base/check.h"

namespace pentimento::recode {
namespace {

template <typename Width>
Code Median(std::span<const Width> codes, Interval bounds, std::vector<std::uint32_t>& room) {
  const std::size_t middle = codes.size() / 2;
  if (bounds.size() <= 2 * codes.size()) {
    room.assign(bounds.size(), 0);
    for (const Width code : codes) ++room[code - bounds.lo];
    std::size_t passed = 0;
    Code median = bounds.lo;
    while ((passed += room[median - bounds.lo]) <= middle) ++median;
    return median;
  }
  room.assign(codes.begin(), codes.end());
  std::nth_element(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(middle), room.end());
  return room[middle];
}

// The lowest code of the upper side.
template <typename Width>
Code BoundaryNearestMedian(std::span<const Width> codes, Interval bounds, std::vector<std::uint32_t>& room) {
  const Code median = Median(codes, bounds, room);
  std::size_t below = 0;
  std::size_t above = 0;
  for (const Width code : codes) {
    below += code < median ? 1 : 0;
    above += code > median ? 1 : 0;
  }
  // The smaller the lesser side, the farther the boundary from the middle.
  return below >= above ? median : median + 1;
}

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

template <typename Width>
void ColumnLevels::FindChildren(std::span<const Width> codes, Interval bounds, std::span<Code> children,
                                std::vector<std::uint32_t>& room) const {
  Check(bounds.lo < bounds.hi, "a single value has no level below");
  const bool has_missing = domain_.IsMissing(bounds.hi);
  if (domain_.is_numeric()) {
    const Code boundary = has_missing ? bounds.hi : BoundaryNearestMedian(codes, bounds, room);
    for (std::size_t i = 0; i < codes.size(); ++i) children[i] = codes[i] >= boundary ? 1 : 0;
    return;
  }
  const Taxonomy& taxonomy = domain_.taxonomy();
  const std::uint32_t depth = has_missing ? 0 : taxonomy.node(taxonomy.Cover(bounds)).depth;
  const Code* const child_of = child_at_depth_[depth].data();
  for (std::size_t i = 0; i < codes.size(); ++i) children[i] = child_of[codes[i]];
}

template void ColumnLevels::FindChildren(std::span<const std::uint8_t>, Interval, std::span<Code>,
                                         std::vector<std::uint32_t>&) const;
template void ColumnLevels::FindChildren(std::span<const std::uint16_t>, Interval, std::span<Code>,
                                         std::vector<std::uint32_t>&) const;
template void ColumnLevels::FindChildren(std::span<const std::uint32_t>, Interval, std::span<Code>,
                                         std::vector<std::uint32_t>&) const;

}  // namespace pentimento::recode
