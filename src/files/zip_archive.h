// Reads ZIP archives that strangers may have made: a few entries by name, each within a limit. Nothing is unpacked
// under a name that the archive chooses.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pentimento {

// Errors are kBadInput and name the archive: not there, no archive, cut short, damaged (by its checksums), encrypted,
// larger than 4 GiB (ZIP64), packed by another method than "deflate".
class ZipArchive {
 public:
  static Result<ZipArchive> Open(const std::filesystem::path& path);

  bool Has(std::string_view name) const { return Find(name) != nullptr; }
  // At most `most` bytes.
  Result<std::string> Read(std::string_view name, std::uint64_t most) const;
  // Into a new file of mode 0600. On an error the file may be left half written. kStorage on disk trouble.
  Status Extract(std::string_view name, std::uint64_t most, const std::filesystem::path& target) const;

 private:
  struct Entry {
    std::string name;
    std::uint16_t flags = 0, method = 0;
    std::uint32_t checksum = 0;
    std::uint64_t packed = 0, size = 0, at = 0;
  };
  class Unpacking;

  ZipArchive() = default;
  Error Broken(std::string_view why) const;
  const Entry* Find(std::string_view name) const;
  Status ReadDirectory();
  Status ReadEntries(std::string_view directory, std::size_t count);
  Result<const Entry*> Require(std::string_view name, std::uint64_t most) const;
  Result<std::string> ReadAt(std::uint64_t at, std::uint64_t size) const;
  Result<std::uint64_t> BeginOf(const Entry& entry) const;
  template <typename Take>
  Status Unpack(const Entry& entry, const Take& take) const;

  std::string name_;
  std::unique_ptr<std::ifstream> file_;
  std::uint64_t size_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace pentimento
