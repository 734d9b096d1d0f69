// Which algorithm forms the classes of a release, by its policy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/hash.h"
#include "base/random.h"
#include "base/result.h"
#include "engine/alpha_k/bind_limits.h"
#include "engine/bind/bind.h"
#include "io/encode.h"
#include "release/classes.h"
#include "release/draft.h"

namespace pentimento {

// The sensitive columns of each SS table.
std::vector<std::vector<std::uint32_t>> SensitiveTablesOf(const Policy& policy, std::size_t columns);

// A release in one table. `sensitive`: nothing where the policy limits no values. `keyed`: with the ledger's key; draws
// what recoding needs.
Result<Classes> MakeDraft(const BoundPolicy& bound, const EncodedInput& input, const BoundAlphaK* sensitive,
                          const IdentityHasher& keyed);

// A release in two tables, with its classes numbered at random.
Result<Draft> MakeTwoTables(const BoundPolicy& bound, const EncodedInput& input, const BoundAlphaK& sensitive,
                            const Seed& seed);

}  // namespace pentimento
