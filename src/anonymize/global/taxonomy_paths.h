// The nodes over every leaf of a taxonomy, level by level: what partition::NodeToCut and Domain::Cover find by climbing
// from node to node, looked up in a few small rows. A search for cuts asks for it in every node of the tree.
#pragma once

#include <cstddef>
#include <vector>

#include "anonymize/partition/column_cuts.h"
#include "base/interval.h"

namespace pentimento::global {

class TaxonomyPaths {
 public:
  explicit TaxonomyPaths(const partition::ColumnShape& shape);

  // Only for columns that follow a taxonomy, and not where they would be too large. Without rows nothing is asked.
  bool has_rows() const { return !rows_.empty(); }

  // By code, for codes in `members`, which are at least two: the child of the smallest node over them that holds it.
  const Interval* ChildrenOver(Interval members) const { return &rows_[(DepthOver(members) + 1) * codes_]; }

  // As these codes would be published.
  Interval Cover(Interval codes) const {
    return codes.lo == codes.hi ? codes : rows_[DepthOver(codes) * codes_ + codes.lo];
  }

 private:
  std::size_t DepthOver(Interval members) const {
    std::size_t depth = height_ - 1;
    while (rows_[depth * codes_ + members.lo].hi < members.hi) --depth;
    return depth;
  }

  std::size_t codes_;  // with the missing one
  std::size_t height_ = 0;
  // By depth from the root on and by code: the leaves of the node on the way to this code; where the way has ended, the
  // code alone. A missing value is a child of the root.
  std::vector<Interval> rows_;
};

}  // namespace pentimento::global
