#include "anonymize/global/taxonomy_paths.h"

#include <algorithm>

namespace pentimento::global {
namespace {

constexpr std::size_t kMostEntries = std::size_t{1} << 20;

}  // namespace

TaxonomyPaths::TaxonomyPaths(const partition::ColumnShape& shape) : codes_(shape.domain().size()) {
  if (!shape.follows_taxonomy() || codes_ < 2) return;
  const Domain& domain = shape.domain();
  const Taxonomy& taxonomy = domain.taxonomy();
  // A lone leaf beside the missing value is below the root nevertheless.
  height_ = std::max<std::size_t>(taxonomy.height(), 1);
  if ((height_ + 1) * codes_ > kMostEntries) return;
  rows_.resize((height_ + 1) * codes_);
  for (Code code = 0; code < codes_; ++code) {
    rows_[code] = domain.root();
    for (std::size_t depth = 1; depth <= height_; ++depth) rows_[depth * codes_ + code] = {code, code};
    if (domain.IsMissing(code)) continue;
    for (Taxonomy::NodeId id = taxonomy.leaf_node(code); id != Taxonomy::kRoot; id = taxonomy.node(id).parent)
      rows_[taxonomy.node(id).depth * codes_ + code] = taxonomy.node(id).leaves;
  }
}

}  // namespace pentimento::global
