#include "files/arrow/parquet_writer.h"

#include <arrow/type.h>
#include <parquet/arrow/schema.h>
#include <parquet/exception.h>
#include <parquet/file_writer.h>

#include <algorithm>
#include <deque>
#include <string_view>
#include <utility>

#include "base/parallel.h"
#include "files/arrow/batch_wave.h"
#include "files/arrow/parquet_column.h"

namespace pentimento {
namespace {

constexpr std::int64_t kRowsPerRowGroup = 512 * 1024;
// Batches that are appended at a time: columns that the library writes are encoded then, so that what waits in memory
// is little.
constexpr std::size_t kParquetWave = 4;
constexpr std::string_view kMagic = "PAR1";

class ParquetFile {
 public:
  ParquetFile(const arrow::Schema& schema, ParquetSetting setting) : schema_(schema), setting_(std::move(setting)) {
    PARQUET_THROW_NOT_OK(
        parquet::arrow::ToParquetSchema(&schema, *setting_.properties, *setting_.arrow_properties, &parquet_schema_));
    metadata_ = parquet::FileMetaDataBuilder::Make(parquet_schema_.get(), setting_.properties);
    PARQUET_THROW_NOT_OK(setting_.file->Write(kMagic));
  }

  // Row groups have one length, whatever that of the batches: where a batch ends is nobody's business.
  void Append(const Batches& wave) {
    Batches pieces;
    for (std::shared_ptr<arrow::RecordBatch> batch : wave) {
      if (batch->num_rows() == 0) continue;
      rows_ += static_cast<std::uint64_t>(batch->num_rows());
      while (batch->num_rows() > room_) {
        pieces.push_back(batch->Slice(0, room_));
        batch = batch->Slice(std::exchange(room_, 0));
        AppendToGroup(pieces);
        CloseGroup();
        pieces.clear();
      }
      room_ -= batch->num_rows();
      pieces.push_back(std::move(batch));
    }
    if (!pieces.empty()) AppendToGroup(pieces);
  }

  std::uint64_t Close() {
    CloseGroup();
    parquet::WriteFileMetaData(*metadata_->Finish(), setting_.file.get());
    return rows_;
  }

 private:
  void AppendToGroup(const Batches& pieces) {
    if (columns_.empty()) OpenGroup();
    ParallelFor(columns_.size(), 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t column = first; column < last; ++column) {
        for (const auto& piece : pieces) columns_[column].Append(piece->column(static_cast<int>(column)));
      }
    });
  }

  void OpenGroup() {
    group_ = metadata_->AppendRowGroup();
    for (const auto& field : schema_.fields())
      columns_.emplace_back(setting_, group_->NextColumnChunk(), *field->type());
  }

  void CloseGroup() {
    if (columns_.empty()) return;
    ParallelFor(columns_.size(), 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t column = first; column < last; ++column) columns_[column].Encode();
    });
    std::int64_t bytes = 0;
    for (ParquetColumn& column : columns_) bytes += column.Close();
    columns_.clear();
    group_->set_num_rows(kRowsPerRowGroup - std::exchange(room_, kRowsPerRowGroup));
    group_->Finish(bytes, ordinal_++);
  }

  const arrow::Schema& schema_;
  ParquetSetting setting_;
  std::shared_ptr<parquet::SchemaDescriptor> parquet_schema_;
  std::unique_ptr<parquet::FileMetaDataBuilder> metadata_;
  parquet::RowGroupMetaDataBuilder* group_ = nullptr;
  std::deque<ParquetColumn> columns_;  // of the row group that is being filled
  std::int64_t room_ = kRowsPerRowGroup;
  std::int16_t ordinal_ = 0;
  std::uint64_t rows_ = 0;
};

}  // namespace

arrow::Result<std::uint64_t> WriteParquet(arrow::RecordBatchReader& batches,
                                          std::shared_ptr<arrow::io::OutputStream> file,
                                          const std::vector<std::string>& dense_numbers) {
  parquet::WriterProperties::Builder properties;
  properties.compression(parquet::Compression::SNAPPY);
  // Packed to the bit, they have nothing left that a compressor could find.
  for (const std::string& column : dense_numbers) properties.compression(column, parquet::Compression::UNCOMPRESSED);
  BEGIN_PARQUET_CATCH_EXCEPTIONS
  ParquetFile parquet(*batches.schema(),
                      {std::move(file), properties.build(), parquet::default_arrow_writer_properties(), dense_numbers});
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const Batches wave, ReadWave(batches, kParquetWave));
    if (wave.empty()) return parquet.Close();
    parquet.Append(wave);
  }
  END_PARQUET_CATCH_EXCEPTIONS
}

}  // namespace pentimento
