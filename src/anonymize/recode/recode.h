// Top-down local recoding: every node of the tree gives its rows to the children of one quasi-identifier, takes back
// those that cannot stand by themselves, and what it takes back is a group of its own. See algorithm.md for the paper,
// what we do otherwise and why, and the cost.
#pragma once

#include <cstdint>
#include <span>

#include "anonymize/limits/signatures.h"
#include "base/result.h"
#include "release/classes.h"
#include "table/encoded_table.h"
#include "taxonomy/domain.h"

namespace pentimento {

struct RecodeOptions {
  std::uint64_t k = 2;
  const Signatures* signatures = nullptr;  // nothing: k alone
  // All rows in the order in which they are pulled back where some have to be; empty: as they are in the table. The
  // caller draws it, and nothing else is drawn.
  std::span<const std::uint32_t> order = {};
};

// Every group keeps the rule of its options. The same result for any number of threads. kRefused where the whole table
// does not keep the rule, kBadPolicy where somebody has several rows: the pushing back and forth of single rows cannot
// keep a person together.
Result<Classes> AnonymizeByRecoding(const EncodedTable& table, std::span<const Domain> domains,
                                    const RecodeOptions& options);

}  // namespace pentimento
