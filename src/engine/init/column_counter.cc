#include "engine/init/column_counter.h"

#include <algorithm>
#include <utility>

#include "base/blanks.h"
#include "io/date_cells.h"

namespace pentimento {
namespace {

constexpr std::size_t kMostListed = 1 << 16;

bool IsNumberFormat(const CellType& type) {
  return !type.is_text() && type.arrow_format.size() == 1 &&
         std::string_view("cCsSiIlLefg").find(type.arrow_format[0]) != std::string_view::npos;
}

}  // namespace

void ColumnCounter::BeginFile(const CellLayout& layout) {
  layout_ = layout;
  is_time_ |= IsTime(layout.type);
  is_zoned_ |= HasForeignZone(layout.type);
  is_number_ |= IsNumberFormat(layout.type) || layout.type.arrow_format.starts_with("d:");
}

void ColumnCounter::Add(const ArrowArray& array) {
  if (layout_.is_dictionary()) return AddDictionary(array);
  const Cells cells(array, layout_);
  std::uint64_t nulls = 0;
  for (std::int64_t row = 0; row < cells.size(); ++row) {
    if (cells.IsNull(row)) {
      ++nulls;
    } else {
      Count(cells.Bytes(row), 1);
    }
  }
  if (nulls > 0) shape_.Add("", nulls);
}

void ColumnCounter::AddDictionary(const ArrowArray& array) {
  const Cells values(*array.dictionary, layout_);
  std::vector<std::uint64_t> rows(static_cast<std::size_t>(values.size()) + 1);  // the first: nulls
  DictionaryIndices(array, layout_.index_format).ForEach([&](std::int64_t, std::int64_t index) {
    ++rows[static_cast<std::size_t>(index + 1)];
  });
  for (std::int64_t value = 0; value < values.size(); ++value) {
    const std::uint64_t count = rows[static_cast<std::size_t>(value + 1)];
    if (count == 0) continue;
    if (values.IsNull(value)) {
      rows[0] += count;
    } else {
      Count(values.Bytes(value), count);
    }
  }
  if (rows[0] > 0) shape_.Add("", rows[0]);
}

void ColumnCounter::Count(std::string_view bytes, std::uint64_t rows) {
  if (!is_listed_) {
    CellScratch scratch;
    TakeText(CellText(bytes, layout_.type, scratch).value_or("?"), rows);
    return;
  }
  const Code code = raw_.FindOrAdd(bytes);
  if (code < rows_of_raw_.size()) {
    rows_of_raw_[code] += rows;
    return;
  }
  rows_of_raw_.push_back(rows);
  raw_bytes_ += bytes.size();
  if (raw_.size() > kMostListed || raw_bytes_ > most_bytes_) StopListing();
}

void ColumnCounter::Flush() {
  const TextCodes raw = std::exchange(raw_, {});
  const std::vector<std::uint64_t> rows = std::exchange(rows_of_raw_, {});
  raw_bytes_ = 0;
  const std::vector<std::string_view> bytes = raw.texts();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    CellScratch scratch;
    TakeText(CellText(bytes[i], layout_.type, scratch).value_or("?"), rows[i]);
  }
  if (texts_.size() > kMostListed || text_bytes_ > most_bytes_) StopListing();
}

void ColumnCounter::TakeText(std::string_view text, std::uint64_t rows) {
  if (!shape_.Add(text, rows)) return;
  const std::string_view trimmed = WithoutBlanks(text);
  if (!is_listed_) return sketch_.Add(trimmed);
  const Code code = texts_.FindOrAdd(trimmed);
  if (code == rows_of_text_.size()) {
    rows_of_text_.push_back(0);
    text_bytes_ += trimmed.size();
  }
  rows_of_text_[code] += rows;
}

void ColumnCounter::StopListing() {
  is_listed_ = false;
  for (const std::string_view text : texts_.texts()) sketch_.Add(text);
  texts_ = {};
  rows_of_text_ = {};
  Flush();
}

void ColumnCounter::Finish(ColumnSurvey& survey) {
  survey.is_time = is_time_;
  survey.is_zoned = is_zoned_;
  survey.is_number = is_number_;
  survey.is_listed = is_listed_;
  survey.shape = std::move(shape_);
  survey.distinct = is_listed_ ? texts_.size() : sketch_.Estimate();
  const std::vector<std::string_view> texts = texts_.texts();
  for (std::size_t i = 0; i < texts.size(); ++i) survey.values.push_back({std::string(texts[i]), rows_of_text_[i]});
  std::ranges::sort(survey.values, {}, &ValueCount::text);
  survey.once = static_cast<std::uint64_t>(
      std::ranges::count_if(survey.values, [](const ValueCount& value) { return value.rows == 1; }));
}

}  // namespace pentimento
