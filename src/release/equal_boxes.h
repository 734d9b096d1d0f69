// Groups whose boxes are published alike are one class to every reader, so they become one group.
#pragma once

#include <cstddef>
#include <vector>

#include "base/interval.h"
#include "release/classes.h"

namespace pentimento {

// Keeps the first of equal boxes, in their order, and returns for each old box the number of the one that is kept.
std::vector<ClassNumber> MergeEqualBoxes(std::size_t columns, std::vector<Interval>& boxes);

}  // namespace pentimento
