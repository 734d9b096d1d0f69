// Projects of ARX (`.deid`): a ZIP archive with the table, its hierarchies, and what was said of its columns.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/init/suggest.h"

namespace pentimento {

struct ArxProject {
  char separator = ';';  // of its table
  ColumnHints hints;
  std::optional<std::uint64_t> k;    // of the k-anonymity that was asked for
  std::vector<std::string> remarks;  // what has no counterpart here
};

// By its name alone.
bool LooksLikeArxProject(const std::filesystem::path& path);

// Errors are kBadInput.
Result<ArxProject> ReadArxProject(const std::filesystem::path& path);

// Its table, into a new file of mode 0600. On an error the file may be left.
Status WriteArxTable(const std::filesystem::path& project, const std::filesystem::path& table);

}  // namespace pentimento
