// The domains of a series are those it began with: codes must mean the same in every release.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/incremental/incremental_about.h"
#include "io/encode.h"
#include "taxonomy/domain.h"

namespace pentimento {

// The domains of a batch as the series has them. Numbers need a grid: the codes of a wide column, which the reader has
// numbered by rank, become places on it. A column without missing values in the first release has no place for them
// later. `earlier`: the releases before, empty for the first.
Result<std::vector<Domain>> FixDomains(EncodedInput& input, const BoundPolicy& bound,
                                       std::span<const IncrementalAbout> earlier);

}  // namespace pentimento
