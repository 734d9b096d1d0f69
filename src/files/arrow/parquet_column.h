// One column of one row group on its way into a Parquet file. How its cells are written follows from what they are:
//
// - Indices into one dictionary are written as indices into one dictionary: nothing is hashed. The page of the
// dictionary
//   holds what occurs in the row group, in the order of the dictionary that was given.
// - Whole numbers that hardly repeat, in columns that the caller names, are packed as differences.
// - Everything else is left to the column writer of Parquet's library.
#pragma once

#include <arrow/array.h>
#include <parquet/column_writer.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pentimento {

// What all columns of a file have in common.
struct ParquetSetting {
  std::shared_ptr<parquet::ArrowOutputStream> file;
  std::shared_ptr<parquet::WriterProperties> properties;
  std::shared_ptr<parquet::ArrowWriterProperties> arrow_properties;
  std::vector<std::string> dense_numbers;  // columns of 64-bit numbers that are packed as differences
};

// Different columns may be used side by side, except for Close(). All steps throw parquet::ParquetException.
class ParquetColumn {
 public:
  // `setting` must outlive it.
  ParquetColumn(const ParquetSetting& setting, parquet::ColumnChunkMetaDataBuilder* metadata,
                const arrow::DataType& type);

  void Append(const std::shared_ptr<arrow::Array>& cells);
  // After all cells were appended.
  void Encode();
  // Writes the column into the file, one column after the other. Returns the bytes before compression.
  std::int64_t Close();

 private:
  void PassToLibrary(const arrow::Array& cells);
  template <typename Type>
  void EncodeIndices();
  void EncodeDifferences();
  void WritePage(const std::vector<std::uint8_t>& bytes, std::size_t rows, parquet::Encoding::type encoding);
  void SetStatistics(parquet::EncodedStatistics statistics);

  const ParquetSetting& setting_;
  parquet::ColumnChunkMetaDataBuilder* metadata_;
  std::unique_ptr<parquet::PageWriter> pages_;           // the library's writer takes it over where it is needed
  std::shared_ptr<parquet::ColumnWriter> library_;       // nothing while we write
  std::vector<std::shared_ptr<arrow::Array>> appended_;  // what the library did not get
  bool is_dictionary_ = false;
  bool is_dense_ = false;
  std::int64_t written_ = 0;
};

}  // namespace pentimento
