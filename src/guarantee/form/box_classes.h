// Which groups of a draft are one class: those published with equal boxes. Who reads the table cannot tell
// them apart, whatever the maker called them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/interval.h"
#include "release/classes.h"

namespace pentimento {

using ClassId = std::uint32_t;

using BoxHash = std::uint64_t (*)(std::span<const Interval> box);
std::uint64_t HashBox(std::span<const Interval> box);

// For every group the number of its class. Classes are numbered from 0 in the order of their smallest group,
// so the numbering does not depend on the hash or on the number of threads. The hash only finds candidates:
// boxes are compared in full, and a poor hash costs time, never the truth.
std::vector<ClassId> ClassOfGroup(const Classes& draft, BoxHash hash = HashBox);

}  // namespace pentimento
