#include "files/arrow/csv_diagnosis.h"

#include <arrow/io/interfaces.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/machine_limits.h"
#include "base/plural.h"
#include "files/arrow/csv_text.h"
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

// What is wrong where a byte is no text. A file in one of the others is most often from a spreadsheet.
std::string NoText(TextEncoding encoding) {
  if (encoding == TextEncoding::kLatin1)
    return "holds bytes that are not letters in latin-1; windows-1252 has them: write encoding = \"windows-1252\"";
  if (encoding != TextEncoding::kUtf8)
    return fmt::format("holds bytes that are not {}; correct the encoding", NameOf(encoding));
  return "holds bytes that are not UTF-8; say how the whole file is written, for example encoding = \"windows-1252\" "
         "under [input], or convert it to UTF-8 (for example with iconv)";
}

// Counts the cells of each record, as the reader does: separators between cells, '"' around, '""' inside.
class CsvWalker {
 public:
  CsvWalker(const TableFile& file, const TextForm& form)
      : name_(file.name),
        encoding_(form.encoding),
        separator_(form.separator),
        line_(form.lines_before + 1),
        record_line_(line_),
        has_header_(file.text.names.empty()),
        header_cells_(file.text.names.size()) {}

  std::optional<Error> Accept(char c) {
    if (!utf8_.Accept(static_cast<unsigned char>(c))) return Bad(line_, NoText(encoding_));
    if (c == '\0')
      return Bad(line_, "holds a NUL, which is no text; remove it, or name the encoding of the file under [input]");
    if (++record_bytes_ > kCsvBlock)
      return Bad(record_line_, fmt::format("begins a row of more than {} bytes; shorten its cells, or close its quotes",
                                           WithCommas(kCsvBlock)));
    if (after_quote_ && !quoted_ && c != '"' && c != separator_ && c != '\n' && c != '\r') {
      return Bad(line_, "has text right after a closing quote; a quote inside a quoted cell is written twice");
    }
    if (c == '\n') ++line_;
    if (quoted_) {
      if (c == '"') quoted_ = false;
    } else if (c == '"' && (cell_is_empty_ || after_quote_)) {
      quoted_ = true;  // an opening quote, or the second of a doubled one
      if (cell_is_empty_) quote_line_ = line_;
    } else if (c == separator_) {
      ++cells_;
      cell_is_empty_ = true;
      after_quote_ = false;
      return std::nullopt;
    } else if (c == '\n') {
      return EndRecord();
    } else if (const std::size_t other = std::string_view(",;\t|").find(c); other != std::string_view::npos) {
      ++others_[other];
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
    const std::array<std::uint64_t, 4> others = others_;
    others_ = {};
    record_bytes_ = 0;
    cells_ = 1;
    cell_is_empty_ = record_is_empty_ = true;
    after_quote_ = false;
    record_line_ = line_;
    if (blank) return std::nullopt;
    if (header_cells_ == 0) {
      header_cells_ = cells;
    } else if (cells != header_cells_) {
      return Bad(line, fmt::format("has {} cells, but {} has {}; {}", cells,
                                   has_header_ ? "the header" : "[input] names", header_cells_, Advice(others)));
    }
    return std::nullopt;
  }

  // A line that another character cuts into as many cells as the header has comes from another file.
  std::string Advice(const std::array<std::uint64_t, 4>& others) const {
    static constexpr std::array kNames = {"','", "';'", "tabs", "'|'"};
    if (has_header_ && header_cells_ == 1)
      return "where the first line is not the header but a title, leave it out with [input] skip_lines; where it is, "
             "correct the line";
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (others[i] + 1 == header_cells_)
        return fmt::format("it is separated by {}, and {}: use one separator in the whole file", kNames[i],
                           has_header_ ? "the header is not" : "others are not");
    }
    if (!has_header_) return "correct the line, or the names; lines before the table are left out with skip_lines";
    return "correct the line";
  }

  Error Bad(std::uint64_t line, std::string_view what) const {
    return {ErrorCode::kBadInput, fmt::format("{}:{}: the line {}", name_, line, what)};
  }

  std::string name_;
  TextEncoding encoding_;
  char separator_;
  Utf8Watcher utf8_;
  std::uint64_t line_, record_line_, quote_line_ = 1;
  bool has_header_;
  std::uint64_t header_cells_;
  std::uint64_t cells_ = 1;
  std::int64_t record_bytes_ = 0;
  std::array<std::uint64_t, 4> others_{};  // of this record: ',', ';', tabs and '|' that separate nothing
  bool quoted_ = false, after_quote_ = false, cell_is_empty_ = true, record_is_empty_ = true;
};

}  // namespace

Error DiagnoseCsv(const TableFile& file, const CsvForm& form) {
  const auto bad = [&](std::string_view why) {
    return Error{ErrorCode::kBadInput, fmt::format("{}: {}", file.name, why)};
  };
  const auto text = OpenText(file, form, /*checks_quotes=*/false);
  if (!text.ok()) return text.status().IsOutOfMemory() ? OutOfMemory() : bad("cannot be opened for reading");
  CsvWalker walker(file, form.text);
  while (true) {
    const arrow::Result<std::string> block = ReadUpTo(**text, 1 << 20);
    if (!block.ok() && block.status().IsOutOfMemory()) return OutOfMemory();
    if (!block.ok())
      return bad(form.compression == Compression::kNone
                     ? "cannot be read to its end"
                     : "is compressed, and cut short or damaged; copy it anew, and try to unpack it");
    if (block->empty()) break;
    for (const char c : *block) {
      if (auto error = walker.Accept(c)) return *error;
    }
  }
  if (auto error = walker.End()) return *error;
  return bad(
      "is not a CSV file that can be read: one separator between cells, one header line, cells with separators "
      "or line breaks in double quotes");
}

}  // namespace pentimento
