#include "files/table_file.h"

#include "base/check.h"
#include "files/arrow_plugin.h"
#include "files/file_functions.h"
#include "files/incremental_rows.h"
#include "files/inflater.h"

namespace pentimento {

std::vector<TableFile> TableFiles(const std::vector<std::filesystem::path>& paths, const TextSetting& setting) {
  std::vector<TableFile> files;
  for (const std::filesystem::path& path : paths) files.emplace_back(path, setting);
  return files;
}

Status RequireArrow() {
  PENTIMENTO_ASSIGN([[maybe_unused]] const FileFunctions* functions, FindFileFunctions());
  return {};
}

std::string ArrowVersion() {
  const Result<const FileFunctions*> functions = FindFileFunctions();
  return functions.ok() ? (*functions)->arrow_version : "";
}

Result<FileHead> ReadFileHead(const TableFile& file) {
  PENTIMENTO_ASSIGN(const FileFunctions* functions, FindFileFunctions());
  return functions->read_file_head(file);
}

Result<std::unique_ptr<Inflater>> MakeInflater() {
  PENTIMENTO_ASSIGN(const FileFunctions* functions, FindFileFunctions());
  return functions->make_inflater();
}

Result<std::vector<std::string>> ReadColumnNames(const TableFile& file) {
  PENTIMENTO_ASSIGN(FileHead head, ReadFileHead(file));
  return std::move(head.columns);
}

Result<TableSource> OpenTableFile(const TableFile& file, const std::vector<std::string>& columns,
                                  const std::vector<std::string>& as_dictionary) {
  PENTIMENTO_ASSIGN(const FileFunctions* functions, FindFileFunctions());
  return functions->open_table_file(file, columns, as_dictionary);
}

Result<WrittenFile> WriteFile(ArrowArrayStream* rows, FileFormat format, const std::filesystem::path& file,
                              const WriteOptions& options) {
  const Result<const FileFunctions*> functions = FindFileFunctions();
  if (functions.ok()) return (*functions)->write_file(rows, format, file, options);
  rows->release(rows);
  return functions.error();
}

std::vector<std::string> CsvTexts(const ValueColumn& column) {
  if (column.type.is_text() || column.values.empty()) return column.values;
  const Result<const FileFunctions*> functions = FindFileFunctions();
  Check(functions.ok(), "whoever hands over columns that are no texts has asked RequireArrow");
  return (*functions)->csv_texts(column);
}

Status WriteIncrementalRows(const EncodedInput& input, const std::filesystem::path& file) {
  PENTIMENTO_ASSIGN(const FileFunctions* functions, FindFileFunctions());
  return functions->write_incremental_rows(input, file);
}

Result<TableSource> OpenIncrementalRows(std::span<const std::byte> parquet, std::span<const std::byte> like,
                                        const std::vector<std::string>& columns,
                                        const std::vector<std::string>& as_dictionary, const std::string& name) {
  PENTIMENTO_ASSIGN(const FileFunctions* functions, FindFileFunctions());
  return functions->open_incremental_rows(parquet, like, columns, as_dictionary, name);
}

Result<std::uint64_t> CountIncrementalRows(std::span<const std::byte> parquet, const std::string& name) {
  PENTIMENTO_ASSIGN(const FileFunctions* functions, FindFileFunctions());
  return functions->count_incremental_rows(parquet, name);
}

Result<TableSource> OpenEmptyRows(std::span<const std::byte> like, const std::vector<std::string>& columns,
                                  std::uint64_t rows, const std::string& name) {
  PENTIMENTO_ASSIGN(const FileFunctions* functions, FindFileFunctions());
  return functions->open_empty_rows(like, columns, rows, name);
}

Status EraseIncrementalRows(std::span<const std::byte> parquet, const std::vector<bool>& is_erased,
                            const std::filesystem::path& file, const std::string& name) {
  PENTIMENTO_ASSIGN(const FileFunctions* functions, FindFileFunctions());
  return functions->erase_incremental_rows(parquet, is_erased, file, name);
}

}  // namespace pentimento
