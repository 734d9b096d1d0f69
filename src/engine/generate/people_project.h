// A folder with everything `pentimento release` needs: made-up people, their taxonomies, and a policy.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "engine/generate/people.h"
#include "policy/policy.h"

namespace pentimento {

// Writes people.csv or people.parquet, policy.toml, job.csv, zip.csv, education.csv and origin.csv into `folder`, which
// is made where it is missing. Nothing is overwritten: a file of one of these names is a kUsage error. kStorage on disk
// trouble.
Result<void> WritePeopleProject(const std::filesystem::path& folder, const PeopleOptions& options, FileFormat format);

}  // namespace pentimento
