// A file that somebody else may have put there, opened with care: only a regular file is read. A pipe would make us
// wait for ever, a device would never end, and a folder cannot be read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>

#include "base/result.h"

namespace pentimento {

// Errors are kBadInput, and their message is the reason alone ("is a folder"): what the file is to the user, and whose
// move it is, only the caller knows.
class RegularFile {
 public:
  static Result<RegularFile> Open(const std::filesystem::path& path);
  RegularFile(RegularFile&& other) noexcept : number_(std::exchange(other.number_, -1)), size_(other.size_) {}
  RegularFile& operator=(RegularFile&&) = delete;
  ~RegularFile();

  std::uint64_t size() const { return size_; }
  // Fills `bytes` from where the last call ended; fewer bytes at the end of the file only, and then none.
  Result<std::size_t> Read(std::span<char> bytes);

 private:
  RegularFile(int number, std::uint64_t size) : number_(number), size_(size) {}
  int number_;
  std::uint64_t size_;
};

// The whole of it, at most `most` bytes.
Result<std::string> ReadRegularFile(const std::filesystem::path& path, std::uint64_t most);

}  // namespace pentimento
