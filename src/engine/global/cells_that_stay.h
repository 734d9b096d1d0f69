// What the global guarantee assumes of columns that are published as they came, and nobody can check.
#pragma once

#include <optional>
#include <string>

#include "policy/policy.h"

namespace pentimento {

// For the steward of a series with more than one release; nothing where no column has the role keep or class.
std::optional<std::string> NoteOnCellsThatStay(const Policy& policy, const GlobalGuaranteePolicy& guarantee);

}  // namespace pentimento
