// The functions of table_file.h, incremental_rows.h and inflater.h, as Arrow C++ does them. Nobody calls these but the
// table of file_functions.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "files/inflater.h"
#include "files/table_file.h"

namespace pentimento::with_arrow {

void SetArrowThreads(std::size_t threads);
Result<FileHead> ReadFileHead(const TableFile& file);
Result<TableSource> OpenTableFile(const TableFile& file, const std::vector<std::string>& columns,
                                  const std::vector<std::string>& as_dictionary);
Result<WrittenFile> WriteFile(ArrowArrayStream* rows, FileFormat format, const std::filesystem::path& file,
                              const WriteOptions& options);
std::vector<std::string> CsvTexts(const ValueColumn& column);
Status WriteIncrementalRows(const EncodedInput& input, const std::filesystem::path& file);
Result<TableSource> OpenIncrementalRows(std::span<const std::byte> parquet, std::span<const std::byte> like,
                                        const std::vector<std::string>& columns,
                                        const std::vector<std::string>& as_dictionary, const std::string& name);
Result<std::uint64_t> CountIncrementalRows(std::span<const std::byte> parquet, const std::string& name);
Result<TableSource> OpenEmptyRows(std::span<const std::byte> like, const std::vector<std::string>& columns,
                                  std::uint64_t rows, const std::string& name);
Status EraseIncrementalRows(std::span<const std::byte> parquet, const std::vector<bool>& is_erased,
                            const std::filesystem::path& file, const std::string& name);
Result<std::unique_ptr<Inflater>> MakeInflater();

}  // namespace pentimento::with_arrow
