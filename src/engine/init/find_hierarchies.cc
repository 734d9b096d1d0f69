#include "engine/init/find_hierarchies.h"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include "fmt/core.h"

namespace pentimento {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHierarchy = "_hierarchy_";

Result<std::vector<fs::path>> FilesIn(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    files.push_back(at->path());
  if (error)
    return Error{ErrorCode::kUsage,
                 fmt::format("{}: cannot be read as a folder of taxonomies ({})", folder.string(), error.message())};
  std::ranges::sort(files);
  return files;
}

// The file of a column among those of the folder; the first, where there are several.
std::optional<fs::path> FileFor(const std::string& column, const std::vector<fs::path>& files) {
  const std::string name = column + ".csv", end = std::string(kHierarchy) + name;
  for (const fs::path& file : files) {
    const std::string here = file.filename().string();
    if (here == name || here.ends_with(end)) return file;
  }
  return std::nullopt;
}

}  // namespace

Result<ColumnHints> FindHierarchies(const fs::path& table, std::span<const std::string> columns,
                                    const std::optional<fs::path>& folder) {
  ColumnHints hints;
  std::vector<fs::path> files;
  if (folder) {
    PENTIMENTO_ASSIGN(files, FilesIn(*folder));
  }
  bool any_is_named = false;
  for (const std::string& column : columns) {
    std::optional<fs::path> file = FileFor(column, files);
    const bool is_named = file.has_value();
    any_is_named |= is_named;
    const fs::path beside = table.parent_path() / (table.stem().string() + std::string(kHierarchy) + column + ".csv");
    std::error_code ignored;
    if (!file && column.find('/') == column.npos && fs::is_regular_file(beside, ignored)) file = beside;
    if (!file) continue;
    ColumnHint hint;
    hint.from = file->filename().string();
    Result<Taxonomy> taxonomy = Taxonomy::ReadFile(*file);
    if (!taxonomy.ok() && is_named) return std::move(taxonomy).error();
    if (taxonomy.ok())
      hint.taxonomy = std::move(taxonomy).value();
    else
      hint.fault = fmt::format("{} cannot be used as its taxonomy.", hint.from);
    hints.insert_or_assign(column, std::move(hint));
  }
  if (folder && !any_is_named)
    return Error{ErrorCode::kUsage, fmt::format("{}: has no taxonomy that is called like a column, such as {}.csv",
                                                folder->string(), columns.empty() ? "age" : "COLUMN")};
  return hints;
}

}  // namespace pentimento
