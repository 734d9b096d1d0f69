// k-anonymity of everything that can be inferred from a growing series: see incremental_k_anonymity.md for what is
// promised and why looking at the change is enough.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "release/incremental_change.h"

namespace pentimento {

// One release, as a change of a series that was k-anonymous before: the classes that its cases are published with from
// now on, and where they come from. In words, for people; names rows and classes by number, never a value.
std::optional<std::string> FindViolationOfChange(const Classes& classes, const IncrementalChange& change,
                                                 std::uint64_t k, bool hides_arrivals);

}  // namespace pentimento
