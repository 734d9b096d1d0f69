#include "files/incremental_rows.h"

#include <arrow/array/array_base.h>
#include <arrow/array/concatenate.h>
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
#include <numeric>

#include "files/arrow/functions.h"
#include "files/table_file.h"
#include "io/release_stream.h"

namespace pentimento {
namespace {

constexpr std::int64_t kBatchRows = 32 * 1024;

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

Result<std::shared_ptr<arrow::Schema>> SchemaOf(std::span<const std::byte> bytes, const std::string& name) {
  PENTIMENTO_ASSIGN(const auto reader, OpenParquet(bytes, parquet::default_arrow_reader_properties(), name));
  std::shared_ptr<arrow::Schema> schema;
  if (!reader->GetSchema(&schema).ok()) return Damaged(name);
  return schema;
}

// The columns of `schema`: from the batches of a reader where it has them, else empty.
class WithEmptyColumns : public arrow::RecordBatchReader {
 public:
  WithEmptyColumns(std::shared_ptr<arrow::RecordBatchReader> from, std::shared_ptr<arrow::Schema> schema)
      : from_(std::move(from)), schema_(std::move(schema)) {}

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    std::shared_ptr<arrow::RecordBatch> some;
    ARROW_RETURN_NOT_OK(from_->ReadNext(&some));
    batch->reset();
    if (!some) return arrow::Status::OK();
    std::vector<std::shared_ptr<arrow::Array>> arrays;
    for (const auto& field : schema_->fields()) {
      std::shared_ptr<arrow::Array> array = some->GetColumnByName(field->name());
      if (!array) {
        ARROW_ASSIGN_OR_RAISE(array, arrow::MakeArrayOfNull(field->type(), some->num_rows()));
      }
      arrays.push_back(std::move(array));
    }
    *batch = arrow::RecordBatch::Make(schema_, some->num_rows(), std::move(arrays));
    return arrow::Status::OK();
  }

 private:
  std::shared_ptr<arrow::RecordBatchReader> from_;
  std::shared_ptr<arrow::Schema> schema_;
};

// The rows of a reader, some of them without their cells.
class WithErasedRows : public arrow::RecordBatchReader {
 public:
  WithErasedRows(std::shared_ptr<arrow::RecordBatchReader> from, const std::vector<bool>& is_erased)
      : from_(std::move(from)), is_erased_(is_erased) {}

  std::shared_ptr<arrow::Schema> schema() const override { return from_->schema(); }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    std::shared_ptr<arrow::RecordBatch> some;
    ARROW_RETURN_NOT_OK(from_->ReadNext(&some));
    batch->reset();
    if (!some) return arrow::Status::OK();
    std::vector<std::shared_ptr<arrow::Array>> arrays;
    for (const auto& array : some->columns()) {
      ARROW_ASSIGN_OR_RAISE(arrays.emplace_back(), Erased(*array));
    }
    rows_before_ += some->num_rows();
    *batch = arrow::RecordBatch::Make(some->schema(), some->num_rows(), std::move(arrays));
    return arrow::Status::OK();
  }

 private:
  // Runs of rows that stay and of rows that do not, put together again.
  arrow::Result<std::shared_ptr<arrow::Array>> Erased(const arrow::Array& array) const {
    arrow::ArrayVector runs;
    for (std::int64_t row = 0; row < array.length();) {
      std::int64_t past = row;
      while (past < array.length() && IsErased(past) == IsErased(row)) ++past;
      if (IsErased(row)) {
        ARROW_ASSIGN_OR_RAISE(runs.emplace_back(), arrow::MakeArrayOfNull(array.type(), past - row));
      } else {
        runs.push_back(array.Slice(row, past - row));
      }
      row = past;
    }
    if (runs.empty()) return arrow::MakeArrayOfNull(array.type(), 0);
    return arrow::Concatenate(runs);
  }
  bool IsErased(std::int64_t row) const { return is_erased_[static_cast<std::size_t>(rows_before_ + row)]; }

  std::shared_ptr<arrow::RecordBatchReader> from_;
  const std::vector<bool>& is_erased_;
  std::int64_t rows_before_ = 0;
};

// A reader of these leaves, in this order. It keeps the file open.
Result<std::shared_ptr<arrow::RecordBatchReader>> ReadLeaves(std::unique_ptr<parquet::arrow::FileReader> file,
                                                             const std::vector<int>& leaves, const std::string& name) {
  std::vector<int> groups(static_cast<std::size_t>(file->num_row_groups()));
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i] = static_cast<int>(i);
  auto batches = file->GetRecordBatchReader(groups, leaves);
  if (!batches.ok()) return Damaged(name);
  // The batch reader borrows the file reader: keep both.
  std::shared_ptr<parquet::arrow::FileReader> owner = std::move(file);
  return std::shared_ptr<arrow::RecordBatchReader>(batches->release(),
                                                   [owner](arrow::RecordBatchReader* borrowed) { delete borrowed; });
}

}  // namespace

Status with_arrow::WriteIncrementalRows(const EncodedInput& input, const std::filesystem::path& file) {
  auto failure = std::make_shared<std::optional<Error>>();
  ArrowArrayStream stream = MakeCellStream(input, failure);
  const Result<WrittenFile> written = with_arrow::WriteFile(&stream, FileFormat::kParquet, file, {.mode = 0600});
  if (failure->has_value()) return **failure;
  if (!written.ok()) return written.error();
  return {};
}

Result<TableSource> with_arrow::OpenIncrementalRows(std::span<const std::byte> parquet, std::span<const std::byte> like,
                                                    const std::vector<std::string>& columns,
                                                    const std::vector<std::string>& as_dictionary,
                                                    const std::string& name) {
  PENTIMENTO_ASSIGN(const std::shared_ptr<arrow::Schema> here, SchemaOf(parquet, name));
  PENTIMENTO_ASSIGN(const std::shared_ptr<arrow::Schema> latest, SchemaOf(like, name));
  parquet::ArrowReaderProperties properties = parquet::default_arrow_reader_properties();
  properties.set_batch_size(kBatchRows);
  properties.set_pre_buffer(false);
  std::vector<int> leaves;
  // No column here is nested, so fields and leaves are numbered alike.
  for (const std::string& column : columns) {
    if (latest->GetFieldIndex(column) < 0) return Damaged(name);
    const int leaf = here->GetFieldIndex(column);
    if (leaf < 0) continue;
    leaves.push_back(leaf);
    const bool text = here->field(leaf)->type()->id() == arrow::Type::STRING;
    if (text && std::find(as_dictionary.begin(), as_dictionary.end(), column) != as_dictionary.end())
      properties.set_read_dictionary(leaf, true);
  }
  if (leaves.empty()) {
    PENTIMENTO_ASSIGN(const std::uint64_t rows, CountIncrementalRows(parquet, name));
    return OpenEmptyRows(like, columns, rows, name);
  }
  PENTIMENTO_ASSIGN(auto file, OpenParquet(parquet, properties, name));
  PENTIMENTO_ASSIGN(std::shared_ptr<arrow::RecordBatchReader> reader, ReadLeaves(std::move(file), leaves, name));
  if (leaves.size() == columns.size()) return Export(std::move(reader), name);
  std::vector<std::shared_ptr<arrow::Field>> fields;
  for (const std::string& column : columns) {
    std::shared_ptr<arrow::Field> field = reader->schema()->GetFieldByName(column);
    fields.push_back(field ? std::move(field) : latest->GetFieldByName(column));
  }
  return Export(std::make_shared<WithEmptyColumns>(std::move(reader), arrow::schema(std::move(fields))), name);
}

Result<std::uint64_t> with_arrow::CountIncrementalRows(std::span<const std::byte> parquet, const std::string& name) {
  PENTIMENTO_ASSIGN(const auto reader, OpenParquet(parquet, parquet::default_arrow_reader_properties(), name));
  return static_cast<std::uint64_t>(reader->parquet_reader()->metadata()->num_rows());
}

Result<TableSource> with_arrow::OpenEmptyRows(std::span<const std::byte> like, const std::vector<std::string>& columns,
                                              std::uint64_t rows, const std::string& name) {
  PENTIMENTO_ASSIGN(const std::shared_ptr<arrow::Schema> all, SchemaOf(like, name));
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

Status with_arrow::EraseIncrementalRows(std::span<const std::byte> parquet, const std::vector<bool>& is_erased,
                                        const std::filesystem::path& file, const std::string& name) {
  PENTIMENTO_ASSIGN(const std::uint64_t rows, CountIncrementalRows(parquet, name));
  if (rows != is_erased.size()) return Damaged(name);
  PENTIMENTO_ASSIGN(const std::shared_ptr<arrow::Schema> schema, SchemaOf(parquet, name));
  std::vector<int> leaves(static_cast<std::size_t>(schema->num_fields()));
  std::iota(leaves.begin(), leaves.end(), 0);
  parquet::ArrowReaderProperties properties = parquet::default_arrow_reader_properties();
  properties.set_batch_size(kBatchRows);
  PENTIMENTO_ASSIGN(auto opened, OpenParquet(parquet, properties, name));
  PENTIMENTO_ASSIGN(std::shared_ptr<arrow::RecordBatchReader> reader, ReadLeaves(std::move(opened), leaves, name));
  PENTIMENTO_ASSIGN(TableSource source, Export(std::make_shared<WithErasedRows>(std::move(reader), is_erased), name));
  const Result<WrittenFile> written =
      with_arrow::WriteFile(source.stream(), FileFormat::kParquet, file, {.mode = 0600});
  if (!written.ok()) return written.error();
  return {};
}

}  // namespace pentimento
