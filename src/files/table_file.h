// Tables in files, CSV or Parquet, behind a handful of functions: this page and incremental_rows.h are all that others
// see of Arrow C++. What comes in and goes out are streams of the Arrow C Data Interface.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "io/arrow_c_data.h"
#include "io/encode.h"
#include "policy/policy.h"
#include "table/values.h"

namespace pentimento {

// Threads of Arrow's own pools, for all readers and writers of the process; 0 means as many as the machine has. For
// programs that own their process. Elsewhere Arrow has the threads that others gave it, and a run with one thread
// (run.h) uses none of them.
void SetArrowThreads(std::size_t threads);

// A file with a table, and what the user says of how it is written.
struct TableFile {
  TableFile(std::filesystem::path where, const TextSetting& setting)
      : path(std::move(where)), name(path.string()), text(setting) {}

  std::filesystem::path path;
  std::string name;                            // for messages
  TextSetting text;                            // of a table that is a text
  std::shared_ptr<const void> kept = nullptr;  // what the path lasts with
};

// Several that are written alike.
std::vector<TableFile> TableFiles(const std::vector<std::filesystem::path>& paths, const TextSetting& setting);

// How we write tables ourselves; published ones are never guessed at.
inline const TextSetting kPublishedText{',', TextEncoding::kUtf8};

// What a table is before its rows are read.
struct FileHead {
  FileFormat format = FileFormat::kCsv;
  std::vector<std::string> columns;  // the header, in order, duplicates included
  std::string form;  // "';'-separated, windows-1252, gzip": how a text is written, where that is worth a word
  std::vector<std::string> nested = {};  // columns of a Parquet file that hold lists or records, and cannot be read
};

// By the file's first bytes, not by its name; text may be compressed with gzip or zstd. Errors: no such file, a folder,
// not readable, empty, no table, or a text of which it is not certain how it is written (text_form.h).
Result<FileHead> ReadFileHead(const TableFile& file);
// Its columns alone.
Result<std::vector<std::string>> ReadColumnNames(const TableFile& file);

// A stream of the named columns; cells of a CSV are text, unchanged; an empty cell without quotes is a null. Columns
// that the file lacks are left out: EncodeTable says so to the user. Text columns of a Parquet file come as
// dictionaries where `as_dictionary` names them.
Result<TableSource> OpenTableFile(const TableFile& file, const std::vector<std::string>& columns,
                                  const std::vector<std::string>& as_dictionary);

struct WrittenFile {
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  Sha256 sha256{};
};

struct WriteOptions {
  unsigned mode = 0644;  // of the file
  // Columns of 64-bit numbers that hardly repeat, or that grow slowly: a dictionary of them would be as long as the
  // column. Parquet packs them as differences.
  std::vector<std::string> dense_numbers = {};
  // Brought to the disk before this returns. Otherwise it gets there when the system sees fit, like a copied file.
  bool to_disk = false;
};

// Takes the stream over and releases it. On an error the file may be left half written (callers write into
// a staging folder). kStorage on disk trouble. An error of the stream itself is passed on.
Result<WrittenFile> WriteFile(ArrowArrayStream* rows, FileFormat format, const std::filesystem::path& file,
                              const WriteOptions& options = {});

// What a CSV file shows for each of the column's values, before quotes are put around it; nothing for "no value".
std::vector<std::string> CsvTexts(const ValueColumn& column);

}  // namespace pentimento
