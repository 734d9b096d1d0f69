// Writes a stream of record batches into one file, CSV or Parquet.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "io/arrow_c_data.h"
#include "policy/policy.h"

namespace pentimento {

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

}  // namespace pentimento
