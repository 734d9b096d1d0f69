// Why a CSV file could not be read, in words for its owner. Runs only after the real reader has failed.
#pragma once

#include <filesystem>

#include "base/result.h"

namespace pentimento {

// Walks the file once and names the first line that is wrong: another number of cells than the header, an open quote
// at the end of the file, bytes that are not UTF-8. Never quotes a cell.
Error DiagnoseCsv(const std::filesystem::path& file);

}  // namespace pentimento
