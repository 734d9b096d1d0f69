#include <arrow/c/bridge.h>
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
#include <cstring>
#include <fstream>
#include <system_error>
#include <thread>

#include "base/machine_limits.h"
#include "base/run.h"
#include "files/arrow/arrow_reading.h"
#include "files/arrow/csv_reader.h"
#include "files/arrow/functions.h"
#include "files/arrow/validated_batches.h"
#include "files/table_file.h"
#include "fmt/core.h"
#include "taxonomy/label.h"

namespace pentimento {

bool ReadsWithThreads() { return CurrentRun().threads() > 1; }

Error CannotRead(const TableFile& file, std::string_view why) {
  return {ErrorCode::kBadInput, fmt::format("{}: {}", file.name, why)};
}

Status RequireUtf8Names(const TableFile& file, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!FindBadUtf8(names[i])) continue;
    return CannotRead(file, fmt::format("the name of column {} holds bytes that are not UTF-8; say how the file is "
                                        "written, for example encoding = \"windows-1252\" under [input], or convert it "
                                        "to UTF-8 (for example with iconv)",
                                        i + 1));
  }
  return {};
}

Result<TableSource> ExportReader(const TableFile& file, std::shared_ptr<arrow::RecordBatchReader> reader,
                                 std::function<Error(std::string_view)> explain) {
  ArrowArrayStream stream{};
  if (!arrow::ExportRecordBatchReader(std::move(reader), &stream).ok()) {
    return Error{ErrorCode::kInternal, "Arrow cannot export a stream"};
  }
  return TableSource(file.name, stream, std::move(explain));
}

namespace {

constexpr std::int64_t kParquetBatch = 65536;  // rows per batch

// Arrow's own message may quote a cell, so it is never passed on.
Error NotParquet(const TableFile& file) {
  return CannotRead(
      file, "is not a Parquet file that can be read; it may be cut short or damaged, or hold text that is not UTF-8");
}

// Where a library inside Arrow has no memory, Arrow says that something cannot be read, and how that ended.
bool TellsOfMemory(std::string_view message) { return message.find("bad_alloc") != std::string_view::npos; }

// What is wrong with a file that Arrow cannot read, unless it is the machine that is at fault.
Error WhyNotParquet(const TableFile& file, const arrow::Status& status) {
  return status.IsOutOfMemory() || TellsOfMemory(status.message()) ? OutOfMemory() : NotParquet(file);
}

Result<std::unique_ptr<parquet::arrow::FileReader>> OpenParquet(const TableFile& file,
                                                                const parquet::ArrowReaderProperties& properties) {
  if (!file.text.names.empty() || file.text.skip_lines > 0)
    return CannotRead(
        file, "is a Parquet file, which names its columns itself and has no lines; remove names and skip_lines");
  parquet::arrow::FileReaderBuilder builder;
  parquet::ReaderProperties pages = parquet::default_reader_properties();
  pages.set_page_checksum_verification(true);  // where the writer has left checksums
  if (const arrow::Status opened = builder.OpenFile(file.path.string(), false, pages); !opened.ok())
    return WhyNotParquet(file, opened);
  std::unique_ptr<parquet::arrow::FileReader> reader;
  if (const arrow::Status built = builder.properties(properties)->Build(&reader); !built.ok())
    return WhyNotParquet(file, built);
  return reader;
}

Result<TableSource> OpenParquetColumns(const TableFile& file, const std::vector<std::string>& columns,
                                       const std::vector<std::string>& as_dictionary) {
  parquet::ArrowReaderProperties properties = parquet::default_arrow_reader_properties();
  properties.set_use_threads(ReadsWithThreads());
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

// The first bytes, of a regular file.
Result<std::string> ReadBeginning(const TableFile& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file.path, error);
  if (status.type() == std::filesystem::file_type::not_found) return CannotRead(file, "there is no such file");
  if (std::filesystem::is_directory(status)) return CannotRead(file, "is a folder; name the files in it");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    return CannotRead(file, "is a pipe, a device or a socket; a table is read more than once, so save it as a file");
  std::ifstream input(file.path, std::ios::binary);
  if (!input) return CannotRead(file, fmt::format("cannot be opened for reading ({})", std::strerror(errno)));
  std::string beginning(4, '\0');
  input.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  beginning.resize(static_cast<std::size_t>(input.gcount()));
  if (beginning.empty()) return CannotRead(file, "is empty; a table has at least a header");
  return beginning;
}

bool IsParquet(std::string_view beginning) { return beginning == "PAR1"; }

// Makes all threads of a pool, which then wait for work. With atomics: std::condition_variable::wait is newer than what
// packages ask for.
Status StartWorkers(arrow::internal::Executor& pool, int count) {
  struct Meeting {
    std::atomic<int> came = 0;
    std::atomic<bool> is_over = false;
  };
  const auto meeting = std::make_shared<Meeting>();
  const auto attend = [meeting] {
    ++meeting->came;
    meeting->came.notify_all();
    meeting->is_over.wait(false);
  };
  int begun = 0;
  try {
    while (begun < count && pool.Spawn(attend).ok()) ++begun;
  } catch (const std::system_error&) {
    // What the threads say who cannot be.
  }
  if (begun == count) {
    for (int there = meeting->came; there < count; there = meeting->came) meeting->came.wait(there);
  }
  meeting->is_over = true;
  meeting->is_over.notify_all();
  return begun == count ? Status() : Status(OutOfThreads());
}

// Arrow makes threads when it has work for them, and where it cannot have one it calls the file unreadable, waits for
// ever or falls over. So it has all of them before there is work.
Status StartArrowThreads() {
  static const Status reads =
      StartWorkers(*arrow::io::default_io_context().executor(), arrow::io::GetIOThreadPoolCapacity());
  if (!reads.ok() || !ReadsWithThreads()) return reads;
  static const Status computes = StartWorkers(*arrow::internal::GetCpuThreadPool(), arrow::GetCpuThreadPoolCapacity());
  return computes;
}

}  // namespace

Result<FileHead> with_arrow::ReadFileHead(const TableFile& file) {
  PENTIMENTO_RETURN_IF_ERROR(StartArrowThreads());
  PENTIMENTO_ASSIGN(const std::string beginning, ReadBeginning(file));
  if (!IsParquet(beginning)) {
    PENTIMENTO_ASSIGN(CsvHead head, ReadCsvHead(file, beginning));
    return FileHead{FileFormat::kCsv, std::move(head.columns), head.form.InWords()};
  }
  PENTIMENTO_ASSIGN(const auto reader, OpenParquet(file, parquet::default_arrow_reader_properties()));
  std::shared_ptr<arrow::Schema> schema;
  if (const arrow::Status known = reader->GetSchema(&schema); !known.ok()) return WhyNotParquet(file, known);
  PENTIMENTO_RETURN_IF_ERROR(RequireUtf8Names(file, schema->field_names()));
  FileHead head{FileFormat::kParquet, schema->field_names(), ""};
  for (const auto& field : schema->fields())
    if (field->type()->num_fields() > 0) head.nested.push_back(field->name());
  return head;
}

void with_arrow::SetArrowThreads(std::size_t threads) {
  const std::size_t count = threads > 0 ? threads : std::max<std::size_t>(1, std::thread::hardware_concurrency());
  (void)arrow::SetCpuThreadPoolCapacity(static_cast<int>(count));
  // Only the reader of a CSV file uses one beside those that compute.
  (void)arrow::io::SetIOThreadPoolCapacity(1);
}

Result<TableSource> with_arrow::OpenTableFile(const TableFile& file, const std::vector<std::string>& columns,
                                              const std::vector<std::string>& as_dictionary) {
  PENTIMENTO_RETURN_IF_ERROR(StartArrowThreads());
  PENTIMENTO_ASSIGN(const std::string beginning, ReadBeginning(file));
  if (!IsParquet(beginning)) return OpenCsv(file, beginning, columns);
  return OpenParquetColumns(file, columns, as_dictionary);
}

}  // namespace pentimento
