// Groups that do not depend on who holds what: a tree that is cut without a look at the values, down to one size of
// groups for the whole release.
#pragma once

#include <span>

#include "anonymize/global/grow_groups.h"
#include "base/random.h"
#include "base/result.h"

namespace pentimento::global {

struct BlindGroups {
  Classes draft;
  std::uint64_t fewest_rows = 0;  // cuts were made as long as both sides had this many
};

// The size is the smallest of k, 2k, 4k, ... with which groups keep their caps for values given to people at random
// again and again, those of each published table by themselves (table_of_item as in GlobalPeople). So it follows from
// the quasi-identifiers, the levels and what each table shows in total. kRefused where groups of that size do not keep
// their caps for the values as they are: larger ones would tell that.
Result<BlindGroups> GrowBlindGroups(const EncodedTable& table, std::span<const Domain> domains, const CodeColumn& keys,
                                    const CappedItems& items, std::span<const std::uint32_t> table_of_item,
                                    const PartitionOptions& options, const Seed& seed);

}  // namespace pentimento::global
