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

// For every group the number of its class.
// 1. Two groups have one number if and only if their boxes are equal, all intervals of them: the hash only finds
//    candidates, and a poor one costs time, never the truth.
// 2. Classes are numbered from 0 in the order of their smallest group.
std::vector<ClassId> ClassOfGroup(const Classes& draft, BoxHash hash = HashBox);

}  // namespace pentimento
