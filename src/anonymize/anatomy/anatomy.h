// Anatomy: groups of rows with different sensitive values, whatever their quasi-identifiers. For two tables only. See
// algorithm.md for the paper, what we do otherwise and why, and the cost.
#pragma once

#include <cstdint>

#include "anonymize/limits/signatures.h"
#include "base/random.h"
#include "base/result.h"
#include "release/classes.h"
#include "table/encoded_table.h"

namespace pentimento {

struct AnatomyOptions {
  std::uint64_t k = 2;
  const Signatures* signatures = nullptr;  // always given
  Seed seed{};
};

// Every class keeps the rule of its options. kRefused where the whole table does not, kBadPolicy where somebody has
// several rows.
Result<Classes> GroupByAnatomy(const EncodedTable& table, const AnatomyOptions& options);

}  // namespace pentimento
