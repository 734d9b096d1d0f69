// Who is safe in a series as it grows: not only from all releases together but from every set of them. Two cases that
// all releases together cannot tell apart may differ in some of them, so the whole set does not speak for the others.
#pragma once

#include <cstdint>
#include <vector>

#include "audit/inference.h"
#include "base/ratio.h"
#include "release/incremental_history.h"

namespace pentimento {

class EverySet {
 public:
  // The next release, with everybody in it. Well-formed, as in inference.h.
  void Add(const IncrementalRelease& release);

  // Cases whose class has at least k in every set of releases that they are in, of all cases; 1 where there are none.
  Ratio SafeRatio(std::uint64_t k) const;
  std::uint64_t UnsafeCount(std::uint64_t k) const;
  // Cases that some set of releases shows by themselves, and no set contradicts.
  std::uint64_t AloneCount() const;

  // All sets are tried up to this many releases. Of longer series only each release, each two of them and all together,
  // so that cases may be less safe than it seems; unless every box lies in the one before it and nobody disappears:
  // then the inference of a set is its last release, and nothing is left to try.
  static constexpr std::size_t kMostReleases = 6;
  bool is_exact() const { return is_monotone_ || history_.size() <= kMostReleases; }

 private:
  void Note(const InferenceTable& table);
  void TrySetsFrom(std::size_t next, const InferenceTable& known);
  void TryPairs(const InferenceTable& last);

  IncrementalHistory history_;  // before the release that is being added
  InferenceTable together_;
  bool is_monotone_ = true;
  // By case: the smallest class that any set shows it in; 0 where one contradicts it, kAbsent where it is in none.
  std::vector<std::uint32_t> fewest_;
};

}  // namespace pentimento
