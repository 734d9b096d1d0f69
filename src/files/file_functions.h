// What is asked of Arrow C++, as a table of functions. The rest of the program calls table_file.h,
// incremental_rows.h and inflater.h; these ask for the table and call through it.
//
// 1. In a checkout the functions of files/arrow/ are part of the program.
// 2. In a package each libarrow has a plugin, which is loaded when a file is first read or written. A process has one
//    libarrow: where one is loaded already, by whomever, the plugin of that one is taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "files/inflater.h"
#include "files/table_file.h"
#include "io/encode.h"
#include "table/values.h"

namespace pentimento {

struct FileFunctions {
  const char* arrow_version;  // of the headers that the functions were compiled with
  void (*set_arrow_threads)(std::size_t threads);
  Result<FileHead> (*read_file_head)(const TableFile& file);
  Result<TableSource> (*open_table_file)(const TableFile& file, const std::vector<std::string>& columns,
                                         const std::vector<std::string>& as_dictionary);
  Result<WrittenFile> (*write_file)(ArrowArrayStream* rows, FileFormat format, const std::filesystem::path& file,
                                    const WriteOptions& options);
  std::vector<std::string> (*csv_texts)(const ValueColumn& column);
  Status (*write_incremental_rows)(const EncodedInput& input, const std::filesystem::path& file);
  Result<TableSource> (*open_incremental_rows)(std::span<const std::byte> parquet, std::span<const std::byte> like,
                                               const std::vector<std::string>& columns,
                                               const std::vector<std::string>& as_dictionary, const std::string& name);
  Result<std::uint64_t> (*count_incremental_rows)(std::span<const std::byte> parquet, const std::string& name);
  Result<TableSource> (*open_empty_rows)(std::span<const std::byte> like, const std::vector<std::string>& columns,
                                         std::uint64_t rows, const std::string& name);
  Status (*erase_incremental_rows)(std::span<const std::byte> parquet, const std::vector<bool>& is_erased,
                                   const std::filesystem::path& file, const std::string& name);
  Result<std::unique_ptr<Inflater>> (*make_inflater)();
};

// kUsage where no libarrow is there, or one that no plugin fits; asked again next time.
Result<const FileFunctions*> FindFileFunctions();

// Those of files/arrow/. A plugin offers them under this name.
extern "C" const FileFunctions* PentimentoFileFunctions();

}  // namespace pentimento
