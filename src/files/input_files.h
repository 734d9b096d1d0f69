// Which files a name in a policy stands for: itself, a pattern like "q*.csv", a folder of Parquet files, or standard
// input.
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "files/table_file.h"
#include "policy/policy.h"

namespace pentimento {

// The files of all names, in order; those of a pattern or a folder in the order of their names' bytes. `folder` stands
// before the names, and nothing in it is a pattern. What comes in at standard input is kept in a nameless private file,
// because a table is looked at more than once; it goes when nobody holds the result any more. Errors are kBadInput.
Result<std::vector<TableFile>> FindInputFiles(const std::vector<std::filesystem::path>& names,
                                              const std::filesystem::path& folder, const TextSetting& setting);

}  // namespace pentimento
