// What everybody can infer from several releases of a series: for each case the intersection, column by column, of the
// boxes that it was published with. Cases with equal inferred boxes are one class, which nobody can split any further.
//
// Releases are well-formed: cases ascend strictly, every case has a box, all releases have the same columns and codes.
// A set of releases speaks for itself alone. Two cases that all releases together cannot tell apart may differ in one
// of them, so a series is safe only if every set of its releases is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ratio.h"
#include "release/incremental_history.h"

namespace pentimento {

// It has the form of a release because it is one: what the releases together say as if it had been published at once.
struct InferenceTable {
  IncrementalRelease inferred;             // one box per class, in the order of each class's first case
  std::vector<std::uint64_t> class_sizes;  // parallel to the boxes; never 0
  // Cases whose boxes have no value in common, ascending. A person's value changed, or a release is not true; either
  // way no box can be inferred, and such a case is in no class.
  std::vector<CaseNumber> contradictory;

  std::size_t case_count() const { return inferred.cases.size() + contradictory.size(); }
};

// What is known once one more release is out. Refine({}, release) is the release itself, with its boxes as classes.
InferenceTable Refine(const InferenceTable& known, const IncrementalRelease& release);

// From the releases of the history with these numbers; their order makes no difference to anything inferred.
InferenceTable Infer(const IncrementalHistory& history, std::span<const std::size_t> releases);
// From all of them.
InferenceTable Infer(const IncrementalHistory& history);

// Cases in classes of at least k, of all cases; 1 where there are none. A contradictory case is never safe.
Ratio SafeRatio(const InferenceTable& table, std::uint64_t k);

}  // namespace pentimento
