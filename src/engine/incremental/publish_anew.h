// The yardstick for a series: what goes out when a growing table is anonymized from scratch each time, by a tool that
// forgets what it published before. Nothing of it is ever published by Pentimento.
#pragma once

#include <cstddef>

#include "anonymize/partition/partition.h"
#include "base/result.h"
#include "io/encode.h"
#include "release/incremental_history.h"

namespace pentimento {

// Everybody in the first `rows` rows, grouped anew; each row is a case, numbered by its place. kRefused where there are
// fewer than k.
Result<IncrementalRelease> PublishAnew(const EncodedInput& input, std::size_t rows, const PartitionOptions& options);

}  // namespace pentimento
