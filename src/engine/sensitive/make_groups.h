// Which algorithm forms the groups of a release, by its policy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/hash.h"
#include "base/random.h"
#include "base/result.h"
#include "engine/bind.h"
#include "engine/sensitive/bind_limits.h"
#include "io/encode.h"
#include "release/draft.h"
#include "release/two_tables.h"

namespace pentimento {

// What the policy chose, or partition: of those that tell least it loses least, see docs/two-tables-numbers.md.
Method ChooseMethod(const Policy& policy);
// As a policy writes it.
const char* MethodName(Method method);

// The sensitive columns of each SS table.
std::vector<std::vector<std::uint32_t>> SensitiveTablesOf(const Policy& policy, std::size_t columns);

// A release in one table. `sensitive`: nothing where the policy limits no values. `keyed`: with the ledger's key; draws
// what recoding needs.
Result<Draft> MakeDraft(const BoundPolicy& bound, const EncodedInput& input, const BoundSensitive* sensitive,
                        const IdentityHasher& keyed);

// A release in two tables, with its classes numbered at random.
Result<TwoTables> MakeTwoTables(const BoundPolicy& bound, const EncodedInput& input, const BoundSensitive& sensitive,
                                const Seed& seed);

}  // namespace pentimento
