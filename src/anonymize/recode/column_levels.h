// What "one level down" means for a column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/interval.h"
#include "taxonomy/domain.h"

namespace pentimento::recode {

// The children that one level of a column has, by code. Of two codes the lower one never has the higher child.
class Level {
 public:
  Level() = default;
  explicit Level(const Code* child_of) : child_of_(child_of) {}
  explicit Level(Code boundary) : boundary_(boundary) {}

  Code ChildOf(Code code) const { return child_of_ == nullptr ? (code >= boundary_ ? 1 : 0) : child_of_[code]; }

 private:
  const Code* child_of_ = nullptr;  // nothing: two children, the upper one from the boundary
  Code boundary_ = 0;
};

class ColumnLevels {
 public:
  explicit ColumnLevels(const Domain& domain);

  // Children are numbered below this.
  std::size_t most_children() const { return most_children_; }

  // The share of the domain that members between these bounds are published with.
  double PublishedWidth(Interval bounds) const {
    return domain_.RelativeWidth(domain_.Cover(bounds, CategoryForm::kTaxonomy));
  }

  // The level below members whose codes reach from bounds.lo to bounds.hi, which are two.
  // A taxonomy: the children of the smallest node over the members. A number: the two sides of the boundary
  // nearest the members' median, the lower one of two. A missing value is a child of the root of its own; in a number
  // the other child of the root is everything else.
  // `rows_of_code[i]` is the number of members with the code bounds.lo + i.
  Level Below(Interval bounds, std::span<const std::uint32_t> rows_of_code) const;
  // The same from the members themselves, for few of them. `room` is for the search of the median.
  template <typename Width>
  Level Below(Interval bounds, std::span<const Width> codes, std::vector<std::uint32_t>& room) const;

 private:
  // Where it does not depend on how many members have which code.
  std::optional<Level> FixedBelow(Interval bounds) const;

  const Domain& domain_;
  std::size_t most_children_ = 2;
  // By depth of a node and by code: which of the node's children is above the code. The missing value comes after the
  // children of the root.
  std::vector<std::vector<Code>> child_at_depth_;
};

}  // namespace pentimento::recode
