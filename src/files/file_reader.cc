#include <arrow/c/bridge.h>
#include <arrow/csv/api.h>
#include <arrow/io/api.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <arrow/util/thread_pool.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <fstream>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/machine_limits.h"
#include "base/run.h"
#include "files/csv_diagnosis.h"
#include "files/table_file.h"
#include "files/validated_batches.h"
#include "fmt/core.h"
#include "taxonomy/label.h"

namespace pentimento {
namespace {

constexpr std::int32_t kCsvBlock = 2 << 20;    // bytes per block; also the unit of parallel parsing
constexpr std::int64_t kParquetBatch = 65536;  // rows per batch

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool UsesThreads() { return CurrentRun().threads() > 1; }

Error CannotRead(const std::filesystem::path& file, std::string_view why) {
  return {ErrorCode::kBadInput, fmt::format("{}: {}", file.string(), why)};
}

// Messages and datapackage.json show names, also of columns that are not published.
Status RequireUtf8Names(const std::filesystem::path& file, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!FindBadUtf8(names[i])) continue;
    return CannotRead(file, fmt::format("the name of column {} holds bytes that are not UTF-8; convert the file to "
                                        "UTF-8 (for example with iconv), or rename the column",
                                        i + 1));
  }
  return {};
}

// Arrow's own message may quote a cell, so it is never passed on.
Error NotParquet(const std::filesystem::path& file) {
  return CannotRead(
      file, "is not a Parquet file that can be read; it may be cut short or damaged, or hold text that is not UTF-8");
}

// Where a library inside Arrow has no memory, Arrow says that something cannot be read, and how that ended.
bool TellsOfMemory(std::string_view message) { return message.find("bad_alloc") != std::string_view::npos; }

// What is wrong with a file that Arrow cannot read, unless it is the machine that is at fault.
Error WhyNotParquet(const std::filesystem::path& file, const arrow::Status& status) {
  return status.IsOutOfMemory() || TellsOfMemory(status.message()) ? OutOfMemory() : NotParquet(file);
}

Error WhyNotCsv(const std::filesystem::path& file, const arrow::Status& status) {
  return status.IsOutOfMemory() ? OutOfMemory() : DiagnoseCsv(file);
}

arrow::csv::ParseOptions CsvParseOptions() {
  arrow::csv::ParseOptions options = arrow::csv::ParseOptions::Defaults();
  options.newlines_in_values = true;
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

struct CsvHead {
  std::vector<std::string> columns;
  std::int32_t blank_lines = 0;  // before the header
};

// Where the first line that is not blank begins; npos where there is none.
std::size_t HeaderBegin(std::string_view text) {
  return text.find_first_not_of("\r\n", text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
}

// Reads just enough of the file to see the header: blocks that hold that line, as long as Arrow can read it.
Result<CsvHead> ReadCsvHead(const std::filesystem::path& file) {
  std::ifstream input(file, std::ios::binary);
  std::string head;
  std::size_t begin = std::string::npos;
  for (std::string block(1 << 16, '\0'); begin == std::string::npos || head.find('\n', begin) == std::string::npos;) {
    input.read(block.data(), static_cast<std::streamsize>(block.size()));
    if (input.gcount() == 0) break;
    head.append(block.data(), static_cast<std::size_t>(input.gcount()));
    begin = HeaderBegin(head);
    if (head.size() > kCsvBlock)
      return CannotRead(file,
                        fmt::format("the header, or what stands before it, is longer than {} bytes; a CSV file has "
                                    "one header line, and a line for each row",
                                    kCsvBlock));
  }
  arrow::csv::ParseOptions parse = CsvParseOptions();
  parse.invalid_row_handler = [](const arrow::csv::InvalidRow&) { return arrow::csv::InvalidRowResult::Skip; };
  arrow::csv::ConvertOptions convert = arrow::csv::ConvertOptions::Defaults();
  convert.check_utf8 = false;
  arrow::csv::ReadOptions read = arrow::csv::ReadOptions::Defaults();
  read.use_threads = false;
  read.block_size = static_cast<std::int32_t>(head.size());
  auto reader = arrow::csv::StreamingReader::Make(
      arrow::io::default_io_context(), std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(head)), read,
      parse, convert);
  if (!reader.ok()) return WhyNotCsv(file, reader.status());
  CsvHead found{(*reader)->schema()->field_names(), CountLines(std::string_view(head).substr(0, begin))};
  PENTIMENTO_RETURN_IF_ERROR(RequireUtf8Names(file, found.columns));
  return found;
}

Result<std::unique_ptr<parquet::arrow::FileReader>> OpenParquet(const std::filesystem::path& file,
                                                                const parquet::ArrowReaderProperties& properties) {
  parquet::arrow::FileReaderBuilder builder;
  parquet::ReaderProperties pages = parquet::default_reader_properties();
  pages.set_page_checksum_verification(true);  // where the writer has left checksums
  if (const arrow::Status opened = builder.OpenFile(file.string(), false, pages); !opened.ok())
    return WhyNotParquet(file, opened);
  std::unique_ptr<parquet::arrow::FileReader> reader;
  if (const arrow::Status built = builder.properties(properties)->Build(&reader); !built.ok())
    return WhyNotParquet(file, built);
  return reader;
}

Result<TableSource> ExportReader(const std::filesystem::path& file, std::shared_ptr<arrow::RecordBatchReader> reader,
                                 std::function<Error(std::string_view)> explain) {
  ArrowArrayStream stream{};
  if (!arrow::ExportRecordBatchReader(std::move(reader), &stream).ok()) {
    return Error{ErrorCode::kInternal, "Arrow cannot export a stream"};
  }
  return TableSource(file.string(), stream, std::move(explain));
}

// The file on its way to Arrow: its quotes are checked, a byte-order mark before a quote is skipped, and the bytes are
// counted.
class CheckedCsv : public arrow::io::InputStream {
 public:
  CheckedCsv(std::shared_ptr<arrow::io::InputStream> file, std::shared_ptr<std::atomic<std::uint64_t>> bytes_read)
      : file_(std::move(file)), bytes_read_(std::move(bytes_read)) {}

  arrow::Status Close() override { return file_->Close(); }
  bool closed() const override { return file_->closed(); }
  arrow::Result<std::int64_t> Tell() const override { return file_->Tell(); }
  arrow::Result<std::int64_t> Read(std::int64_t size, void* out) override {
    ARROW_ASSIGN_OR_RAISE(const std::int64_t got, file_->Read(size, out));
    ARROW_RETURN_NOT_OK(Look(std::string_view(static_cast<const char*>(out), static_cast<std::size_t>(got))));
    return got;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(std::int64_t size) override {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer, file_->Read(size));
    ARROW_RETURN_NOT_OK(Look(std::string_view(*buffer)));
    return buffer;
  }

 private:
  arrow::Status Look(std::string_view block) {
    const bool fine = block.empty() ? quotes_.End() : quotes_.Accept(WithoutMark(block));
    *bytes_read_ += block.size();
    return fine ? arrow::Status::OK() : arrow::Status::Invalid("quotes");
  }
  std::string_view WithoutMark(std::string_view block) const {
    return *bytes_read_ == 0 && block.starts_with(kByteOrderMark) ? block.substr(kByteOrderMark.size()) : block;
  }

  std::shared_ptr<arrow::io::InputStream> file_;
  std::shared_ptr<std::atomic<std::uint64_t>> bytes_read_;
  QuoteCheck quotes_;
};

// The wanted columns that the file has, as text; an empty cell is a null, an empty text in quotes is not.
Result<arrow::csv::ConvertOptions> CsvConvertOptions(const std::filesystem::path& file,
                                                     const std::vector<std::string>& header,
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

Result<TableSource> OpenCsv(const std::filesystem::path& file, const std::vector<std::string>& columns) {
  PENTIMENTO_ASSIGN(const CsvHead head, ReadCsvHead(file));
  const std::vector<std::string>& header = head.columns;
  PENTIMENTO_ASSIGN(const arrow::csv::ConvertOptions convert, CsvConvertOptions(file, header, columns));
  auto input = arrow::io::ReadableFile::Open(file.string());
  if (input.status().IsOutOfMemory()) return OutOfMemory();
  if (!input.ok()) return CannotRead(file, "cannot be opened for reading");
  arrow::csv::ReadOptions read = arrow::csv::ReadOptions::Defaults();
  read.use_threads = UsesThreads();
  read.block_size = kCsvBlock;
  arrow::csv::ParseOptions parse = CsvParseOptions();
  if (header.size() == 1) {
    // A lone empty cell is an empty line: somebody's row. Before the header it is still nothing.
    parse.ignore_empty_lines = false;
    read.skip_rows = head.blank_lines;
  }
  auto bytes_read = std::make_shared<std::atomic<std::uint64_t>>(0);
  auto checked = std::make_shared<CheckedCsv>(*input, bytes_read);
  auto reader = arrow::csv::StreamingReader::Make(arrow::io::default_io_context(), checked, read, parse, convert);
  if (!reader.ok()) return WhyNotCsv(file, reader.status());
  PENTIMENTO_ASSIGN(TableSource source,
                    ExportReader(file, *reader, [file](std::string_view) { return DiagnoseCsv(file); }));
  source.CountBytesWith(bytes_read);
  return source;
}

Result<TableSource> OpenParquetColumns(const std::filesystem::path& file, const std::vector<std::string>& columns,
                                       const std::vector<std::string>& as_dictionary) {
  parquet::ArrowReaderProperties properties = parquet::default_arrow_reader_properties();
  properties.set_use_threads(UsesThreads());
  properties.set_batch_size(kParquetBatch);
  properties.set_pre_buffer(false);
  PENTIMENTO_ASSIGN(const auto probe, OpenParquet(file, properties));
  std::shared_ptr<arrow::Schema> schema;
  if (const arrow::Status known = probe->GetSchema(&schema); !known.ok()) return WhyNotParquet(file, known);
  PENTIMENTO_RETURN_IF_ERROR(RequireUtf8Names(file, schema->field_names()));
  const parquet::SchemaDescriptor* leaves = probe->parquet_reader()->metadata()->schema();
  std::vector<int> wanted;
  for (const std::string& name : columns) {
    const std::vector<int> found = schema->GetAllFieldIndices(name);
    if (found.size() > 1)
      return CannotRead(file, fmt::format("column '{}' occurs {} times; rename one of them", name, found.size()));
    if (found.empty()) continue;
    if (schema->field(found[0])->type()->num_fields() > 0) {
      return CannotRead(
          file, fmt::format("column '{}' holds nested values; flatten it, or leave it out of the policy", name));
    }
    // Readers count leaves, and a nested column elsewhere in the file has several.
    // Found by its place, not by its name: "b" inside of "a" is called "a.b" among the leaves, too.
    const int leaf = leaves->ColumnIndex(*leaves->group_node()->field(found[0]));
    if (leaf < 0) return NotParquet(file);
    wanted.push_back(leaf);
    const bool text = schema->field(found[0])->type()->id() == arrow::Type::STRING;
    if (text && std::find(as_dictionary.begin(), as_dictionary.end(), name) != as_dictionary.end()) {
      properties.set_read_dictionary(leaf, true);
    }
  }
  std::sort(wanted.begin(), wanted.end());
  PENTIMENTO_ASSIGN(auto parquet_reader, OpenParquet(file, properties));
  std::vector<int> groups(static_cast<std::size_t>(parquet_reader->num_row_groups()));
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i] = static_cast<int>(i);
  auto batches = parquet_reader->GetRecordBatchReader(groups, wanted);
  if (!batches.ok()) return WhyNotParquet(file, batches.status());
  // The batch reader borrows the file reader: keep both. What they needed goes back to the system, because the steps
  // after reading need as much memory of their own.
  std::shared_ptr<parquet::arrow::FileReader> owner = std::move(parquet_reader);
  std::shared_ptr<arrow::RecordBatchReader> reader(batches->release(),
                                                   [owner](arrow::RecordBatchReader* borrowed) mutable {
                                                     delete borrowed;
                                                     owner.reset();
                                                     arrow::default_memory_pool()->ReleaseUnused();
                                                   });
  return ExportReader(file, std::make_shared<ValidatedBatches>(std::move(reader)), [file](std::string_view message) {
    return TellsOfMemory(message) ? OutOfMemory() : NotParquet(file);
  });
}

// Makes all threads of a pool, which then wait for work.
Status StartWorkers(arrow::internal::Executor& pool, int count) {
  struct Meeting {
    std::mutex mutex;
    std::condition_variable changed;
    int came = 0;
    bool is_over = false;
  };
  const auto meeting = std::make_shared<Meeting>();
  const auto attend = [meeting] {
    std::unique_lock lock(meeting->mutex);
    ++meeting->came;
    meeting->changed.notify_all();
    meeting->changed.wait(lock, [&] { return meeting->is_over; });
  };
  int begun = 0;
  try {
    while (begun < count && pool.Spawn(attend).ok()) ++begun;
  } catch (const std::system_error&) {
    // What the threads say who cannot be.
  }
  std::unique_lock lock(meeting->mutex);
  if (begun == count) meeting->changed.wait(lock, [&] { return meeting->came == count; });
  meeting->is_over = true;
  meeting->changed.notify_all();
  return begun == count ? Status() : Status(OutOfThreads());
}

// Arrow makes threads when it has work for them, and where it cannot have one it calls the file unreadable, waits for
// ever or falls over. So it has all of them before there is work.
Status StartArrowThreads() {
  static const Status reads =
      StartWorkers(*arrow::io::default_io_context().executor(), arrow::io::GetIOThreadPoolCapacity());
  if (!reads.ok() || !UsesThreads()) return reads;
  static const Status computes = StartWorkers(*arrow::internal::GetCpuThreadPool(), arrow::GetCpuThreadPoolCapacity());
  return computes;
}

}  // namespace

Result<FileFormat> DetectFormat(const std::filesystem::path& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (status.type() == std::filesystem::file_type::not_found) return CannotRead(file, "there is no such file");
  if (std::filesystem::is_directory(status)) return CannotRead(file, "is a folder; name the files in it");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    return CannotRead(file, "is a pipe, a device or a socket; a table is read more than once, so save it as a file");
  std::ifstream input(file, std::ios::binary);
  if (!input) return CannotRead(file, fmt::format("cannot be opened for reading ({})", std::strerror(errno)));
  char magic[4] = {};
  input.read(magic, sizeof magic);
  if (input.gcount() == 0) return CannotRead(file, "is empty; a table has at least a header");
  return std::memcmp(magic, "PAR1", 4) == 0 ? FileFormat::kParquet : FileFormat::kCsv;
}

Result<std::vector<std::string>> ReadColumnNames(const std::filesystem::path& file) {
  PENTIMENTO_RETURN_IF_ERROR(StartArrowThreads());
  PENTIMENTO_ASSIGN(const FileFormat format, DetectFormat(file));
  if (format == FileFormat::kCsv) {
    PENTIMENTO_ASSIGN(CsvHead head, ReadCsvHead(file));
    return std::move(head.columns);
  }
  PENTIMENTO_ASSIGN(const auto reader, OpenParquet(file, parquet::default_arrow_reader_properties()));
  std::shared_ptr<arrow::Schema> schema;
  if (const arrow::Status known = reader->GetSchema(&schema); !known.ok()) return WhyNotParquet(file, known);
  PENTIMENTO_RETURN_IF_ERROR(RequireUtf8Names(file, schema->field_names()));
  return schema->field_names();
}

void SetArrowThreads(std::size_t threads) {
  const std::size_t count = threads > 0 ? threads : std::max<std::size_t>(1, std::thread::hardware_concurrency());
  (void)arrow::SetCpuThreadPoolCapacity(static_cast<int>(count));
  // Only the reader of a CSV file uses one beside those that compute.
  (void)arrow::io::SetIOThreadPoolCapacity(1);
}

Result<TableSource> OpenTableFile(const std::filesystem::path& file, const std::vector<std::string>& columns,
                                  const std::vector<std::string>& as_dictionary) {
  PENTIMENTO_RETURN_IF_ERROR(StartArrowThreads());
  PENTIMENTO_ASSIGN(const FileFormat format, DetectFormat(file));
  if (format == FileFormat::kCsv) return OpenCsv(file, columns);
  return OpenParquetColumns(file, columns, as_dictionary);
}

}  // namespace pentimento
