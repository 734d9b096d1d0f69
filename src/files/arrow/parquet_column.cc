#include "files/arrow/parquet_column.h"

#include <arrow/buffer.h>
#include <arrow/memory_pool.h>
#include <arrow/type.h>
#include <parquet/column_page.h>
#include <parquet/encoding.h>
#include <parquet/exception.h>
#include <parquet/schema.h>
#include <parquet/statistics.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "base/check.h"
#include "files/arrow/parquet_bits.h"

namespace pentimento {
namespace {

constexpr std::size_t kRowsPerPage = 65536;  // whole bytes of validity

bool IsKnownDictionary(const arrow::DataType& type) {
  if (type.id() != arrow::Type::DICTIONARY) return false;
  const auto& dictionary = static_cast<const arrow::DictionaryType&>(type);
  if (dictionary.index_type()->id() != arrow::Type::INT32) return false;
  switch (dictionary.value_type()->id()) {
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
    case arrow::Type::INT64:
    case arrow::Type::DOUBLE:
      return true;
    default:
      return false;
  }
}

const arrow::Array& DictionaryOf(const arrow::Array& cells) {
  return *static_cast<const arrow::DictionaryArray&>(cells).dictionary();
}

// Batches of one stream lend each other the same bytes; whether others would hold the same texts is not looked at.
bool AreSame(const arrow::Array& one, const arrow::Array& other) {
  if (one.length() != other.length() || one.offset() != other.offset()) return false;
  return std::ranges::equal(
      one.data()->buffers, other.data()->buffers, {},
      [](const auto& buffer) { return buffer ? buffer->data() : nullptr; },
      [](const auto& buffer) { return buffer ? buffer->data() : nullptr; });
}

bool ShareOneDictionary(const std::vector<std::shared_ptr<arrow::Array>>& arrays) {
  if (arrays.empty() || DictionaryOf(*arrays[0]).null_count() != 0) return false;
  return std::ranges::all_of(
      arrays, [&](const auto& cells) { return AreSame(DictionaryOf(*arrays[0]), DictionaryOf(*cells)); });
}

// The cells of a column, one array after the other.
template <typename Value>
struct FlatCells {
  std::vector<Value> values;        // without nulls
  std::vector<std::uint8_t> valid;  // a bit per row; empty where there is no null
  std::size_t rows = 0;

  std::size_t nulls() const { return rows - values.size(); }
};

template <typename Value, typename ValuesOf>
FlatCells<Value> Flatten(const std::vector<std::shared_ptr<arrow::Array>>& arrays, const ValuesOf& values_of) {
  FlatCells<Value> flat;
  bool has_nulls = false;
  for (const auto& cells : arrays) {
    flat.rows += static_cast<std::size_t>(cells->length());
    has_nulls |= cells->null_count() != 0;
  }
  flat.values.reserve(flat.rows);
  if (has_nulls) flat.valid.assign((flat.rows + 7) / 8, 0);
  std::size_t row = 0;
  for (const auto& cells : arrays) {
    const auto* values = values_of(*cells);
    if (!has_nulls) {
      flat.values.insert(flat.values.end(), values, values + cells->length());
      continue;
    }
    for (std::int64_t i = 0; i < cells->length(); ++i, ++row) {
      if (cells->IsNull(i)) continue;
      flat.values.push_back(static_cast<Value>(values[i]));
      flat.valid[row / 8] = static_cast<std::uint8_t>(flat.valid[row / 8] | 1U << row % 8);
    }
  }
  return flat;
}

// Calls write(rows, valid bits, values) for each page.
template <typename Value, typename Write>
void ForEachPage(const FlatCells<Value>& cells, const Write& write) {
  std::span<const Value> left = cells.values;
  for (std::size_t begin = 0; begin < cells.rows; begin += kRowsPerPage) {
    const std::size_t rows = std::min(kRowsPerPage, cells.rows - begin);
    std::span<const std::uint8_t> valid;
    std::size_t count = rows;
    if (!cells.valid.empty()) {
      valid = std::span(cells.valid).subspan(begin / 8, (rows + 7) / 8);
      count = 0;
      for (const std::uint8_t bits : valid) count += static_cast<std::size_t>(std::popcount(bits));
    }
    write(rows, valid, left.first(count));
    left = left.subspan(count);
  }
}

std::vector<parquet::ByteArray> EntriesOf(const arrow::BinaryArray& dictionary,
                                          const std::vector<std::uint32_t>& used) {
  std::vector<parquet::ByteArray> entries;
  for (const std::uint32_t entry : used) entries.emplace_back(dictionary.GetView(entry));
  return entries;
}
template <typename Type>
std::vector<typename Type::c_type> EntriesOf(const arrow::NumericArray<Type>& dictionary,
                                             const std::vector<std::uint32_t>& used) {
  std::vector<typename Type::c_type> entries;
  for (const std::uint32_t entry : used) entries.push_back(dictionary.Value(entry));
  return entries;
}

// Which entries of the dictionary occur; the indices are numbered anew by those.
std::vector<std::uint32_t> RenumberUsed(std::size_t entries, std::vector<std::uint32_t>& indices) {
  std::vector<std::uint8_t> occurs(entries, 0);
  for (const std::uint32_t index : indices) occurs[index] = 1;
  std::vector<std::uint32_t> used, number(entries);
  for (std::uint32_t entry = 0; entry < entries; ++entry) {
    number[entry] = static_cast<std::uint32_t>(used.size());
    if (occurs[entry] != 0) used.push_back(entry);
  }
  if (used.size() == entries) return used;
  for (std::uint32_t& index : indices) index = number[index];
  return used;
}

template <typename ParquetType>
struct ArrayOf;
template <>
struct ArrayOf<parquet::ByteArrayType> {
  using type = arrow::BinaryArray;
};
template <>
struct ArrayOf<parquet::Int64Type> {
  using type = arrow::Int64Array;
};
template <>
struct ArrayOf<parquet::DoubleType> {
  using type = arrow::DoubleArray;
};

}  // namespace

ParquetColumn::ParquetColumn(const ParquetSetting& setting, parquet::ColumnChunkMetaDataBuilder* metadata,
                             const arrow::DataType& type)
    : setting_(setting), metadata_(metadata) {
  const auto path = metadata->descr()->path();
  pages_ = parquet::PageWriter::Open(setting.file, setting.properties->compression(path), metadata, -1, -1,
                                     arrow::default_memory_pool(), /*buffered_row_group=*/true);
  is_dictionary_ = IsKnownDictionary(type);
  is_dense_ =
      type.id() == arrow::Type::INT64 && std::ranges::count(setting.dense_numbers, metadata->descr()->name()) != 0;
}

void ParquetColumn::Append(const std::shared_ptr<arrow::Array>& cells) {
  if (is_dictionary_ || is_dense_) {
    appended_.push_back(cells);
  } else {
    PassToLibrary(*cells);
  }
}

void ParquetColumn::PassToLibrary(const arrow::Array& cells) {
  if (!library_) library_ = parquet::ColumnWriter::Make(metadata_, std::move(pages_), setting_.properties.get());
  std::vector<std::int16_t> levels(static_cast<std::size_t>(cells.length()), 1);
  for (std::int64_t i = 0; cells.null_count() != 0 && i < cells.length(); ++i) {
    if (cells.IsNull(i)) levels[static_cast<std::size_t>(i)] = 0;
  }
  parquet::ArrowWriteContext context(arrow::default_memory_pool(), setting_.arrow_properties.get());
  PARQUET_THROW_NOT_OK(library_->WriteArrow(levels.data(), nullptr, cells.length(), cells, &context, true));
}

void ParquetColumn::Encode() {
  if (is_dense_) {
    EncodeDifferences();
  } else if (is_dictionary_ && ShareOneDictionary(appended_)) {
    switch (metadata_->descr()->physical_type()) {
      case parquet::Type::INT64:
        return EncodeIndices<parquet::Int64Type>();
      case parquet::Type::DOUBLE:
        return EncodeIndices<parquet::DoubleType>();
      default:
        return EncodeIndices<parquet::ByteArrayType>();
    }
  } else {
    for (const auto& cells : appended_) PassToLibrary(*cells);
  }
  appended_.clear();
}

template <typename Type>
void ParquetColumn::EncodeIndices() {
  const auto dictionary = static_cast<const arrow::DictionaryArray&>(*appended_[0]).dictionary();
  FlatCells<std::uint32_t> cells = Flatten<std::uint32_t>(appended_, [](const arrow::Array& array) {
    const auto& indices = static_cast<const arrow::DictionaryArray&>(array).indices();
    return static_cast<const arrow::Int32Array&>(*indices).raw_values();
  });
  appended_.clear();
  const std::vector<std::uint32_t> used = RenumberUsed(static_cast<std::size_t>(dictionary->length()), cells.values);
  const auto entries = EntriesOf(static_cast<const typename ArrayOf<Type>::type&>(*dictionary), used);
  const auto count = static_cast<int>(entries.size());

  const auto encoder = parquet::MakeTypedEncoder<Type>(parquet::Encoding::PLAIN, false, metadata_->descr());
  encoder->Put(entries.data(), count);
  written_ += pages_->WriteDictionaryPage(
      parquet::DictionaryPage(encoder->FlushValues(), count, setting_.properties->dictionary_page_encoding()));

  const unsigned width = IndexWidth(entries.size());
  ForEachPage(cells, [&](std::size_t rows, std::span<const std::uint8_t> valid, std::span<const std::uint32_t> values) {
    PageBytes page;
    AppendLevels(rows, valid, page);
    AppendIndices(values, width, page);
    WritePage(page, rows, setting_.properties->dictionary_index_encoding());
  });
  const auto statistics = parquet::MakeStatistics<Type>(metadata_->descr());
  statistics->Update(entries.data(), count, static_cast<std::int64_t>(cells.nulls()));
  SetStatistics(statistics->Encode());
}

void ParquetColumn::EncodeDifferences() {
  const FlatCells<std::int64_t> cells = Flatten<std::int64_t>(
      appended_, [](const arrow::Array& array) { return static_cast<const arrow::Int64Array&>(array).raw_values(); });
  const auto encoder =
      parquet::MakeTypedEncoder<parquet::Int64Type>(parquet::Encoding::DELTA_BINARY_PACKED, false, metadata_->descr());
  ForEachPage(cells, [&](std::size_t rows, std::span<const std::uint8_t> valid, std::span<const std::int64_t> values) {
    PageBytes page;
    AppendLevels(rows, valid, page);
    encoder->Put(values.data(), static_cast<int>(values.size()));
    const std::shared_ptr<arrow::Buffer> packed = encoder->FlushValues();
    page.insert(page.end(), packed->data(), packed->data() + packed->size());
    WritePage(page, rows, parquet::Encoding::DELTA_BINARY_PACKED);
  });
  const auto statistics = parquet::MakeStatistics<parquet::Int64Type>(metadata_->descr());
  statistics->Update(cells.values.data(), static_cast<std::int64_t>(cells.values.size()),
                     static_cast<std::int64_t>(cells.nulls()));
  SetStatistics(statistics->Encode());
}

void ParquetColumn::WritePage(const std::vector<std::uint8_t>& bytes, std::size_t rows,
                              parquet::Encoding::type encoding) {
  const auto size = static_cast<std::int64_t>(bytes.size());
  auto page = std::make_shared<arrow::Buffer>(bytes.data(), size);
  if (pages_->has_compressor()) {
    PARQUET_ASSIGN_OR_THROW(std::shared_ptr<arrow::ResizableBuffer> compressed, arrow::AllocateResizableBuffer(0));
    pages_->Compress(*page, compressed.get());
    page = std::move(compressed);
  }
  written_ += pages_->WriteDataPage(parquet::DataPageV1(page, static_cast<std::int32_t>(rows), encoding,
                                                        parquet::Encoding::RLE, parquet::Encoding::RLE, size));
}

void ParquetColumn::SetStatistics(parquet::EncodedStatistics statistics) {
  statistics.ApplyStatSizeLimits(setting_.properties->max_statistics_size(metadata_->descr()->path()));
  statistics.set_is_signed(parquet::SortOrder::SIGNED == metadata_->descr()->sort_order());
  metadata_->SetStatistics(statistics);
}

std::int64_t ParquetColumn::Close() {
  if (library_) return library_->Close();
  pages_->Close(is_dictionary_, /*fallback=*/false);
  return written_;
}

}  // namespace pentimento
