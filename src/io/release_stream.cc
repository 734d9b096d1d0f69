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

// A dictionary of more texts would be longer than most batches, and is handed to the writer with each of them.
constexpr std::size_t kLargestDictionary = std::size_t{1} << 16;

double PowerOfTen(int exponent) {
  double power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
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
  // `draft` may be null where no column has labels, `tables` where none has classes.
  ReleaseBatches(const Draft* draft, const TwoTables* tables, const EncodedInput& input,
                 std::vector<StreamColumn> columns)
      : draft_(draft), tables_(tables), input_(input), columns_(std::move(columns)), plan_(PlanBatches(input.order)) {
    for (const auto& [name, type] : input.keep) keep_types_.push_back(type);
    for (const StreamColumn& column : columns_) {
      dictionaries_.emplace_back();
      std::visit([this](const auto& its) { AddField(its); }, column);
    }
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
  // A column of indices into texts that all batches share.
  void AddDictionary(const std::string& name, const std::string& format, std::span<const std::string> texts) {
    fields_.push_back({name, format, true});
    dictionaries_.back() = ShareTexts(texts);
  }
  void AddField(const LabelColumn& column) { AddDictionary(column.name, "u", column.labels); }
  void AddField(const WordColumn& column) { AddDictionary(column.name, "u", column.words); }
  void AddField(const CaseColumn& column) { fields_.push_back({column.name, "u", false}); }
  void AddField(const ClassColumn& column) { fields_.push_back({column.name, "l", false}); }
  void AddField(const ValueColumnRef& ref) {
    const ValueColumn& values = input_.values[ref.index];
    if (values.type.is_text()) return AddDictionary(values.name, values.type.arrow_format, values.values);
    fields_.push_back({values.name, values.type.arrow_format, false});
  }
  void AddField(const KeepColumnRef& ref) {
    const auto& [name, type] = input_.keep[ref.index];
    fields_.push_back({name, type.arrow_format, false});
  }
  void AddField(const PlainTextColumn& column) {
    if (column.texts.size() <= kLargestDictionary) return AddDictionary(column.name, "u", column.texts);
    fields_.push_back({column.name, "u", false});
  }
  void AddField(const PlainNumberColumn& column) {
    fields_.push_back({column.name, column.is_whole ? "l" : "g", false});
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

  ArrowArray MakeColumn(const PlainTextColumn& column, std::size_t field, const BatchRows& batch) const {
    std::vector<std::uint32_t> codes(batch.rows.size());
    input_.table.quasi_identifiers[column.quasi_identifier].Visit([&](auto all) {
      for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = all[batch.rows[i]];
    });
    if (dictionaries_[field]) return FromCodes(codes, column.missing_code, field);
    TextColumnBuilder builder(codes.size(), 8 * codes.size());
    for (const std::uint32_t code : codes) {
      if (code == column.missing_code) {
        builder.AppendNull();
      } else {
        builder.Append(column.texts[code]);
      }
    }
    return std::move(builder).Finish();
  }

  ArrowArray MakeColumn(const PlainNumberColumn& column, std::size_t /*field*/, const BatchRows& batch) const {
    const Domain& domain = input_.domains[column.quasi_identifier];
    const double unit = PowerOfTen(domain.range().scale);
    Validity validity(batch.rows.size());
    std::vector<char> bytes(8 * batch.rows.size(), 0);
    input_.table.quasi_identifiers[column.quasi_identifier].Visit([&](auto codes) {
      for (std::size_t i = 0; i < batch.rows.size(); ++i) {
        const Code code = codes[batch.rows[i]];
        if (domain.IsMissing(code)) {
          validity.SetNull(i);
          continue;
        }
        const std::int64_t units = domain.range().point(code);
        // Both numbers are exact, so the quotient is the double nearest to the decimal.
        const double number = static_cast<double>(units) / unit;
        std::memcpy(bytes.data() + 8 * i, column.is_whole ? static_cast<const void*>(&units) : &number, 8);
      }
    });
    return MakeFixedColumn(batch.rows.size(), std::move(validity), std::move(bytes));
  }

  ArrowArray MakeColumn(const ClassColumn& /*column*/, std::size_t /*field*/, const BatchRows& batch) const {
    std::vector<char> bytes(8 * batch.rows.size());
    for (std::size_t i = 0; i < batch.rows.size(); ++i) {
      const std::int64_t number = std::int64_t{tables_->class_of_row[batch.rows[i]]} + 1;
      std::memcpy(bytes.data() + 8 * i, &number, 8);
    }
    return MakeFixedColumn(batch.rows.size(), Validity(batch.rows.size()), std::move(bytes));
  }

  const Draft* draft_;
  const TwoTables* tables_;
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
  return StreamOf(std::make_shared<ReleaseBatches>(&release.draft(), nullptr, input, std::move(columns)),
                  std::move(failure));
}

ArrowArrayStream MakePlainStream(const VerifiedTwoTables& release, const EncodedInput& input,
                                 std::vector<StreamColumn> columns, std::shared_ptr<std::optional<Error>> failure) {
  const auto is_label = [](const StreamColumn& column) { return std::holds_alternative<LabelColumn>(column); };
  Check(std::ranges::none_of(columns, is_label), "two tables hold no generalized value");
  return StreamOf(std::make_shared<ReleaseBatches>(nullptr, &release.tables(), input, std::move(columns)),
                  std::move(failure));
}

ArrowArrayStream MakeCellStream(const EncodedInput& input, std::shared_ptr<std::optional<Error>> failure) {
  std::vector<StreamColumn> columns;
  for (std::size_t i = 0; i < input.values.size(); ++i) columns.emplace_back(ValueColumnRef{i});
  for (std::size_t i = 0; i < input.keep.size(); ++i) columns.emplace_back(KeepColumnRef{i});
  return StreamOf(std::make_shared<ReleaseBatches>(nullptr, nullptr, input, std::move(columns)), std::move(failure));
}

}  // namespace pentimento
