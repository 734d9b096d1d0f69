#include "io/release_stream.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <span>
#include <utility>

#include "base/check.h"
#include "base/parallel.h"
#include "io/array_builder.h"
#include "io/keep_records.h"

namespace pentimento {
namespace {

constexpr std::size_t kRowsPerBatch = 32768;
constexpr std::size_t kWave = 4;  // batches made side by side; bounds what waits in memory

struct BucketRange {
  std::size_t first = 0;
  std::size_t last = 0;  // not included
  std::size_t rows = 0;
};

std::vector<BucketRange> PlanBatches(const RowOrder& order) {
  std::vector<BucketRange> batches;
  BucketRange range;
  for (std::size_t bucket = 0; bucket < kShuffleBuckets; ++bucket) {
    range.rows += order.bucket_size(bucket);
    range.last = bucket + 1;
    if (range.rows >= kRowsPerBatch || (range.last == kShuffleBuckets && range.rows > 0)) {
      batches.push_back(range);
      range = {range.last, range.last, 0};
    }
  }
  return batches;
}

ArrowArray TextDictionary(std::span<const std::string> values) {
  TextColumnBuilder builder(values.size(), 0);
  for (const std::string& value : values) builder.Append(value);
  return std::move(builder).Finish();
}

std::shared_ptr<const ArrowArray> Shared(ArrowArray array) {
  return {new ArrowArray(array), [](const ArrowArray* owned) {
            auto* mutable_array = const_cast<ArrowArray*>(owned);
            mutable_array->release(mutable_array);
            delete mutable_array;
          }};
}

// The rows of one batch in published order, and the keep cells that go with them.
struct BatchRows {
  std::vector<std::uint32_t> rows;  // input row numbers
  std::vector<std::uint32_t> groups;
  std::vector<std::vector<std::byte>> bytes;                  // what the cells below point into
  std::vector<RecordReader> readers;                          // one per bucket
  std::vector<std::pair<std::uint32_t, std::uint32_t>> keep;  // reader and record, by row
};

class ReleaseBatches {
 public:
  // `draft` may be null where no column has labels.
  ReleaseBatches(const Draft* draft, const EncodedInput& input, std::vector<StreamColumn> columns)
      : draft_(draft), input_(input), columns_(std::move(columns)), plan_(PlanBatches(input.order)) {
    for (const auto& [name, type] : input.keep) keep_types_.push_back(type);
    for (const StreamColumn& column : columns_) AddField(column);
  }

  const std::vector<FieldSpec>& fields() const { return fields_; }

  Result<ArrowArray> Next() {
    if (ready_.empty()) MakeWave();
    if (ready_.empty()) return ArrowArray{};
    Result<ArrowArray> batch = std::move(ready_.front());
    ready_.pop_front();
    return batch;
  }

  ~ReleaseBatches() {
    for (Result<ArrowArray>& batch : ready_) {
      if (batch.ok() && batch->release != nullptr) batch->release(&*batch);
    }
  }

 private:
  void AddField(const StreamColumn& column) {
    std::shared_ptr<const ArrowArray> dictionary;
    if (const auto* label = std::get_if<LabelColumn>(&column)) {
      fields_.push_back({label->name, "u", true});
      dictionary = Shared(TextDictionary(label->labels));
    } else if (const auto* ref = std::get_if<ValueColumnRef>(&column)) {
      const ValueColumn& values = input_.values[ref->index];
      fields_.push_back({values.name, values.type.arrow_format, values.type.is_text()});
      if (values.type.is_text()) dictionary = Shared(TextDictionary(values.values));
    } else if (const auto* cases = std::get_if<CaseColumn>(&column)) {
      fields_.push_back({cases->name, "u", false});
    } else if (const auto* words = std::get_if<WordColumn>(&column)) {
      fields_.push_back({words->name, "u", true});
      dictionary = Shared(TextDictionary(words->words));
    } else {
      const auto& [name, type] = input_.keep[std::get<KeepColumnRef>(column).index];
      fields_.push_back({name, type.arrow_format, false});
    }
    dictionaries_.push_back(std::move(dictionary));
  }

  void MakeWave() {
    const std::size_t count = std::min(kWave, plan_.size() - next_);
    std::vector<Result<ArrowArray>> made(count, Result<ArrowArray>(ArrowArray{}));
    ParallelFor(count, 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) made[i] = Make(plan_[next_ + i]);
    });
    next_ += count;
    ready_.assign(std::make_move_iterator(made.begin()), std::make_move_iterator(made.end()));
  }

  Result<ArrowArray> Make(const BucketRange& range) const {
    PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
    PENTIMENTO_ASSIGN(const BatchRows batch, Gather(range));
    std::vector<ArrowArray> arrays;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      arrays.push_back(std::visit([&](const auto& column) { return MakeColumn(column, i, batch); }, columns_[i]));
    }
    return MakeBatch(batch.rows.size(), std::move(arrays));
  }

  Result<BatchRows> Gather(const BucketRange& range) const {
    BatchRows batch;
    batch.rows.reserve(range.rows);
    for (std::size_t bucket = range.first; bucket < range.last; ++bucket) {
      const std::span<const std::uint32_t> rows = input_.order.RowsOfBucket(bucket);
      const std::vector<std::uint32_t> permutation = input_.order.Permutation(bucket);
      for (const std::uint32_t i : permutation) {
        if (input_.form(rows[i]) != RowForm::kSkipped) batch.rows.push_back(rows[i]);
      }
      if (keep_types_.empty()) continue;
      PENTIMENTO_ASSIGN(std::vector<std::byte> records, input_.keep_records->ReadBucket(bucket));
      batch.bytes.push_back(std::move(records));
      const auto reader = static_cast<std::uint32_t>(batch.readers.size());
      batch.readers.emplace_back(batch.bytes.back(), keep_types_, rows.size());
      for (const std::uint32_t i : permutation) {
        if (input_.form(rows[i]) != RowForm::kSkipped) batch.keep.emplace_back(reader, i);
      }
    }
    if (draft_ != nullptr) {
      batch.groups.reserve(range.rows);
      for (const std::uint32_t row : batch.rows) batch.groups.push_back(draft_->group_of_row[row]);
    }
    return batch;
  }

  bool IsEmptied(const BatchRows& batch, std::size_t i) const {
    return input_.form(batch.rows[i]) == RowForm::kEmptied;
  }

  // Cells given by codes into the column's shared dictionary.
  ArrowArray FromCodes(std::span<const std::uint32_t> codes, std::optional<Code> null_code, std::size_t field) const {
    Validity validity(codes.size());
    for (std::size_t i = 0; null_code && i < codes.size(); ++i) {
      if (codes[i] == *null_code) validity.SetNull(i);
    }
    return MakeDictionaryColumn({codes.begin(), codes.end()}, std::move(validity), dictionaries_[field]);
  }

  // cell(i) is where the i-th value's bytes are, or nullptr for a null.
  template <typename CellAt>
  static ArrowArray FixedCells(std::size_t rows, const CellType& type, const CellAt& cell) {
    Validity validity(rows);
    const bool bits = type.arrow_format == "b";
    const auto width = static_cast<std::size_t>(type.width);
    std::vector<char> bytes(bits ? (rows + 7) / 8 : rows * width, 0);
    for (std::size_t i = 0; i < rows; ++i) {
      const char* value = cell(i);
      if (value == nullptr) {
        validity.SetNull(i);
      } else if (bits) {
        bytes[i / 8] = static_cast<char>(bytes[i / 8] | (*value << (i % 8)));
      } else {
        std::memcpy(bytes.data() + i * width, value, width);
      }
    }
    return MakeFixedColumn(rows, std::move(validity), std::move(bytes));
  }

  ArrowArray MakeColumn(const LabelColumn& column, std::size_t field, const BatchRows& batch) const {
    std::vector<std::uint32_t> labels(batch.groups.size());
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = column.label_of_group[batch.groups[i]];
    return FromCodes(labels, column.missing_label, field);
  }

  ArrowArray MakeColumn(const ValueColumnRef& ref, std::size_t field, const BatchRows& batch) const {
    const ValueColumn& column = input_.values[ref.index];
    std::vector<std::uint32_t> codes(batch.rows.size());
    column.codes.Visit([&](auto all) {
      for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = all[batch.rows[i]];
    });
    if (column.type.is_text()) {
      Validity validity(codes.size());
      for (std::size_t i = 0; i < codes.size(); ++i) {
        if (codes[i] == column.null_code || IsEmptied(batch, i)) validity.SetNull(i), codes[i] = 0;
      }
      return MakeDictionaryColumn({codes.begin(), codes.end()}, std::move(validity), dictionaries_[field]);
    }
    return FixedCells(codes.size(), column.type, [&](std::size_t i) -> const char* {
      return codes[i] == column.null_code || IsEmptied(batch, i) ? nullptr : column.values[codes[i]].data();
    });
  }

  ArrowArray MakeColumn(const KeepColumnRef& ref, std::size_t /*field*/, const BatchRows& batch) const {
    const CellType& type = keep_types_[ref.index];
    const auto cell_at = [&](std::size_t i) -> const RecordReader::Cell& {
      return batch.readers[batch.keep[i].first].at(batch.keep[i].second, ref.index);
    };
    const auto is_null = [&](std::size_t i) { return cell_at(i).null() || IsEmptied(batch, i); };
    if (!type.is_text()) {
      return FixedCells(batch.rows.size(), type, [&](std::size_t i) { return is_null(i) ? nullptr : cell_at(i).data; });
    }
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < batch.rows.size(); ++i) bytes += is_null(i) ? 0 : cell_at(i).length;
    TextColumnBuilder builder(batch.rows.size(), bytes);
    for (std::size_t i = 0; i < batch.rows.size(); ++i) {
      const RecordReader::Cell& cell = cell_at(i);
      if (is_null(i)) {
        builder.AppendNull();
      } else {
        builder.Append({cell.data, cell.length});
      }
    }
    return std::move(builder).Finish();
  }

  ArrowArray MakeColumn(const CaseColumn& column, std::size_t /*field*/, const BatchRows& batch) const {
    constexpr std::size_t kDigits = 16;
    TextColumnBuilder builder(batch.rows.size(), batch.rows.size() * kDigits);
    std::array<char, kDigits> text;
    for (const std::uint32_t row : batch.rows) {
      std::uint64_t name = column.namer(column.case_of_row.empty() ? row : column.case_of_row[row]);
      for (std::size_t digit = kDigits; digit-- > 0; name >>= 4) text[digit] = "0123456789abcdef"[name & 15];
      builder.Append({text.data(), text.size()});
    }
    return std::move(builder).Finish();
  }

  ArrowArray MakeColumn(const WordColumn& column, std::size_t field, const BatchRows& batch) const {
    std::vector<std::uint32_t> words(batch.rows.size());
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = column.word_of_row[batch.rows[i]];
    return FromCodes(words, std::nullopt, field);
  }

  const Draft* draft_;
  const EncodedInput& input_;
  std::vector<StreamColumn> columns_;
  std::vector<BucketRange> plan_;
  std::vector<CellType> keep_types_;
  std::vector<FieldSpec> fields_;
  std::vector<std::shared_ptr<const ArrowArray>> dictionaries_;  // by column; nothing for columns without
  std::size_t next_ = 0;
  std::deque<Result<ArrowArray>> ready_;
};

}  // namespace

namespace {

ArrowArrayStream StreamOf(std::shared_ptr<ReleaseBatches> batches, std::shared_ptr<std::optional<Error>> failure) {
  std::vector<FieldSpec> fields = batches->fields();
  return MakeStream(
      std::move(fields), [batches = std::move(batches)] { return batches->Next(); }, std::move(failure));
}

}  // namespace

ArrowArrayStream MakeReleaseStream(const VerifiedRelease& release, const EncodedInput& input,
                                   std::vector<StreamColumn> columns, std::shared_ptr<std::optional<Error>> failure) {
  return StreamOf(std::make_shared<ReleaseBatches>(&release.draft(), input, std::move(columns)), std::move(failure));
}

ArrowArrayStream MakeCellStream(const EncodedInput& input, std::shared_ptr<std::optional<Error>> failure) {
  std::vector<StreamColumn> columns;
  for (std::size_t i = 0; i < input.values.size(); ++i) columns.emplace_back(ValueColumnRef{i});
  for (std::size_t i = 0; i < input.keep.size(); ++i) columns.emplace_back(KeepColumnRef{i});
  return StreamOf(std::make_shared<ReleaseBatches>(nullptr, input, std::move(columns)), std::move(failure));
}

}  // namespace pentimento
