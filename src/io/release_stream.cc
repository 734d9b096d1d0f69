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
#include "io/row_collector.h"

namespace pentimento {
namespace {

constexpr std::size_t kRowsPerBatch = 32768;
constexpr std::size_t kWave = 4;  // batches made side by side; bounds what waits in memory
// Rows whose codes are collected in one pass over the table.
constexpr std::size_t kRowsPerPass = std::size_t{3} << 19;

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

// The points of a numeric domain, by code.
std::vector<std::int64_t> WholePoints(const Domain& domain) {
  std::vector<std::int64_t> points;
  for (Code code = 0; code < domain.value_count(); ++code) points.push_back(domain.range().point(code));
  return points;
}
// Both numbers are exact, so the quotient is the double nearest to the decimal.
double Fraction(std::int64_t units, double unit) { return static_cast<double>(units) / unit; }
std::vector<double> FractionPoints(const Domain& domain) {
  const double unit = PowerOfTen(domain.range().scale);
  std::vector<double> points;
  for (const std::int64_t units : WholePoints(domain)) points.push_back(Fraction(units, unit));
  return points;
}

// The rows of one batch in published order, and the keep cells that go with them.
struct BatchRows {
  std::vector<std::uint32_t> rows;                            // input row numbers
  std::vector<std::uint32_t> places;                          // where they are among the collected rows
  std::vector<std::uint32_t> groups;                          // or classes
  std::vector<std::vector<std::byte>> bytes;                  // what the cells below point into
  std::vector<RecordReader> readers;                          // one per bucket
  std::vector<std::pair<std::uint32_t, std::uint32_t>> keep;  // reader and record, by row
};

class ReleaseBatches {
 public:
  // `classes` is null where neither labels nor classes are asked for.
  ReleaseBatches(const Classes* classes, const EncodedInput& input, std::vector<StreamColumn> columns)
      : classes_(classes), input_(input), columns_(std::move(columns)), plan_(PlanBatches(input.order)) {
    for (const auto& [name, type] : input.keep) keep_types_.push_back(type);
    for (const StreamColumn& column : columns_) {
      dictionaries_.emplace_back();
      collected_.emplace_back();
      std::visit([this](const auto& its) { AddField(its); }, column);
    }
    if (classes_ != nullptr && input.verified_row.empty()) collected_groups_ = collector_.Add(classes_->of_row);
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
  void AddField(const LabelColumn& column) {
    if (column.type.is_text()) return AddDictionary(column.name, "u", column.labels);
    fields_.push_back({column.name, column.type.arrow_format, false});
  }
  void AddField(const WordColumn& column) { AddDictionary(column.name, "u", column.words); }
  void AddField(const CaseColumn& column) { fields_.push_back({column.name, "u", false}); }
  void AddField(const ClassColumn& column) { fields_.push_back({column.name, "l", false}); }
  void AddField(const ValueColumnRef& ref) {
    const ValueColumn& values = input_.values[ref.index];
    collected_.back() = collector_.Add(values.codes);
    if (values.type.is_text()) return AddDictionary(values.name, values.type.arrow_format, values.values);
    fields_.push_back({values.name, values.type.arrow_format, false});
  }
  void AddField(const KeepColumnRef& ref) {
    const auto& [name, type] = input_.keep[ref.index];
    fields_.push_back({name, type.arrow_format, false});
  }
  void AddField(const PlainTextColumn& column) {
    collected_.back() = collector_.Add(input_.table.quasi_identifiers[column.quasi_identifier]);
    if (column.texts.size() <= kLargestDictionary) return AddDictionary(column.name, "u", column.texts);
    fields_.push_back({column.name, "u", false});
  }
  void AddField(const PlainNumberColumn& column) {
    collected_.back() = collector_.Add(input_.table.quasi_identifiers[column.quasi_identifier]);
    const Domain& domain = input_.domains[column.quasi_identifier];
    const bool has_dictionary = domain.size() <= kLargestDictionary;
    fields_.push_back({column.name, column.is_whole ? "l" : "g", has_dictionary});
    if (!has_dictionary) return;
    dictionaries_.back() = column.is_whole ? ShareNumbers(WholePoints(domain)) : ShareNumbers(FractionPoints(domain));
  }

  void MakeWave() {
    if (next_ == collected_end_) CollectNext();
    const std::size_t count = std::min(kWave, collected_end_ - next_);
    std::vector<Result<ArrowArray>> made(count, Result<ArrowArray>(ArrowArray{}));
    ParallelFor(count, 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) made[i] = Make(plan_[next_ + i]);
    });
    next_ += count;
    ready_.assign(std::make_move_iterator(made.begin()), std::make_move_iterator(made.end()));
  }

  void CollectNext() {
    std::size_t rows = 0;
    while (collected_end_ < plan_.size() && (rows < kRowsPerPass || collected_end_ < next_ + kWave))
      rows += plan_[collected_end_++].rows;
    if (rows > 0) collector_.Collect(input_.order, plan_[next_].first, plan_[collected_end_ - 1].last);
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
    batch.places.reserve(range.rows);
    for (std::size_t bucket = range.first; bucket < range.last; ++bucket) {
      const std::span<const std::uint32_t> rows = input_.order.RowsOfBucket(bucket);
      const std::vector<std::uint32_t> permutation = input_.order.Permutation(bucket);
      const auto begin = static_cast<std::uint32_t>(collector_.begin_of(bucket));
      for (const std::uint32_t i : permutation) {
        if (input_.form(rows[i]) == RowForm::kSkipped) continue;
        batch.rows.push_back(rows[i]);
        batch.places.push_back(begin + i);
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
    if (classes_ != nullptr) batch.groups = GroupsOf(batch);
    return batch;
  }

  // The published rows' cells of a column that was collected.
  template <typename T>
  std::vector<T> Collected(std::size_t column, const BatchRows& batch) const {
    std::vector<T> cells(batch.places.size());
    collector_.Visit(column, [&](auto all) {
      for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<T>(all[batch.places[i]]);
    });
    return cells;
  }

  std::vector<std::uint32_t> GroupsOf(const BatchRows& batch) const {
    if (collected_groups_) return Collected<std::uint32_t>(*collected_groups_, batch);
    std::vector<std::uint32_t> groups;
    groups.reserve(batch.rows.size());
    for (const std::uint32_t row : batch.rows) groups.push_back(classes_->of_row[input_.verified(row)]);
    return groups;
  }

  bool IsEmptied(const BatchRows& batch, std::size_t i) const {
    return input_.form(batch.rows[i]) == RowForm::kEmptied;
  }

  // Cells given by indices into the column's shared dictionary. Those that are null need not be in it.
  template <typename IsNull>
  ArrowArray FromIndices(std::vector<std::int32_t> indices, const IsNull& is_null, std::size_t field) const {
    Validity validity(indices.size());
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if (is_null(i, indices[i])) validity.SetNull(i), indices[i] = 0;
    }
    return MakeDictionaryColumn(std::move(indices), std::move(validity), dictionaries_[field]);
  }
  ArrowArray FromCodes(std::vector<std::int32_t> codes, std::optional<Code> null_code, std::size_t field) const {
    if (!null_code) {
      const std::size_t rows = codes.size();
      return MakeDictionaryColumn(std::move(codes), Validity(rows), dictionaries_[field]);
    }
    const auto is_null = [&](std::size_t, std::int32_t code) { return static_cast<Code>(code) == *null_code; };
    return FromIndices(std::move(codes), is_null, field);
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
    if (!column.type.is_text()) {
      return FixedCells(batch.groups.size(), column.type, [&](std::size_t i) -> const char* {
        const std::uint32_t label = column.label_of_group[batch.groups[i]];
        return label == column.missing_label ? nullptr : column.labels[label].data();
      });
    }
    std::vector<std::int32_t> labels(batch.groups.size());
    for (std::size_t i = 0; i < labels.size(); ++i)
      labels[i] = static_cast<std::int32_t>(column.label_of_group[batch.groups[i]]);
    return FromCodes(std::move(labels), column.missing_label, field);
  }

  ArrowArray MakeColumn(const ValueColumnRef& ref, std::size_t field, const BatchRows& batch) const {
    const ValueColumn& column = input_.values[ref.index];
    std::vector<std::int32_t> codes = Collected<std::int32_t>(*collected_[field], batch);
    const auto is_null = [&](std::size_t i, std::int32_t code) {
      return static_cast<Code>(code) == column.null_code || IsEmptied(batch, i);
    };
    if (column.type.is_text()) return FromIndices(std::move(codes), is_null, field);
    return FixedCells(codes.size(), column.type, [&](std::size_t i) -> const char* {
      return is_null(i, codes[i]) ? nullptr : column.values[static_cast<Code>(codes[i])].data();
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
    std::vector<std::int32_t> words(batch.rows.size());
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = column.word_of_row[batch.rows[i]];
    return FromCodes(std::move(words), std::nullopt, field);
  }

  ArrowArray MakeColumn(const PlainTextColumn& column, std::size_t field, const BatchRows& batch) const {
    std::vector<std::int32_t> codes = Collected<std::int32_t>(*collected_[field], batch);
    if (dictionaries_[field]) return FromCodes(std::move(codes), column.missing_code, field);
    TextColumnBuilder builder(codes.size(), 8 * codes.size());
    for (const std::int32_t code : codes) {
      if (static_cast<Code>(code) == column.missing_code) {
        builder.AppendNull();
      } else {
        builder.Append(column.texts[static_cast<Code>(code)]);
      }
    }
    return std::move(builder).Finish();
  }

  ArrowArray MakeColumn(const PlainNumberColumn& column, std::size_t field, const BatchRows& batch) const {
    const Domain& domain = input_.domains[column.quasi_identifier];
    std::vector<std::int32_t> codes = Collected<std::int32_t>(*collected_[field], batch);
    if (dictionaries_[field]) return FromCodes(std::move(codes), domain.missing_code(), field);
    const double unit = PowerOfTen(domain.range().scale);
    Validity validity(codes.size());
    std::vector<char> bytes(8 * codes.size(), 0);
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const auto code = static_cast<Code>(codes[i]);
      if (domain.IsMissing(code)) {
        validity.SetNull(i);
        continue;
      }
      const std::int64_t units = domain.range().point(code);
      const double number = Fraction(units, unit);
      std::memcpy(bytes.data() + 8 * i, column.is_whole ? static_cast<const void*>(&units) : &number, 8);
    }
    return MakeFixedColumn(codes.size(), std::move(validity), std::move(bytes));
  }

  ArrowArray MakeColumn(const ClassColumn& /*column*/, std::size_t /*field*/, const BatchRows& batch) const {
    std::vector<char> bytes(8 * batch.groups.size());
    for (std::size_t i = 0; i < batch.groups.size(); ++i) {
      const std::int64_t number = std::int64_t{batch.groups[i]} + 1;
      std::memcpy(bytes.data() + 8 * i, &number, 8);
    }
    return MakeFixedColumn(batch.groups.size(), Validity(batch.groups.size()), std::move(bytes));
  }

  const Classes* classes_;
  const EncodedInput& input_;
  std::vector<StreamColumn> columns_;
  std::vector<BucketRange> plan_;
  std::vector<CellType> keep_types_;
  std::vector<FieldSpec> fields_;
  std::vector<std::shared_ptr<const ArrowArray>> dictionaries_;  // by column; nothing for columns without
  RowCollector collector_;
  std::vector<std::optional<std::size_t>> collected_;  // by column: its number in the collector
  std::optional<std::size_t> collected_groups_;
  std::size_t next_ = 0;           // in the plan
  std::size_t collected_end_ = 0;  // so far rows are collected
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
  for (const StreamColumn& column : columns) {
    const bool is_label = std::holds_alternative<LabelColumn>(column);
    const bool is_plain =
        std::holds_alternative<PlainTextColumn>(column) || std::holds_alternative<PlainNumberColumn>(column);
    Check(!(release.draft().is_two_tables() ? is_label : is_plain), "a table is written in the form that was verified");
  }
  return StreamOf(std::make_shared<ReleaseBatches>(&release.classes(), input, std::move(columns)), std::move(failure));
}

ArrowArrayStream MakeCellStream(const EncodedInput& input, std::shared_ptr<std::optional<Error>> failure) {
  std::vector<StreamColumn> columns;
  for (std::size_t i = 0; i < input.values.size(); ++i) columns.emplace_back(ValueColumnRef{i});
  for (std::size_t i = 0; i < input.keep.size(); ++i) columns.emplace_back(KeepColumnRef{i});
  return StreamOf(std::make_shared<ReleaseBatches>(nullptr, input, std::move(columns)), std::move(failure));
}

}  // namespace pentimento
