#include "engine/query/read_cells.h"

#include <utility>

#include "engine/published/published_table.h"
#include "files/table_file.h"

namespace pentimento {
namespace {

WantedColumns NamesOf(std::span<const QueryColumn> columns, std::span<const std::uint32_t> wanted) {
  WantedColumns names;
  for (const std::uint32_t column : wanted) names.texts.push_back(columns[column].name);
  return names;
}

Result<CellTable> TakeCells(PublishedTable read, const Manifest& manifest, std::span<const QueryColumn> columns,
                            std::span<const std::uint32_t> wanted, CellStyle style) {
  CellTable table{read.rows, {}};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    PENTIMENTO_ASSIGN(LabelMeanings labels, LabelMeanings::Read(columns[wanted[i]], style, CsvTexts(read.columns[i]),
                                                                manifest.missing, read.files.front().string()));
    table.columns.push_back({std::move(labels), std::move(read.columns[i].codes)});
  }
  return table;
}

// Each row as often as it is counted.
std::vector<std::uint32_t> Repeat(const std::vector<std::uint32_t>& values, const std::vector<std::uint32_t>& counts) {
  std::vector<std::uint32_t> repeated;
  for (std::size_t row = 0; row < values.size(); ++row) repeated.insert(repeated.end(), counts[row], values[row]);
  return repeated;
}

CodeColumn RepeatCodes(const CodeColumn& codes, std::size_t code_count, const std::vector<std::uint32_t>& counts,
                       std::size_t rows) {
  CodeColumn repeated(code_count, rows);
  std::size_t at = 0;
  for (std::size_t row = 0; row < counts.size(); ++row) {
    const Code code = codes[row];
    for (std::uint32_t i = 0; i < counts[row]; ++i) repeated.Set(at++, code);
  }
  return repeated;
}

struct SensitiveRows {
  CellTable table;
  std::vector<std::uint32_t> class_of_row;
};

Result<SensitiveRows> ReadSensitive(const Manifest& manifest, std::size_t table, std::span<const QueryColumn> columns,
                                    std::span<const std::uint32_t> wanted, const ClassRows& classes) {
  PENTIMENTO_ASSIGN(SensitiveEntries entries, ReadSensitiveEntries(manifest, table, NamesOf(columns, wanted)));
  PENTIMENTO_ASSIGN(const std::vector<std::uint32_t> class_of_entry, MatchClasses(classes, entries));
  SensitiveRows read;
  read.class_of_row = Repeat(class_of_entry, entries.counts);
  PENTIMENTO_ASSIGN(read.table,
                    TakeCells(std::move(entries.table), manifest, columns, wanted, CellStyle::kAsCollected));
  read.table.rows = read.class_of_row.size();
  for (CellColumn& column : read.table.columns)
    column.codes = RepeatCodes(column.codes, column.labels.size(), entries.counts, read.table.rows);
  return read;
}

}  // namespace

Result<CellTable> ReadCellTable(const Manifest& manifest, std::span<const QueryColumn> columns,
                                std::span<const std::uint32_t> wanted, Progress* progress) {
  PENTIMENTO_ASSIGN(PublishedTable read, ReadPublishedTable(manifest, NamesOf(columns, wanted), progress));
  return TakeCells(std::move(read), manifest, columns, wanted, CellStyle::kGeneralized);
}

Result<CellTable> ReadOriginalCells(const std::vector<std::filesystem::path>& files, const Manifest& manifest,
                                    std::span<const QueryColumn> columns, std::span<const std::uint32_t> wanted,
                                    Progress* progress) {
  WantedColumns names = NamesOf(columns, wanted);
  names.trims = true;
  PENTIMENTO_ASSIGN(PublishedTable read, ReadTableFiles(TableFiles(files, {}), names, progress));
  return TakeCells(std::move(read), manifest, columns, wanted, CellStyle::kAsCollected);
}

Result<ClassTables> ReadClassTables(const Manifest& manifest, std::span<const QueryColumn> columns,
                                    const std::vector<std::vector<std::uint32_t>>& wanted, Progress* progress) {
  PENTIMENTO_ASSIGN(ClassRows nss, ReadClassRows(manifest, NamesOf(columns, wanted[0]).texts, progress));
  ClassTables read;
  PENTIMENTO_ASSIGN(CellTable rows,
                    TakeCells(std::move(nss.table), manifest, columns, wanted[0], CellStyle::kAsCollected));
  read.tables.push_back(std::move(rows));
  read.class_of_row.push_back(std::move(nss.classes.class_of_row));
  for (std::size_t table = 1; table < wanted.size(); ++table) {
    SensitiveRows sensitive;
    if (!wanted[table].empty()) {
      PENTIMENTO_ASSIGN(sensitive, ReadSensitive(manifest, table - 1, columns, wanted[table], nss));
    }
    read.tables.push_back(std::move(sensitive.table));
    read.class_of_row.push_back(std::move(sensitive.class_of_row));
  }
  read.class_sizes = std::move(nss.class_sizes);
  return read;
}

}  // namespace pentimento
