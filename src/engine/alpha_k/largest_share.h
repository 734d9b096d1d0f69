// How close a release comes to its limits, for people. The result is Verify's.
#pragma once

#include <cstdint>
#include <span>

#include "anonymize/limits/signatures.h"
#include "base/ratio.h"
#include "release/classes.h"

namespace pentimento {

// The largest part of the rows of a class that have one limited value, or one of a set that is limited together. 0
// where nothing is limited.
Ratio LargestShare(std::span<const ClassNumber> class_of_row, std::uint32_t classes, const Signatures& signatures);

}  // namespace pentimento
