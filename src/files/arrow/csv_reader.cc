#include "files/arrow/csv_reader.h"

#include <arrow/buffer.h>
#include <arrow/csv/api.h>
#include <arrow/io/api.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "base/machine_limits.h"
#include "files/arrow/arrow_reading.h"
#include "files/arrow/csv_diagnosis.h"
#include "files/text_form.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

constexpr std::int64_t kHeadBytes = 1 << 16;  // that tell how a text is written

Error WhyNotCsv(const TableFile& file, const CsvForm& form, const arrow::Status& status) {
  return status.IsOutOfMemory() ? OutOfMemory() : DiagnoseCsv(file, form);
}

arrow::csv::ParseOptions CsvParseOptions(const CsvForm& form) {
  arrow::csv::ParseOptions options = arrow::csv::ParseOptions::Defaults();
  options.newlines_in_values = true;
  options.delimiter = form.text.separator;
  return options;
}

// Line ends are \n, \r\n and \r, as for Arrow.
std::int32_t CountLines(std::string_view text) {
  std::int32_t lines = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool pair = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if (!pair && (text[i] == '\n' || text[i] == '\r')) ++lines;
  }
  return lines;
}

Result<CsvForm> DetectForm(const TableFile& file, std::string_view beginning) {
  CsvForm form{{}, DetectCompression(beginning)};
  const auto unpacked = OpenUnpacked(file, form.compression);
  const arrow::Result<std::string> head = unpacked.ok() ? ReadUpTo(**unpacked, kHeadBytes) : unpacked.status();
  if (!head.ok()) return WhyNotCsv(file, form, head.status());
  if (head->empty()) return CannotRead(file, "is compressed, and empty; a table has at least a header");
  Result<TextForm> text = DetectTextForm(*head, file.text);
  if (!text.ok()) return CannotRead(file, text.error().message);
  form.text = *text;
  return form;
}

// What is before the header, and the header: blocks that hold that line, as long as Arrow can read it.
Result<std::string> ReadHeaderText(const TableFile& file, const CsvForm& form) {
  const auto text = OpenText(file, form, /*checks_quotes=*/false);
  if (!text.ok()) return WhyNotCsv(file, form, text.status());
  std::string head;
  std::size_t begin = std::string::npos;
  while (begin == std::string::npos || head.find('\n', begin) == std::string::npos) {
    const arrow::Result<std::string> block = ReadUpTo(**text, kHeadBytes);
    if (!block.ok()) return WhyNotCsv(file, form, block.status());
    if (block->empty()) break;
    head += *block;
    begin = head.find_first_not_of("\r\n");
    if (head.size() > kCsvBlock)
      return CannotRead(file,
                        fmt::format("the header, or what stands before it, is longer than {} bytes; a CSV file has "
                                    "one header line, and a line for each row",
                                    kCsvBlock));
  }
  return head;
}

// The wanted columns that the file has, as text; an empty cell is a null, an empty text in quotes is not.
Result<arrow::csv::ConvertOptions> CsvConvertOptions(const TableFile& file, const std::vector<std::string>& header,
                                                     const std::vector<std::string>& columns) {
  arrow::csv::ConvertOptions convert = arrow::csv::ConvertOptions::Defaults();
  convert.strings_can_be_null = true;
  convert.quoted_strings_can_be_null = false;
  convert.null_values = {""};
  for (const std::string& name : columns) {
    const auto count = std::count(header.begin(), header.end(), name);
    if (count > 1)
      return CannotRead(file,
                        fmt::format("column '{}' occurs {} times in the header; rename one of them", name, count));
    if (count == 0) continue;
    convert.include_columns.push_back(name);
    convert.column_types[name] = arrow::utf8();
  }
  if (convert.include_columns.empty()) convert.column_types[header.front()] = arrow::utf8();
  return convert;
}

}  // namespace

Result<CsvHead> ReadCsvHead(const TableFile& file, std::string_view beginning) {
  CsvHead found;
  PENTIMENTO_ASSIGN(found.form, DetectForm(file, beginning));
  if (!file.text.names.empty()) {
    found.columns = file.text.names;
    return found;
  }
  PENTIMENTO_ASSIGN(std::string head, ReadHeaderText(file, found.form));
  found.blank_lines = CountLines(std::string_view(head).substr(0, head.find_first_not_of("\r\n")));
  arrow::csv::ParseOptions parse = CsvParseOptions(found.form);
  parse.invalid_row_handler = [](const arrow::csv::InvalidRow&) { return arrow::csv::InvalidRowResult::Skip; };
  arrow::csv::ConvertOptions convert = arrow::csv::ConvertOptions::Defaults();
  convert.check_utf8 = false;
  arrow::csv::ReadOptions read = arrow::csv::ReadOptions::Defaults();
  read.use_threads = false;
  read.block_size = std::max<std::int32_t>(1, static_cast<std::int32_t>(head.size()));
  auto reader = arrow::csv::StreamingReader::Make(
      arrow::io::default_io_context(),
      std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(std::move(head))), read, parse, convert);
  if (!reader.ok()) return WhyNotCsv(file, found.form, reader.status());
  found.columns = (*reader)->schema()->field_names();
  PENTIMENTO_RETURN_IF_ERROR(RequireUtf8Names(file, found.columns));
  return found;
}

Result<TableSource> OpenCsv(const TableFile& file, std::string_view beginning,
                            const std::vector<std::string>& columns) {
  PENTIMENTO_ASSIGN(const CsvHead head, ReadCsvHead(file, beginning));
  PENTIMENTO_ASSIGN(const arrow::csv::ConvertOptions convert, CsvConvertOptions(file, head.columns, columns));
  const auto bytes_read = std::make_shared<std::atomic<std::uint64_t>>(0);
  const auto text = OpenText(file, head.form, /*checks_quotes=*/true, bytes_read);
  if (text.status().IsOutOfMemory()) return OutOfMemory();
  if (!text.ok()) return CannotRead(file, "cannot be opened for reading");
  arrow::csv::ReadOptions read = arrow::csv::ReadOptions::Defaults();
  read.use_threads = ReadsWithThreads();
  read.block_size = kCsvBlock;
  read.column_names = file.text.names;  // none: the first line has them
  arrow::csv::ParseOptions parse = CsvParseOptions(head.form);
  if (head.columns.size() == 1) {
    // A lone empty cell is an empty line: somebody's row. Before a header it is still nothing.
    parse.ignore_empty_lines = false;
    read.skip_rows = head.blank_lines;
  }
  auto reader = arrow::csv::StreamingReader::Make(arrow::io::default_io_context(), *text, read, parse, convert);
  if (!reader.ok()) return WhyNotCsv(file, head.form, reader.status());
  PENTIMENTO_ASSIGN(TableSource source, ExportReader(file, *reader, [file, form = head.form](std::string_view message) {
                      return message.find("bad_alloc") != message.npos ? OutOfMemory() : DiagnoseCsv(file, form);
                    }));
  source.CountBytesWith(bytes_read);
  return source;
}

}  // namespace pentimento
