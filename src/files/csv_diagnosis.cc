#include "files/csv_diagnosis.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "fmt/core.h"

namespace pentimento {
namespace {

// Watches the bytes go by: complains about the first that cannot be part of UTF-8.
class Utf8Watcher {
 public:
  bool Accept(unsigned char byte) {
    if (continuation_ > 0) {
      const bool fits = byte >= low_ && byte <= high_;
      low_ = 0x80;
      high_ = 0xBF;
      --continuation_;
      return fits;
    }
    if (byte < 0x80) return true;
    if (byte < 0xC2 || byte > 0xF4) return false;
    continuation_ = byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3;
    if (byte == 0xE0) low_ = 0xA0;
    if (byte == 0xED) high_ = 0x9F;  // surrogates
    if (byte == 0xF0) low_ = 0x90;
    if (byte == 0xF4) high_ = 0x8F;
    return true;
  }

 private:
  int continuation_ = 0;
  unsigned char low_ = 0x80, high_ = 0xBF;
};

// Counts the cells of each record, as the reader does: ',' between cells, '"' around, '""' inside.
class CsvWalker {
 public:
  explicit CsvWalker(std::string name) : name_(std::move(name)) {}

  std::optional<Error> Accept(char c) {
    if (!utf8_.Accept(static_cast<unsigned char>(c))) {
      return Bad(line_, "holds bytes that are not UTF-8; convert the file to UTF-8 (for example with iconv)");
    }
    if (after_quote_ && !quoted_ && c != '"' && c != ',' && c != '\n' && c != '\r') {
      return Bad(line_, "has text right after a closing quote; a quote inside a quoted cell is written twice");
    }
    if (c == '\n') ++line_;
    if (quoted_) {
      if (c == '"') quoted_ = false;
    } else if (c == '"' && (cell_is_empty_ || after_quote_)) {
      quoted_ = true;  // an opening quote, or the second of a doubled one
      if (cell_is_empty_) quote_line_ = line_;
    } else if (c == ',') {
      ++cells_;
      cell_is_empty_ = true;
      after_quote_ = false;
      return std::nullopt;
    } else if (c == '\n') {
      return EndRecord();
    }
    after_quote_ = c == '"' && !quoted_;
    if (c != '\r') {
      cell_is_empty_ = false;
      record_is_empty_ = false;
    }
    return std::nullopt;
  }

  std::optional<Error> End() {
    if (quoted_) return Bad(quote_line_, "opens a quoted cell that is never closed");
    ++line_;
    return record_is_empty_ && cells_ == 1 ? std::nullopt : EndRecord();
  }

 private:
  std::optional<Error> EndRecord() {
    const bool blank = record_is_empty_ && cells_ == 1;
    const std::uint64_t cells = cells_;
    const std::uint64_t line = record_line_;
    cells_ = 1;
    cell_is_empty_ = record_is_empty_ = true;
    after_quote_ = false;
    record_line_ = line_;
    if (blank) return std::nullopt;
    if (header_cells_ == 0) {
      header_cells_ = cells;
    } else if (cells != header_cells_) {
      return Bad(line, fmt::format("has {} cells, but the header has {}; correct the line", cells, header_cells_));
    }
    return std::nullopt;
  }

  Error Bad(std::uint64_t line, std::string_view what) const {
    return {ErrorCode::kBadInput, fmt::format("{}:{}: the line {}", name_, line, what)};
  }

  std::string name_;
  Utf8Watcher utf8_;
  std::uint64_t line_ = 1, record_line_ = 1, quote_line_ = 1;
  std::uint64_t cells_ = 1, header_cells_ = 0;
  bool quoted_ = false, after_quote_ = false, cell_is_empty_ = true, record_is_empty_ = true;
};

}  // namespace

Error DiagnoseCsv(const std::filesystem::path& file) {
  std::ifstream input(file, std::ios::binary);
  CsvWalker walker(file.string());
  std::vector<char> buffer(1 << 20);
  bool first = true;
  while (input.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || input.gcount() > 0) {
    const auto got = static_cast<std::size_t>(input.gcount());
    const std::size_t start = first && got >= 3 && std::memcmp(buffer.data(), "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    first = false;
    for (std::size_t i = start; i < got; ++i) {
      if (auto error = walker.Accept(buffer[i])) return *error;
    }
  }
  if (auto error = walker.End()) return *error;
  return {ErrorCode::kBadInput,
          fmt::format("{}: is not a CSV file that can be read: comma between cells, one header line, "
                      "cells with commas or line breaks in double quotes",
                      file.string())};
}

}  // namespace pentimento
