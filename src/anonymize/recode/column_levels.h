// What "one level down" means for a column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/interval.h"
#include "taxonomy/domain.h"

namespace pentimento::recode {

class ColumnLevels {
 public:
  explicit ColumnLevels(const Domain& domain);

  // Children are numbered below this.
  std::size_t most_children() const { return most_children_; }

  // The share of the domain that members between these bounds are published with.
  double PublishedWidth(Interval bounds) const {
    return domain_.RelativeWidth(domain_.Cover(bounds, CategoryForm::kTaxonomy));
  }

  // For members whose codes reach from bounds.lo to bounds.hi, which are two: the child of each, into `children`.
  // A taxonomy: the children of the smallest node over the members. A number: the two sides of the boundary
  // nearest the members' median, the lower one of two. A missing value is a child of the root of its own; in a number
  // the other child of the root is everything else.
  // `room` is for the search of the median, and only its capacity outlives a call.
  template <typename Width>
  void FindChildren(std::span<const Width> codes, Interval bounds, std::span<Code> children,
                    std::vector<std::uint32_t>& room) const;

 private:
  const Domain& domain_;
  std::size_t most_children_ = 2;
  // By depth of a node and by code: which of the node's children is above the code. The missing value comes after the
  // children of the root.
  std::vector<std::vector<Code>> child_at_depth_;
};

}  // namespace pentimento::recode
