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

  // Calls body(child_of), where child_of(code) is the child: for loops over rows, which kind of level it is being asked
  // once.
  template <typename Body>
  decltype(auto) Visit(Body&& body) const {
    if (child_of_ != nullptr) return body([child_of = child_of_](Code code) { return child_of[code]; });
    return body([boundary = boundary_](Code code) -> Code { return code >= boundary ? 1 : 0; });
  }
  Code ChildOf(Code code) const {
    return Visit([code](const auto child_of) { return child_of(code); });
  }

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
    if (domain_.is_numeric() || domain_.is_calendar() || bounds.lo == bounds.hi)
      return domain_.RelativeWidth(domain_.Cover(bounds, CategoryForm::kTaxonomy));
    return width_at_depth_[DepthOver(bounds)][bounds.lo];
  }

  // Whether members between these bounds, which are two, have exactly two children one level down, whoever they are.
  bool HasTwoChildrenBelow(Interval bounds) const {
    if (domain_.is_numeric()) return true;
    const std::vector<Code>& child_of = child_at_depth_[DepthOver(bounds)];
    return child_of[bounds.hi] - child_of[bounds.lo] == 1;
  }

  // The level below members whose codes reach from bounds.lo to bounds.hi, which are two, where it does not depend on
  // how many members have which code; nothing in a number.
  // A taxonomy: the children of the smallest node over the members. A missing value is a child of the root of its own;
  // in a number the other child of the root is everything else.
  std::optional<Level> FixedBelow(Interval bounds) const;
  // A number: the two sides of the boundary nearest the members' median, the lower one of two.
  // `rows_of_code[i]` is the number of members with the code bounds.lo + i, of all `rows`.
  static Level AtMedian(Interval bounds, std::span<const std::uint32_t> rows_of_code, std::size_t rows);
  // The same from the members' codes themselves, which are brought into another order: for few members far apart.
  static Level AtMedian(std::span<Code> codes);

 private:
  // A taxonomy: how deep the smallest node over the bounds lies, which are two. Below the root by one for each level at
  // which both are above the same child.
  std::uint32_t DepthOver(Interval bounds) const {
    std::uint32_t depth = 0;
    while (child_at_depth_[depth][bounds.lo] == child_at_depth_[depth][bounds.hi]) ++depth;
    return depth;
  }

  const Domain& domain_;
  std::size_t most_children_ = 2;
  // By depth of a node and by code: which of the node's children is above the code. The missing value comes after the
  // children of the root.
  std::vector<std::vector<Code>> child_at_depth_;
  std::vector<std::vector<double>>
      width_at_depth_;  // likewise: the share of the domain that the node is published with
};

}  // namespace pentimento::recode
