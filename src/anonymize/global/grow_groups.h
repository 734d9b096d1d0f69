// The door to the tree: from rows with keys to groups.
#pragma once

#include <span>

#include "anonymize/global/capped_items.h"
#include "anonymize/partition/partition.h"
#include "release/classes.h"
#include "table/encoded_table.h"

namespace pentimento::global {

// Groups in the order of the cuts. `keys`: CappedItems::KeyOf of every row; a tree that must not look at values gets
// keys without signatures. All rows together keep the caps and are at least k, or nothing is promised.
Classes GrowGroups(const EncodedTable& table, std::span<const Domain> domains, const CodeColumn& keys,
                   const CappedItems& items, const PartitionOptions& options);

}  // namespace pentimento::global
