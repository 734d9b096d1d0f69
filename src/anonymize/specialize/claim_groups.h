// One claim while the new release is specialized: its records, collapsed to what the claim looks at, in groups of equal
// value on X; how each group stands; and how it would stand after the specialization of any of its values.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "anonymize/specialize/collapsed_records.h"
#include "anonymize/specialize/cut_column.h"
#include "anonymize/specialize/earlier_join.h"

namespace pentimento {

// Whether the claim holds, and how far it is from not holding: the smallest anonymity (fewer is worse) or the greatest
// linkability, turned around so that less is worse here as well.
struct Standing {
  bool holds = true;
  double measure = std::numeric_limits<double>::infinity();
  bool meets = false;  // some record matches something in the earlier releases

  void Take(const Standing& other) {
    holds = holds && other.holds;
    meets = meets || other.meets;
    measure = other.measure < measure ? other.measure : measure;
  }
};

class ClaimGroups {
 public:
  ClaimGroups(const XyReleases& releases, JoinClaim claim, const NewRelease& table, std::vector<CutColumn>& columns);
  ~ClaimGroups();
  ClaimGroups(ClaimGroups&&) noexcept;

  // The join of the earlier releases has more rows than can be looked at: nothing is known.
  bool IsTooLarge() const;
  // How the claim stands now.
  Standing Now() const;
  // How it would stand with this node of this column replaced by its children.
  Standing After(std::size_t column, CutColumn::NodeId node) const;
  // Whether it would hold then, for children that are only tried: found anew, and not remembered.
  bool HoldsAfterTried(std::size_t column, CutColumn::NodeId node) const;
  // Whether a specialization of this column changes how all groups stand, not only those that have its value.
  bool JoinsOutsideX(std::size_t column) const;
  // The sum of the squares of group sizes that the specialization saves.
  double SquaresSaved(std::size_t column, CutColumn::NodeId node) const;

  // Before CutColumn::Specialize: divides the groups; after it: finds how they stand.
  void Divide(std::size_t column, CutColumn::NodeId node);
  void Renew(std::size_t column);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pentimento
