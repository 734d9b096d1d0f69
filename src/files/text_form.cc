#include "files/text_form.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "fmt/core.h"
#include "taxonomy/label.h"

namespace pentimento {
namespace {

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
constexpr std::string_view kLittleMark = "\xFF\xFE";
constexpr std::string_view kBigMark = "\xFE\xFF";
constexpr std::size_t kRowsLookedAt = 100;

Error Reason(std::string reason) { return {ErrorCode::kBadInput, std::move(reason)}; }

// ---- other kinds of files ----

struct Lookalike {
  std::string_view begins;
  const char* reason;
};

constexpr const char* kWorkbook = "is an Excel workbook and not a text; save the sheet as CSV, or write a Parquet file";
constexpr std::array kLookalikes = {
    Lookalike{"\xD0\xCF\x11\xE0", kWorkbook},
    Lookalike{"%PDF-", "is a PDF and not a table; export the table as CSV or Parquet"},
    Lookalike{"BZh91AY&SY", "is compressed with bzip2; unpack it, or compress it with gzip or zstd"},
    Lookalike{"\xFD"
              "7zXZ",
              "is compressed with xz; unpack it, or compress it with gzip or zstd"},
    Lookalike{"7z\xBC\xAF", "is a 7z archive; unpack it"},
    Lookalike{"PAR1", "is a compressed Parquet file; unpack it: a Parquet file compresses its columns itself"},
    Lookalike{{"ARROW1\0", 7}, "is an Arrow (Feather) file; write it as Parquet"},
    Lookalike{"SQLite format 3", "is an SQLite database; export the table as CSV or Parquet"},
    Lookalike{"$FL2", "is an SPSS file; export it as CSV or Parquet"},
    Lookalike{"<stata_dta>", "is a Stata file; export it as CSV or Parquet"},
    Lookalike{"<!DOCTYPE", "is a web page and not a table; download the table itself"},
    Lookalike{"<html", "is a web page and not a table; download the table itself"},
    Lookalike{"<?xml", "is XML and not a table; export it as CSV or Parquet"},
    Lookalike{"{\"", "is JSON and not a table; write it as CSV or Parquet"},
    Lookalike{"[{\"", "is JSON and not a table; write it as CSV or Parquet"}};

std::optional<Error> FindOtherKind(std::string_view head) {
  if (head.starts_with("PK\x03\x04")) {
    if (head.find("xl/") != head.npos || head.find("[Content_Types]") != head.npos) return Reason(kWorkbook);
    if (head.find("opendocument") != head.npos)
      return Reason("is an OpenDocument file and not a text; save the sheet as CSV, or write a Parquet file");
    return Reason("is a ZIP archive; unpack it and name the table in it");
  }
  for (const Lookalike& other : kLookalikes) {
    if (head.starts_with(other.begins)) return Reason(other.reason);
  }
  return std::nullopt;
}

// ---- the encoding ----

Error OtherThanItsMark(TextEncoding said, TextEncoding marked) {
  return Reason(
      fmt::format("begins with the byte-order mark of {}, but [input] encoding says {}; write encoding = \"{}\", or "
                  "leave it out",
                  NameOf(marked), NameOf(said), NameOf(marked)));
}

// Of text in a language with Latin letters most pairs of bytes have a zero, all on the same side.
std::optional<ByteOrder> LooksLikeUtf16(std::string_view head) {
  const std::string_view begin = head.substr(0, 512);
  std::size_t zeros[2] = {0, 0};
  for (std::size_t i = 0; i < begin.size(); ++i) zeros[i % 2] += begin[i] == '\0' ? 1 : 0;
  const std::size_t most = begin.size() / 2;
  if (most == 0 || 10 * std::max(zeros[0], zeros[1]) < 8 * most || 10 * std::min(zeros[0], zeros[1]) > most)
    return std::nullopt;
  return zeros[1] > zeros[0] ? ByteOrder::kLittle : ByteOrder::kBig;
}

// Without a letter that the end may have cut.
std::string_view WholeLetters(std::string_view head) {
  std::size_t end = head.size();
  while (end > 0 && head.size() - end < 3 && static_cast<unsigned char>(head[end - 1]) >= 0x80) --end;
  return head.substr(0, end);
}

// Fills in the encoding and the mark.
Result<TextForm> DetectEncoding(std::string_view head, const TextSetting& setting) {
  TextForm form;
  const auto marked = [&](TextEncoding encoding, std::size_t mark) -> Result<TextForm> {
    if (setting.encoding && *setting.encoding != encoding) return OtherThanItsMark(*setting.encoding, encoding);
    form.encoding = encoding;
    form.mark = mark;
    return form;
  };
  if (head.starts_with(kUtf8Mark)) return marked(TextEncoding::kUtf8, kUtf8Mark.size());
  if (head.starts_with(kBigMark)) form.order = ByteOrder::kBig;
  if (head.starts_with(kBigMark) || head.starts_with(kLittleMark)) return marked(TextEncoding::kUtf16, 2);
  const std::optional<ByteOrder> pairs = LooksLikeUtf16(head);
  if (pairs && setting.encoding != TextEncoding::kUtf16)
    return Reason("looks like UTF-16 without a byte-order mark; write encoding = \"utf-16\" under [input]");
  form.encoding = setting.encoding.value_or(TextEncoding::kUtf8);
  form.looks_like_utf8 =
      form.encoding != TextEncoding::kUtf8 && CountAscii(head) < head.size() && !FindBadUtf8(WholeLetters(head));
  form.order = pairs.value_or(ByteOrder::kLittle);
  return form;
}

// The head as UTF-8, as far as it can be read.
std::string Decode(std::string_view head, const TextForm& form) {
  head.remove_prefix(form.mark);
  if (form.encoding == TextEncoding::kUtf8) return std::string(head);
  TextDecoder decoder(form.encoding, form.order);
  std::string text(3 * head.size() + 4, '\0');
  text.resize(decoder.Decode(head, text).made);
  return text;
}

// ---- the separator ----

std::string Shown(char separator) { return separator == '\t' ? "tab" : fmt::format("'{}'", separator); }

std::string AsKey(char separator) { return separator == '\t' ? "\\t" : std::string(1, separator); }

std::size_t PlaceOf(char separator) {
  return static_cast<std::size_t>(std::ranges::find(kSeparators, separator) - kSeparators.begin());
}

// Excel's first line: "sep=;". Fills in the separator and how long the line is.
Status TakeSepLine(std::string_view text, const TextSetting& setting, TextForm& form) {
  const std::size_t end = text.find_first_of("\r\n");
  if (end == text.npos) return {};
  std::string_view line = text.substr(0, end);
  if (line.size() == 7 && line.starts_with('"') && line.ends_with('"')) line = line.substr(1, 5);
  if (line.size() != 5 || (!line.starts_with("sep=") && !line.starts_with("SEP="))) return {};
  if (PlaceOf(line[4]) == kSeparators.size())
    return Reason(
        "has a first line that says what separates cells, and it is none of ',', ';', tab and '|'; write "
        "the table with one of these");
  if (setting.separator && *setting.separator != line[4]) {
    return Reason(
        fmt::format("says in its first line that {} separates cells, but [input] separator says {}; correct "
                    "one of the two",
                    Shown(line[4]), Shown(*setting.separator)));
  }
  form.separator = line[4];
  form.before = end + (text.substr(end).starts_with("\r\n") ? 2 : 1);
  form.lines_before = 1;
  return {};
}

// Line ends are \n, \r\n and \r, as for Arrow.
Status SkipLines(std::string_view text, std::size_t lines, TextForm& form) {
  for (std::size_t i = 0; i < lines; ++i) {
    const std::size_t end = text.find_first_of("\r\n", form.before);
    if (end == text.npos)
      return Reason(
          fmt::format("has no {} lines before the table that [input] skip_lines could leave out; correct it", lines));
    form.before = end + (text.substr(end).starts_with("\r\n") ? 2 : 1);
  }
  form.lines_before += lines;
  return {};
}

using Counts = std::array<std::size_t, kSeparators.size()>;

// How often each separator is in the header and in the rows below it, outside of quotes. What the end of `text` cuts
// off is no row, unless it is all there is.
std::vector<Counts> CountSeparators(std::string_view text) {
  std::vector<Counts> rows;
  Counts counts{};
  bool is_quoted = false, is_blank = true;
  for (const char c : text) {
    if (c == '"') is_quoted = !is_quoted;
    const bool ends = !is_quoted && (c == '\n' || c == '\r');
    if (ends && !is_blank) {
      rows.push_back(counts);
      if (rows.size() > kRowsLookedAt) return rows;
    }
    if (ends) {
      counts = {};
      is_blank = true;
      continue;
    }
    is_blank = false;
    if (!is_quoted && PlaceOf(c) < counts.size()) ++counts[PlaceOf(c)];
  }
  if (rows.empty()) rows.push_back(counts);
  return rows;
}

// The one that is in the header and cuts most rows into as many cells. A lone one that no row has is a letter of a
// name.
Result<char> DetectSeparator(std::string_view text) {
  const std::vector<Counts> rows = CountSeparators(text);
  std::vector<std::size_t> likely;
  for (std::size_t s = 0; s < kSeparators.size(); ++s) {
    const auto has = [&](const Counts& row) { return row[s] > 0; };
    if (has(rows[0]) && (rows.size() == 1 || std::ranges::any_of(rows.begin() + 1, rows.end(), has)))
      likely.push_back(s);
  }
  if (likely.empty()) return ',';
  const auto alike = [&](std::size_t s) {
    return std::ranges::count_if(rows.begin() + 1, rows.end(), [&](const Counts& row) { return row[s] == rows[0][s]; });
  };
  std::ranges::stable_sort(likely, [&](std::size_t a, std::size_t b) { return alike(a) > alike(b); });
  if (likely.size() == 1 || alike(likely[0]) > alike(likely[1])) return kSeparators[likely[0]];
  return Reason(
      fmt::format("has {} and {} in its header, and either could stand between cells; say which, for "
                  "example separator = \"{}\" under [input]",
                  Shown(kSeparators[likely[0]]), Shown(kSeparators[likely[1]]), AsKey(kSeparators[likely[0]])));
}

}  // namespace

Result<TextForm> DetectTextForm(std::string_view head, const TextSetting& setting) {
  if (const std::optional<Error> other = FindOtherKind(head)) return *other;
  PENTIMENTO_ASSIGN(TextForm form, DetectEncoding(head, setting));
  const std::string text = Decode(head, form);
  PENTIMENTO_RETURN_IF_ERROR(TakeSepLine(text, setting, form));
  const bool has_sep_line = form.before > 0;
  PENTIMENTO_RETURN_IF_ERROR(SkipLines(text, setting.skip_lines, form));
  if (has_sep_line) return form;
  if (setting.separator) {
    form.separator = *setting.separator;
    return form;
  }
  PENTIMENTO_ASSIGN(form.separator, DetectSeparator(std::string_view(text).substr(form.before)));
  return form;
}

Compression DetectCompression(std::string_view head) {
  if (head.starts_with("\x1F\x8B")) return Compression::kGzip;
  if (head.starts_with("\x28\xB5\x2F\xFD")) return Compression::kZstd;
  return Compression::kNone;
}

std::string CsvForm::InWords() const {
  if (text.is_plain() && compression == Compression::kNone) return "";
  std::string words = fmt::format("{}-separated, {}", Shown(text.separator), NameOf(text.encoding));
  if (text.looks_like_utf8) words += " (it looks like utf-8)";
  if (compression != Compression::kNone) words += compression == Compression::kGzip ? ", gzip" : ", zstd";
  return words;
}

}  // namespace pentimento
