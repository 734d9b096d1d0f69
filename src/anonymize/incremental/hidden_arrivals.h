// Cuts regions of a series whose arrivals are hidden: whoever knows that a person was in some earlier release, and
// looks among the people of that release alone, finds k of them in the part of this person.
//
// 1. A part is legal if it has k people, none of them gone, of the earliest arrival among all its members, those who
//    are gone included. So of the people of any release it has none or k: everybody of the earliest arrival is also in
//    all later releases.
// 2. Legal parts together are legal: the earliest arrival of the whole is that of one of them.
// 3. A region stays as it is only if no column has a legal cut that would change a published box.
#pragma once

#include <cstdint>
#include <span>

#include "anonymize/partition/code_lanes.h"
#include "anonymize/partition/grow_regions.h"
#include "base/category_form.h"
#include "taxonomy/domain.h"

namespace pentimento {

// When a member came, and whether it has left since.
struct MemberStanding {
  std::uint32_t arrival = 0;
  bool has_left = false;
};

// As GrowRegions, for all members, with the rule above instead of k rows. `standing`: by row.
// REQUIRES: every root is legal or cannot be cut. Slower than GrowRegions: every column is sorted in every node.
GrownRegions GrowHidingArrivals(const CodeLanes& rows, std::span<const MemberStanding> standing,
                                std::span<const Domain> domains, std::span<const RegionRoot> roots, std::uint64_t k,
                                CategoryForm form);

}  // namespace pentimento
