#include "io/csv_rows.h"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <charconv>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/check.h"

namespace pentimento {
namespace {

bool NeedsQuotes(std::string_view text) {
  if (text.empty()) return true;  // an empty cell without quotes is a null
  for (const char c : text) {
    if (c == '"' || c == ',' || c == '\n' || c == '\r') return true;
  }
  return false;
}

void AppendQuoted(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void AppendText(std::string_view text, std::string& out) {
  if (NeedsQuotes(text)) {
    AppendQuoted(text, out);
  } else {
    out.append(text);
  }
}

template <typename Number>
void AppendNumber(Number number, std::string& out) {
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number);
  Check(error == std::errc(), "a number fits 32 characters");
  out.append(buffer, end);
}

// One column of a batch, ready to print its cells.
class CsvColumn {
 public:
  explicit CsvColumn(const arrow::Array& array) : array_(array), type_(array.type_id()) {}

  void Append(std::int64_t row, std::string& out) const {
    if (array_.IsNull(row)) return;
    switch (type_) {
      case arrow::Type::STRING:
      case arrow::Type::BINARY: return AppendText(static_cast<const arrow::BinaryArray&>(array_).GetView(row), out);
      case arrow::Type::INT32: return AppendNumber(static_cast<const arrow::Int32Array&>(array_).Value(row), out);
      case arrow::Type::INT64: return AppendNumber(static_cast<const arrow::Int64Array&>(array_).Value(row), out);
      case arrow::Type::DOUBLE: return AppendNumber(static_cast<const arrow::DoubleArray&>(array_).Value(row), out);
      case arrow::Type::FLOAT: return AppendNumber(static_cast<const arrow::FloatArray&>(array_).Value(row), out);
      default: return AppendText(array_.GetScalar(row).ValueOrDie()->ToString(), out);  // dates, decimals, small integers
    }
  }

 private:
  const arrow::Array& array_;
  arrow::Type::type type_;
};

}  // namespace

std::string CsvHeader(const arrow::Schema& schema) {
  std::string text;
  for (int i = 0; i < schema.num_fields(); ++i) {
    if (i > 0) text += ',';
    AppendText(schema.field(i)->name(), text);
  }
  return text + "\n";
}

std::string CsvRows(const arrow::RecordBatch& batch) {
  std::vector<CsvColumn> columns;
  for (const auto& array : batch.columns()) columns.emplace_back(*array);
  std::string text;
  text.reserve(static_cast<std::size_t>(batch.num_rows()) * columns.size() * 8);
  for (std::int64_t row = 0; row < batch.num_rows(); ++row) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) text += ',';
      columns[i].Append(row, text);
    }
    text += '\n';
  }
  return text;
}

}  // namespace pentimento
