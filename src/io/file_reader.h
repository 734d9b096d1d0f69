// Table files as streams of record batches: CSV and Parquet through Arrow C++.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/encode.h"
#include "policy/policy.h"

namespace pentimento {

// By the file's first bytes, not by its name. Errors: no such file, a folder, not readable, empty.
Result<FileFormat> DetectFormat(const std::filesystem::path& file);

// The header, in order, duplicates included.
Result<std::vector<std::string>> ReadColumnNames(const std::filesystem::path& file);

// Threads of Arrow's own pools, for all readers and writers of the process; 0 means as many as the machine has. For
// programs that own their process. Elsewhere Arrow has the threads that others gave it, and a run with one thread
// (run.h) uses none of them.
void SetArrowThreads(std::size_t threads);

// A stream of the named columns; cells of a CSV are text, unchanged; an empty cell without quotes is a null. Columns
// that the file lacks are left out: EncodeTable says so to the user. Text columns of a Parquet file come as
// dictionaries where `as_dictionary` names them.
Result<TableSource> OpenTableFile(const std::filesystem::path& file, const std::vector<std::string>& columns,
                                  const std::vector<std::string>& as_dictionary);

}  // namespace pentimento
