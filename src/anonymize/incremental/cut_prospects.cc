#include "anonymize/incremental/cut_prospects.h"

#include <algorithm>
#include <array>

namespace pentimento {

CutProspects::CutProspects(std::span<const Domain> domains, CategoryForm form, std::uint64_t k)
    : k_(std::max<std::uint64_t>(k, 1)) {
  for (const Domain& domain : domains) shapes_.emplace_back(domain, form);
  for (std::size_t c = 0; c < std::min(shapes_.size(), kBoundaryLanes); ++c) {
    if (!shapes_[c].follows_taxonomy()) free_columns_ |= ColumnSet{1} << c;
  }
}

// Where members lie in several children of the node that the region is published as, a cut has parts of whole children.
// Those that hold several are published like the region, and a cut into nothing else is not made (CutRegionIntoRuns).
// So there is a child that is a part by itself: it has k members, and before it and after it are none or k.
bool CutProspects::MayBeCutAlongTaxonomy(std::size_t column, Interval region, std::span<const Code> codes) const {
  const partition::NodeToCut node(shapes_[column], region);
  std::array<Code, kMostRows> rest;  // members of children that were not looked at yet
  std::ranges::copy(codes, rest.begin());
  std::size_t left = codes.size();
  while (left >= k_) {
    const Interval child = node.ChildOf(rest.front());
    std::size_t outside = 0;
    for (std::size_t i = 0; i < left; ++i) {
      const Code code = rest[i];
      rest[outside] = code;
      // One comparison, without a branch: what is below wraps around.
      outside += code - child.lo > child.hi - child.lo ? 1 : 0;
    }
    const std::size_t members = left - outside;
    left = outside;
    // All in one child: the node that is cut lies further down.
    if (members == codes.size()) return true;
    if (members < k_) continue;
    const auto before =
        static_cast<std::uint64_t>(std::ranges::count_if(codes, [&](Code code) { return code < child.lo; }));
    const std::uint64_t after = codes.size() - members - before;
    if ((before == 0 || before >= k_) && (after == 0 || after >= k_)) return true;
  }
  return false;
}

}  // namespace pentimento
