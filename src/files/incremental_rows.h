// The cells of a series that are published as they came (sensitive, class and keep columns), kept privately between
// releases: later releases publish everybody again, and only the newcomers' rows are at hand then. Kept as Parquet,
// one file per release, rows in the order in which members are numbered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/encode.h"

namespace pentimento {

// Writes the cells of the rows that are not skipped into a new Parquet file of mode 0600, in the order of
// RowOrder::All(). At least one column.
Status WriteIncrementalRows(const EncodedInput& input, const std::filesystem::path& file);

// Reads such a file back out of memory, which must outlive the source. Columns that it lacks, because the series did
// not have them then, are empty, and of the type that they have in `like`. `name` is for messages.
Result<TableSource> OpenIncrementalRows(std::span<const std::byte> parquet, std::span<const std::byte> like,
                                        const std::vector<std::string>& columns,
                                        const std::vector<std::string>& as_dictionary, const std::string& name);

Result<std::uint64_t> CountIncrementalRows(std::span<const std::byte> parquet, const std::string& name);

// As many rows of these columns, all of them empty.
Result<TableSource> OpenEmptyRows(std::span<const std::byte> like, const std::vector<std::string>& columns,
                                  std::uint64_t rows, const std::string& name);

// Writes such a file anew, of mode 0600, without the cells of some rows: they stay as rows, and all of their cells are
// empty. `is_erased`: by row.
Status EraseIncrementalRows(std::span<const std::byte> parquet, const std::vector<bool>& is_erased,
                            const std::filesystem::path& file, const std::string& name);

}  // namespace pentimento
