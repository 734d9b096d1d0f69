// Measuring a series from its published files, beside what releases that know nothing of each other would have given.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "engine/incremental/incremental_meter.h"

namespace pentimento {

struct MeasuredIncrementalRelease {
  std::string release;
  std::uint64_t k = 0;
  bool changes_only = false;
  IncrementalReading published;  // a release of changes is laid over the one before it
  IncrementalReading anew;       // everybody so far, grouped from scratch with the same k
};

struct MeasuredIncremental {
  std::string series;
  std::vector<std::string> quasi_identifiers;
  std::vector<MeasuredIncrementalRelease> releases;
};

// `originals` are the batches: each holds only the rows that came with it. `folders` are the releases. Both in the
// order of the series, from its first release on. A batch may be in several files, if their rows add up to the new
// cases of its release. kUsage where originals and releases cannot be paired; kBadInput where the folders are not the
// releases of one series in their order.
Result<MeasuredIncremental> MeasureIncremental(const std::vector<std::filesystem::path>& originals,
                                               const std::vector<std::filesystem::path>& folders,
                                               Progress* progress = nullptr);

}  // namespace pentimento
