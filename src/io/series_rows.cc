#include "io/series_rows.h"

#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/c/bridge.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <fmt/core.h>
#include <parquet/arrow/reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include <algorithm>
#include <memory>

#include "io/file_writer.h"

namespace pentimento {
namespace {

constexpr std::int64_t kBatchRows = 32 * 1024;

// The parts one after the other, a batch cut where rows are dropped.
class RowsToKeep : public arrow::RecordBatchReader {
 public:
  RowsToKeep(const TableParts& parts, std::vector<std::string> columns, std::span<const std::uint32_t> dropped)
      : parts_(parts), columns_(std::move(columns)), dropped_(dropped) {}

  arrow::Status Start() {
    ARROW_RETURN_NOT_OK(OpenNextPart());
    std::vector<std::shared_ptr<arrow::Field>> fields;
    for (const std::string& column : columns_) fields.push_back(reader_->schema()->GetFieldByName(column));
    schema_ = arrow::schema(std::move(fields));
    return arrow::Status::OK();
  }

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }
  const std::optional<Error>& failure() const { return failure_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* out) override {
    *out = nullptr;
    while (true) {
      if (rest_ == nullptr || rest_->num_rows() == 0) {
        ARROW_RETURN_NOT_OK(NextBatch());
        if (rest_ == nullptr) return arrow::Status::OK();
      }
      while (!dropped_.empty() && rest_->num_rows() > 0 && dropped_.front() == row_)
        Take(1), dropped_ = dropped_.subspan(1);
      const std::int64_t until =
          dropped_.empty()
              ? rest_->num_rows()
              : std::min<std::int64_t>(rest_->num_rows(), static_cast<std::int64_t>(dropped_.front() - row_));
      if (until == 0) continue;
      *out = Take(until);
      return arrow::Status::OK();
    }
  }

 private:
  std::shared_ptr<arrow::RecordBatch> Take(std::int64_t rows) {
    std::shared_ptr<arrow::RecordBatch> taken = rest_->Slice(0, rows);
    rest_ = rest_->Slice(rows);
    row_ += static_cast<std::uint64_t>(rows);
    return taken;
  }

  arrow::Status OpenNextPart() {
    reader_.reset();
    source_.reset();
    Result<TableSource> source = parts_.open(next_part_++);
    if (!source.ok()) {
      failure_ = source.error();
      return arrow::Status::Invalid("part");
    }
    source_.emplace(std::move(source).value());
    ARROW_ASSIGN_OR_RAISE(reader_, arrow::ImportRecordBatchReader(source_->stream()));
    return arrow::Status::OK();
  }

  arrow::Status NextBatch() {
    rest_ = nullptr;
    while (rest_ == nullptr) {
      std::shared_ptr<arrow::RecordBatch> batch;
      ARROW_RETURN_NOT_OK(reader_->ReadNext(&batch));
      if (batch == nullptr) {
        if (next_part_ == parts_.count) return arrow::Status::OK();
        ARROW_RETURN_NOT_OK(OpenNextPart());
        continue;
      }
      std::vector<std::shared_ptr<arrow::Array>> arrays;
      for (const std::string& column : columns_) arrays.push_back(batch->GetColumnByName(column));
      rest_ = arrow::RecordBatch::Make(schema_, batch->num_rows(), std::move(arrays));
    }
    return arrow::Status::OK();
  }

  const TableParts& parts_;
  std::vector<std::string> columns_;
  std::span<const std::uint32_t> dropped_;
  std::size_t next_part_ = 0;
  std::optional<TableSource> source_;
  std::shared_ptr<arrow::RecordBatchReader> reader_;
  std::shared_ptr<arrow::Schema> schema_;
  std::shared_ptr<arrow::RecordBatch> rest_;
  std::uint64_t row_ = 0;  // the first row of rest_, numbered through all parts
  std::optional<Error> failure_;
};

Error Damaged(const std::string& name) {
  return {ErrorCode::kCorruptLedger,
          fmt::format("{}: the rows of an earlier release cannot be read; restore the ledger from a copy", name)};
}

Result<std::unique_ptr<parquet::arrow::FileReader>> OpenParquet(std::span<const std::byte> bytes,
                                                                const parquet::ArrowReaderProperties& properties,
                                                                const std::string& name) {
  auto buffer = std::make_shared<arrow::Buffer>(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                                static_cast<std::int64_t>(bytes.size()));
  parquet::arrow::FileReaderBuilder builder;
  if (!builder.Open(std::make_shared<arrow::io::BufferReader>(std::move(buffer))).ok()) return Damaged(name);
  std::unique_ptr<parquet::arrow::FileReader> reader;
  if (!builder.properties(properties)->Build(&reader).ok()) return Damaged(name);
  return reader;
}

Result<TableSource> Export(std::shared_ptr<arrow::RecordBatchReader> reader, const std::string& name) {
  ArrowArrayStream stream{};
  if (!arrow::ExportRecordBatchReader(std::move(reader), &stream).ok())
    return Error{ErrorCode::kInternal, "Arrow cannot export a stream"};
  return TableSource(name, stream, [name](std::string_view) { return Damaged(name); });
}

}  // namespace

Status WriteSeriesRows(const TableParts& parts, const std::vector<std::string>& columns,
                       std::span<const std::uint32_t> dropped, const std::filesystem::path& file) {
  auto rows = std::make_shared<RowsToKeep>(parts, columns, dropped);
  if (!rows->Start().ok())
    return rows->failure().value_or(Error{ErrorCode::kBadInput, "the input cannot be read a second time"});
  ArrowArrayStream stream{};
  if (!arrow::ExportRecordBatchReader(rows, &stream).ok())
    return Error{ErrorCode::kInternal, "Arrow cannot export a stream"};
  const Result<WrittenFile> written = WriteFile(&stream, FileFormat::kParquet, file);
  if (rows->failure()) return *rows->failure();
  if (!written.ok()) return written.error();
  return {};
}

Result<TableSource> OpenSeriesRows(std::span<const std::byte> parquet, const std::vector<std::string>& columns,
                                   const std::vector<std::string>& as_dictionary, const std::string& name) {
  parquet::ArrowReaderProperties properties = parquet::default_arrow_reader_properties();
  properties.set_batch_size(kBatchRows);
  properties.set_pre_buffer(false);
  PENTIMENTO_ASSIGN(const auto probe, OpenParquet(parquet, properties, name));
  std::shared_ptr<arrow::Schema> schema;
  if (!probe->GetSchema(&schema).ok()) return Damaged(name);
  std::vector<int> wanted;
  // No column here is nested, so fields and leaves are numbered alike.
  for (const std::string& column : columns) {
    const int leaf = schema->GetFieldIndex(column);
    if (leaf < 0) return Damaged(name);
    wanted.push_back(leaf);
    const bool text = schema->field(leaf)->type()->id() == arrow::Type::STRING;
    if (text && std::find(as_dictionary.begin(), as_dictionary.end(), column) != as_dictionary.end())
      properties.set_read_dictionary(leaf, true);
  }
  PENTIMENTO_ASSIGN(auto file_reader, OpenParquet(parquet, properties, name));
  std::vector<int> groups(static_cast<std::size_t>(file_reader->num_row_groups()));
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i] = static_cast<int>(i);
  auto batches = file_reader->GetRecordBatchReader(groups, wanted);
  if (!batches.ok()) return Damaged(name);
  // The batch reader borrows the file reader: keep both.
  std::shared_ptr<parquet::arrow::FileReader> owner = std::move(file_reader);
  std::shared_ptr<arrow::RecordBatchReader> reader(batches->release(),
                                                   [owner](arrow::RecordBatchReader* borrowed) { delete borrowed; });
  return Export(std::move(reader), name);
}

Result<std::uint64_t> CountSeriesRows(std::span<const std::byte> parquet, const std::string& name) {
  PENTIMENTO_ASSIGN(const auto reader, OpenParquet(parquet, parquet::default_arrow_reader_properties(), name));
  return static_cast<std::uint64_t>(reader->parquet_reader()->metadata()->num_rows());
}

Result<TableSource> OpenEmptyRows(std::span<const std::byte> like, const std::vector<std::string>& columns,
                                  std::uint64_t rows, const std::string& name) {
  PENTIMENTO_ASSIGN(const auto probe, OpenParquet(like, parquet::default_arrow_reader_properties(), name));
  std::shared_ptr<arrow::Schema> all;
  if (!probe->GetSchema(&all).ok()) return Damaged(name);
  std::vector<std::shared_ptr<arrow::Field>> fields;
  for (const std::string& column : columns) fields.push_back(all->GetFieldByName(column));
  const auto schema = arrow::schema(std::move(fields));
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  for (std::uint64_t done = 0; done < rows;) {
    const auto count = static_cast<std::int64_t>(std::min<std::uint64_t>(rows - done, kBatchRows));
    std::vector<std::shared_ptr<arrow::Array>> arrays;
    for (const auto& field : schema->fields()) {
      auto nulls = arrow::MakeArrayOfNull(field->type(), count);
      if (!nulls.ok()) return Error{ErrorCode::kInternal, "Arrow cannot make empty cells"};
      arrays.push_back(*nulls);
    }
    batches.push_back(arrow::RecordBatch::Make(schema, count, std::move(arrays)));
    done += static_cast<std::uint64_t>(count);
  }
  auto reader = arrow::RecordBatchReader::Make(std::move(batches), schema);
  if (!reader.ok()) return Error{ErrorCode::kInternal, "Arrow cannot make empty rows"};
  return Export(*reader, name);
}

}  // namespace pentimento
