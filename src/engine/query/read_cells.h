// The cells that queries ask for, of a release or of its originals: for each column its different cells and what they
// mean, and a code per row.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "engine/published/manifest.h"
#include "engine/query/bind_query.h"
#include "engine/query/label_meanings.h"
#include "table/code_column.h"

namespace pentimento {

struct CellColumn {
  LabelMeanings labels;
  CodeColumn codes;  // by row
};

struct CellTable {
  std::size_t rows = 0;
  std::vector<CellColumn> columns;  // those that were asked for
};

// The columns `wanted` (numbers in `columns`) of a release in one table.
Result<CellTable> ReadCellTable(const Manifest& manifest, std::span<const QueryColumn> columns,
                                std::span<const std::uint32_t> wanted, Progress* progress);

// The same of the table that the release was made from, in these files, one after the other.
Result<CellTable> ReadOriginalCells(const std::vector<std::filesystem::path>& files, const Manifest& manifest,
                                    std::span<const QueryColumn> columns, std::span<const std::uint32_t> wanted,
                                    Progress* progress);

// A release in two tables: NSS and then the SS tables. Entries of SS stand there as often as they are counted, so each
// class has as many rows in one table as in the other.
struct ClassTables {
  std::vector<std::uint32_t> class_sizes;
  std::vector<CellTable> tables;
  std::vector<std::vector<std::uint32_t>> class_of_row;  // by table; of one without wanted columns empty
};

// `wanted` by table. An SS table of which nothing is wanted is not read.
Result<ClassTables> ReadClassTables(const Manifest& manifest, std::span<const QueryColumn> columns,
                                    const std::vector<std::vector<std::uint32_t>>& wanted, Progress* progress);

}  // namespace pentimento
