// How the text of a table is written, found out from its beginning: the encoding, and what stands between two cells.
//
// 1. Only what is certain is found out: UTF-8, what a byte-order mark says, a "sep=" line, and a separator that no
// other
//    could be. Anything else is an error that names the key to set.
// 2. What the user says counts. Where the file says otherwise, that is an error.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text_encoding.h"
#include "policy/policy.h"

namespace pentimento {

struct TextForm {
  TextEncoding encoding = TextEncoding::kUtf8;
  ByteOrder order = ByteOrder::kLittle;  // of UTF-16
  std::size_t mark = 0;                  // bytes of the byte-order mark
  std::size_t before = 0;        // bytes of the lines before the table, once they are UTF-8: a "sep=" line, titles
  std::size_t lines_before = 0;  // how many these are
  char separator = ',';
  bool looks_like_utf8 = false;  // although it is not read so

  // Nothing to tell of: UTF-8, commas between cells.
  bool is_plain() const { return encoding == TextEncoding::kUtf8 && separator == ','; }
};

// `head` is the beginning of the file, long enough for a few rows where there are so many. An error is kBadInput, and
// its message the reason alone ("is an Excel workbook; …").
Result<TextForm> DetectTextForm(std::string_view head, const TextSetting& setting);

enum class Compression { kNone, kGzip, kZstd };

// By the first bytes.
Compression DetectCompression(std::string_view head);

// A file of which it is clear how it is written.
struct CsvForm {
  TextForm text = {};
  Compression compression = Compression::kNone;

  // "';'-separated, windows-1252, gzip"; nothing where it is plain.
  std::string InWords() const;
};

}  // namespace pentimento
