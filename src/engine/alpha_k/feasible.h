// Whether limits on sensitive values can be kept at all, asked before anything is made, and how close a release comes
// to them.
#pragma once

#include <cstdint>
#include <span>

#include "anonymize/limits/signatures.h"
#include "base/ratio.h"
#include "base/result.h"
#include "engine/alpha_k/bind_limits.h"
#include "engine/bind/bind.h"
#include "release/classes.h"
#include "table/code_column.h"
#include "table/encoded_table.h"

namespace pentimento {

// kRefused where no release of this table can keep them: some value is too frequent in the whole table, so it is in
// some class, however classes are formed. Says which column and by how much; a value is named only where the policy
// names it. `codes`: the sensitive columns of the table, which holds the rows that take part.
Status RequireFeasible(const BoundPolicy& bound, const EncodedTable& table, std::span<const CodeColumn* const> codes,
                       const BoundAlphaK& sensitive);

// Partition is more cautious than the promise where somebody has several rows, and may refuse a table that keeps it as
// one class. Nothing where it does, by the exact verifier; else kRefused, in the words of RequireFeasible.
Status RequireLegalAsOneClass(const BoundPolicy& bound, const EncodedTable& table, const BoundAlphaK& sensitive);

// For people; the verifier counts by itself. The largest part of the rows of a class that have one limited value, or
// one of a set that is limited together. 0 where nothing is limited.
Ratio LargestShare(std::span<const ClassNumber> class_of_row, std::uint32_t classes, const Signatures& signatures);

}  // namespace pentimento
