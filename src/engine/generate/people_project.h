// A folder with everything `pentimento release` needs: made-up people, their taxonomies, and a policy.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "base/result.h"
#include "engine/generate/people.h"
#include "policy/policy.h"

namespace pentimento {

// A made-up register that grows: the same people as in people_project.h, who come in batches.
struct PeopleBatch {
  std::string name;
  std::uint64_t rows = 0;
};

// Writes a people project with everybody into `folder`, and for each batch NAME.csv with its rows and two policies:
// NAME-alone.toml releases everybody so far under k-anonymity, NAME.toml the batch as the next release of `series`.
Result<void> WritePeopleBatches(const std::filesystem::path& folder, std::span<const PeopleBatch> batches,
                                const std::string& series, std::uint64_t seed);

// Writes people.csv or people.parquet, policy.toml, job.csv, zip.csv, education.csv and origin.csv into `folder`, which
// is made where it is missing. Nothing is overwritten: a file of one of these names is a kUsage error. kStorage on disk
// trouble.
Result<void> WritePeopleProject(const std::filesystem::path& folder, const PeopleOptions& options, FileFormat format);

}  // namespace pentimento
