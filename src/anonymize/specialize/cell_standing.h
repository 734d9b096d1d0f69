// How one value on X of the new release stands: from the records that have it, sorted by join value, and from what the
// earlier releases say to each of these. Records that match nothing are looked at by themselves, on what they are
// alone.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "anonymize/specialize/claim_groups.h"
#include "anonymize/specialize/collapsed_records.h"
#include "anonymize/specialize/earlier_join.h"

namespace pentimento {

// Records with one value on X and one join value.
struct JoinCell {
  std::uint32_t facts = 0;  // of the join value, from EarlierJoin::Intern
  std::uint64_t records = 0;
  std::uint64_t different_y = 0;  // where every value on Y occurs in one cell only: how many occur here
  // By target, then by its values: how many records have each. Empty for targets in earlier releases.
  std::span<const std::uint64_t> target_counts;
};

class CellStanding {
 public:
  CellStanding(const JoinClaim& claim, const EarlierJoin& earlier, std::span<const OwnTarget> own_targets)
      : claim_(claim), earlier_(earlier), own_targets_(own_targets.begin(), own_targets.end()) {}

  Standing Of(std::span<const JoinCell> cells);
  // Anonymity where a value on Y occurs in several cells: for each set of cells, how many values occur in just these.
  Standing OfShared(const std::map<std::vector<std::uint32_t>, std::uint64_t>& values_by_facts) const;

 private:
  Standing OfAnonymity(JoinCount least) const;
  // Of values on Y, by value on X of the earlier releases, and of those that records outside the join have.
  Standing OfCounts(const std::map<std::uint32_t, JoinCount>& met, JoinCount outside) const;
  bool Dangles(std::uint32_t facts) const { return earlier_.facts(facts).meetings.empty(); }
  Standing AnonymityOf(std::span<const JoinCell> cells);
  Standing LinkabilityOf(std::span<const JoinCell> cells);
  void Limit(JoinCount part, JoinCount whole, Ratio at_most, Standing& standing) const;
  void AddUp(std::span<const JoinCell> cells);
  void LimitOwn(std::span<const JoinCell> cells, const OwnTarget& own, Standing& standing);
  void LimitMixed(std::span<const JoinCell> cells, const OwnTarget& own, Standing& standing);
  void LimitEarlier(std::span<const JoinCell> cells, std::size_t target, Standing& standing);
  void LimitOutside(std::span<const JoinCell> cells, Standing& standing) const;

  const JoinClaim& claim_;
  const EarlierJoin& earlier_;
  std::vector<OwnTarget> own_targets_;
  std::map<std::uint32_t, JoinCount> total_;  // by x of the earlier releases
};

}  // namespace pentimento
