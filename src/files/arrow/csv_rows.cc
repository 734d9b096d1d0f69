#include "files/arrow/csv_rows.h"

#include <arrow/array.h>
#include <arrow/c/bridge.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "files/arrow/functions.h"
#include "files/table_file.h"
#include "io/array_builder.h"
#include "taxonomy/label.h"

namespace pentimento {
namespace {

bool NeedsQuotes(std::string_view text) {
  if (text.empty()) return true;  // an empty cell without quotes is a null
  bool special = false;
  for (const char c : text) special |= c == '"' || c == ',' || c == '\n' || c == '\r';
  return special;
}

// Room that one text can take, quotes included.
std::size_t LargestCell(std::size_t length) { return 2 * length + 2; }

char* Copy(std::string_view text, char* out) {
  if (!text.empty()) std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

char* WriteText(std::string_view text, char* out) {
  if (!NeedsQuotes(text)) return Copy(text, out);
  *out++ = '"';
  for (const char c : text) {
    if (c == '"') *out++ = '"';
    *out++ = c;
  }
  *out++ = '"';
  return out;
}

std::string Cell(std::string_view text) {
  std::string cell(LargestCell(text.size()), '\0');
  cell.resize(static_cast<std::size_t>(WriteText(text, cell.data()) - cell.data()));
  return cell;
}

// One column of a batch, ready to print its cells. Texts are printed from where they lie; the entries of a dictionary,
// and cells of other types, are turned into finished cells beforehand.
class CsvColumn {
 public:
  explicit CsvColumn(const arrow::Array& array) : array_(array) {
    if (array.type_id() == arrow::Type::INT64) {
      numbers_ = static_cast<const arrow::Int64Array&>(array).raw_values();
    } else if (array.type_id() == arrow::Type::STRING || array.type_id() == arrow::Type::BINARY) {
      text_ = static_cast<const arrow::BinaryArray*>(&array);
    } else if (array.type_id() == arrow::Type::DICTIONARY) {
      const auto& dictionary = static_cast<const arrow::DictionaryArray&>(array);
      indices_ = static_cast<const arrow::Int32Array&>(*dictionary.indices()).raw_values();
      AddEntries(*dictionary.dictionary());
    } else {
      AddPrinted(array);
    }
    bytes_.resize(bytes_.size() + kPadding);
  }

  // Room that the whole column can take, a separator after each cell included.
  std::size_t LargestSize() const {
    const auto rows = static_cast<std::size_t>(array_.length());
    if (numbers_ != nullptr) return (kLongestNumber + 1) * rows;
    std::size_t size = 3 * rows;
    for (std::int64_t row = 0; row < array_.length(); ++row) {
      const std::size_t at = static_cast<std::size_t>(indices_ != nullptr ? indices_[row] : row);
      size += text_ == nullptr ? begin_[at + 1] - begin_[at]
                               : LargestCell(text_->GetView(static_cast<std::int64_t>(at)).size());
    }
    return size;
  }

  char* Write(std::int64_t row, char* out) const {
    if (array_.null_count() != 0 && array_.IsNull(row)) return out;
    if (numbers_ != nullptr) return std::to_chars(out, out + kLongestNumber, numbers_[row]).ptr;
    const std::size_t cell = static_cast<std::size_t>(indices_ != nullptr ? indices_[row] : row);
    if (text_ != nullptr) return WriteText(text_->GetView(static_cast<std::int64_t>(cell)), out);
    const std::size_t begin = begin_[cell], length = begin_[cell + 1] - begin;
    // Most labels are short: a copy of fixed size needs no call. Both sides have room for it.
    std::memcpy(out, bytes_.data() + begin, kPadding);
    if (length > kPadding) std::memcpy(out, bytes_.data() + begin, length);
    return out + length;
  }

  static constexpr std::size_t kPadding = 16;
  static constexpr std::size_t kLongestNumber = 20;  // a sign and 19 digits

 private:
  void AddEntries(const arrow::Array& dictionary) {
    if (dictionary.type_id() != arrow::Type::STRING && dictionary.type_id() != arrow::Type::BINARY)
      return AddPrinted(dictionary);
    const auto& labels = static_cast<const arrow::BinaryArray&>(dictionary);
    if (labels.length() > array_.length()) {
      text_ = &labels;  // most of them are not in this batch: print each from where it lies
      return;
    }
    for (std::int64_t i = 0; i < labels.length(); ++i) AddFinished(Cell(labels.GetView(i)));
  }
  void AddPrinted(const arrow::Array& cells) {
    for (std::int64_t i = 0; i < cells.length(); ++i)
      AddFinished(cells.IsNull(i) ? std::string() : Cell(cells.GetScalar(i).ValueOrDie()->ToString()));
  }
  void AddFinished(std::string_view cell) {
    bytes_.append(cell);
    begin_.push_back(bytes_.size());
  }

  const arrow::Array& array_;
  const std::int64_t* numbers_ = nullptr;  // printed as they are met
  const arrow::BinaryArray* text_ = nullptr;
  const std::int32_t* indices_ = nullptr;
  std::string bytes_;  // finished cells, one after the other
  std::vector<std::size_t> begin_ = {0};
};

// The column's values, one row each, as Arrow has them.
std::shared_ptr<arrow::RecordBatch> BatchOfValues(const ValueColumn& column) {
  const std::size_t rows = column.values.size();
  const bool boolean = column.type.arrow_format == "b";
  std::vector<char> bytes(boolean ? rows / 8 + 1 : rows * static_cast<std::size_t>(column.type.width));
  Validity validity(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    if (i == column.null_code) {
      validity.SetNull(i);
    } else if (boolean) {
      if (column.values[i][0] != 0) bytes[i / 8] = static_cast<char>(bytes[i / 8] | 1 << i % 8);
    } else {
      std::memcpy(bytes.data() + i * column.values[i].size(), column.values[i].data(), column.values[i].size());
    }
  }
  ArrowSchema schema = MakeBatchSchema({{column.name, column.type.arrow_format}});
  ArrowArray batch = MakeBatch(rows, {MakeFixedColumn(rows, std::move(validity), std::move(bytes))});
  return arrow::ImportRecordBatch(&batch, &schema).ValueOrDie();
}

}  // namespace

std::string CsvHeader(const arrow::Schema& schema) {
  std::string text;
  for (int i = 0; i < schema.num_fields(); ++i) {
    if (i > 0) text += ',';
    text += Cell(schema.field(i)->name());
  }
  return text + "\n";
}

CsvText CsvRows(const arrow::RecordBatch& batch) {
  std::vector<CsvColumn> columns;
  columns.reserve(static_cast<std::size_t>(batch.num_columns()));
  std::size_t largest = CsvColumn::kPadding;
  for (const auto& array : batch.columns()) largest += columns.emplace_back(*array).LargestSize();
  CsvText text{std::make_unique_for_overwrite<char[]>(largest), 0};
  char* out = text.bytes.get();
  for (std::int64_t row = 0; row < batch.num_rows(); ++row) {
    char* const line = out;
    for (const CsvColumn& column : columns) {
      out = column.Write(row, out);
      *out++ = ',';
    }
    if (out == line + 1) out = Copy("\"\",", line);  // one column and a null: readers skip a blank line
    out[-1] = '\n';                                  // in place of the comma after the last cell
  }
  text.size = static_cast<std::size_t>(out - text.bytes.get());
  Check(text.size <= largest, "CSV text fits its room");
  return text;
}

std::optional<std::string> FindColumnThatIsNoText(const arrow::RecordBatch& batch) {
  for (int i = 0; i < batch.num_columns(); ++i) {
    std::shared_ptr<arrow::Array> cells = batch.column(i);
    if (cells->type_id() == arrow::Type::DICTIONARY)
      cells = static_cast<const arrow::DictionaryArray&>(*cells).dictionary();
    if (cells->type_id() != arrow::Type::BINARY) continue;
    const auto& bytes = static_cast<const arrow::BinaryArray&>(*cells);
    for (std::int64_t cell = 0; cell < bytes.length(); ++cell) {
      if (bytes.IsValid(cell) && FindBadUtf8(bytes.GetView(cell))) return batch.schema()->field(i)->name();
    }
  }
  return std::nullopt;
}

std::vector<std::string> with_arrow::CsvTexts(const ValueColumn& column) {
  const std::shared_ptr<arrow::RecordBatch> batch = BatchOfValues(column);
  const arrow::Array& array = *batch->column(0);
  std::vector<std::string> texts(column.values.size());
  for (std::int64_t i = 0; i < array.length(); ++i) {
    if (!array.IsNull(i)) texts[static_cast<std::size_t>(i)] = array.GetScalar(i).ValueOrDie()->ToString();
  }
  return texts;
}

}  // namespace pentimento
