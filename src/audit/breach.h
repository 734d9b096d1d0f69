// Why two releases together tell more than each of them: the three ways of the paper on incremental updates (Pei et
// al., section 4.1), for a table that only grows. Whether a case is unsafe is counted, never concluded from a lemma:
// the paper's lemmas are sufficient where the boxes of each release are disjoint, and not even that where boxes
// overlap, as in the paper's own Table 2. They only name the cause.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "release/incremental_history.h"

namespace pentimento {

// A group is all cases published with one box in one release. "Old" cases are in the earlier release, "new" ones are
// not.
enum class BreachKind {
  // An old case whose later group is without somebody of its earlier group, and without new cases.
  // Lemma 1 adds: the earlier group had exactly k cases.
  kGroupChange,
  // An old case whose later group is some of its earlier group and new cases, with a box that reaches beyond the
  // earlier
  // one. Lemma 2 adds: fewer than k of the later group are in the earlier box. Who of the new ones is inside is not
  // public; those known to be inside are the old ones.
  kSubgroupExpanding,
  // A new case that shares its group with an unsafe old case.
  // Lemma 3 adds: without the unsafe old cases, fewer than k are left of the group.
  kWidow,
  // None of these. A new case may be alone although the old ones of its group are safe together; an old case may have
  // been put with new cases and with strangers; it may have been withdrawn; a release may not be k-anonymous by itself.
  kOther,
};

std::string_view ToString(BreachKind kind);

struct Breach {
  CaseNumber case_number = 0;
  std::uint64_t class_size = 0;  // how many cases have this inferred box, this one included: below k
  BreachKind kind = BreachKind::kOther;
  bool lemma_applies = false;  // what the lemma of this kind adds holds as well; always false for kOther

  friend bool operator==(const Breach&, const Breach&) = default;
};

// Every case that is in a class of fewer than k in the inference table of the two releases, ascending; contradictory
// cases are left to Refine. For longer series `earlier` may be what was inferred so far (InferenceTable::inferred), as
// long as nothing in it was contradictory.
std::vector<Breach> FindBreaches(const IncrementalRelease& earlier, const IncrementalRelease& later, std::uint64_t k);

}  // namespace pentimento
