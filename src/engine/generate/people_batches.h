// A made-up register that grows: the same people as in people_project.h, who come in batches.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "base/result.h"

namespace pentimento {

struct PeopleBatch {
  std::string name;
  std::uint64_t rows = 0;
};

// Writes a people project with everybody into `folder`, and for each batch NAME.csv with its rows and two policies:
// NAME-alone.toml releases everybody so far under k-anonymity, NAME.toml the batch as the next release of `series`.
Result<void> WritePeopleBatches(const std::filesystem::path& folder, std::span<const PeopleBatch> batches,
                                const std::string& series, std::uint64_t seed);

}  // namespace pentimento
