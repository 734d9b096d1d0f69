// Taxonomies that lie beside a table, under the names that ARX gives them.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "engine/init/suggest.h"

namespace pentimento {

// Beside people.csv: people_hierarchy_age.csv is the taxonomy of 'age'. In `folder`, which somebody has named, age.csv
// and anything_hierarchy_age.csv are, too. A file in that folder that is no taxonomy is an error; one that lies beside
// the table is a remark. kUsage where the folder has none for any column.
Result<ColumnHints> FindHierarchies(const std::filesystem::path& table, std::span<const std::string> columns,
                                    const std::optional<std::filesystem::path>& folder);

}  // namespace pentimento
