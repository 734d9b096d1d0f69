#include "engine/init/survey.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/blanks.h"
#include "base/parallel.h"
#include "engine/init/column_counter.h"
#include "fmt/core.h"
#include "io/encode.h"
#include "io/input_table.h"

namespace pentimento {
namespace {

constexpr std::size_t kBytesOfValues = std::size_t{256} << 20;  // of all columns together
constexpr std::size_t kMostBytes = std::size_t{8} << 20;        // of one

struct OwnedBatch {
  ArrowArray array{};
  OwnedBatch() = default;
  OwnedBatch(const OwnedBatch&) = delete;
  ~OwnedBatch() {
    if (array.release != nullptr) array.release(&array);
  }
};

struct OwnedTable {
  ArrowSchema schema{};
  OwnedTable() = default;
  OwnedTable(const OwnedTable&) = delete;
  ~OwnedTable() {
    if (schema.release != nullptr) schema.release(&schema);
  }
};

// The columns that can be read, by their names.
class Surveyor {
 public:
  Surveyor(const FileHead& head, std::span<const std::string> missing) {
    const std::size_t bytes = std::min(kMostBytes, kBytesOfValues / std::max<std::size_t>(1, head.columns.size()));
    for (const std::string& name : head.columns) {
      ColumnSurvey column{.name = name, .shape = TextShape(missing)};
      if (name.empty())
        column.fault = ColumnFault::kNoName;
      else if (std::ranges::count(head.columns, name) > 1)
        column.fault = ColumnFault::kNameTwice;
      else if (std::ranges::find(head.nested, name) != head.nested.end())
        column.fault = ColumnFault::kNoText;
      survey_.columns.push_back(std::move(column));
      counters_.emplace_back(missing, bytes);
    }
  }

  Status Read(const TableFile& file, std::uint64_t bytes_before, std::uint64_t all_bytes, Progress& progress) {
    std::vector<std::string> wanted;
    for (const ColumnSurvey& column : survey_.columns)
      if (column.fault == ColumnFault::kNone) wanted.push_back(column.name);
    PENTIMENTO_ASSIGN(TableSource source, OpenTableFile(file, wanted, {}));
    PENTIMENTO_RETURN_IF_ERROR(Match(source));
    while (true) {
      OwnedBatch batch;
      if (const int error = source.stream()->get_next(source.stream(), &batch.array); error != 0)
        return source.Explain(error);
      if (batch.array.release == nullptr) break;
      PENTIMENTO_RETURN_IF_ERROR(CheckCancelled());
      Count(batch.array);
      if (all_bytes > 0 && source.bytes_read() > 0)
        progress.Advance(static_cast<double>(bytes_before + source.bytes_read()) / static_cast<double>(all_bytes));
    }
    for (const std::size_t column : column_of_child_) counters_[column].EndFile();
    return {};
  }

  TableSurvey Finish() {
    for (std::size_t i = 0; i < counters_.size(); ++i) counters_[i].Finish(survey_.columns[i]);
    return std::move(survey_);
  }

 private:
  Status Match(TableSource& source) {
    OwnedTable owned;
    if (const int error = source.stream()->get_schema(source.stream(), &owned.schema); error != 0)
      return source.Explain(error);
    const std::vector<std::string> names = NamesOfColumns(owned.schema);
    column_of_child_.clear();
    children_.clear();
    for (std::size_t child = 0; child < names.size(); ++child) {
      const auto found = std::ranges::find(survey_.columns, names[child], &ColumnSurvey::name);
      if (found == survey_.columns.end() || found->fault != ColumnFault::kNone) continue;
      const Result<CellLayout> layout = ReadLayout(*owned.schema.children[child]);
      if (!layout.ok() || !HasText(layout->type) || layout->type.arrow_format == "z") {
        found->fault = ColumnFault::kNoText;
        continue;
      }
      column_of_child_.push_back(static_cast<std::size_t>(found - survey_.columns.begin()));
      children_.push_back(child);
      counters_[column_of_child_.back()].BeginFile(*layout);
    }
    return {};
  }

  void Count(const ArrowArray& batch) {
    survey_.rows += static_cast<std::uint64_t>(batch.length);
    ParallelFor(children_.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) counters_[column_of_child_[i]].Add(*batch.children[children_[i]]);
    });
  }

  TableSurvey survey_;
  std::vector<ColumnCounter> counters_;
  std::vector<std::size_t> column_of_child_, children_;
};

// A number between the smallest and the largest of the column. A year above other numbers is the name of a column.
bool IsAmong(std::string_view name, const TextShape& shape) {
  const std::optional<Decimal> number = ParseDecimal(name);
  return number && shape.IsNumeric('.') && WideUnits(*number) >= WideUnits(shape.smallest()) &&
         WideUnits(*number) <= WideUnits(shape.largest());
}

// Names are not among the values below them; where half of them are, nobody has named the columns.
bool LooksLikeRow(const TableSurvey& survey) {
  std::size_t suspects = 0, values = 0;
  for (const ColumnSurvey& column : survey.columns) {
    const std::string_view name = WithoutBlanks(column.name);
    const bool is_number = IsAmong(name, column.shape);
    const auto at = std::ranges::lower_bound(column.values, name, {}, &ValueCount::text);
    const bool is_value = at != column.values.end() && at->text == name;
    suspects += is_number || is_value ? 1 : 0;
    values += is_value && !is_number ? 1 : 0;
  }
  return suspects == survey.columns.size() || (values > 0 && 2 * suspects >= survey.columns.size());
}

Error OtherColumns(const TableFile& file, const TableFile& first) {
  return {ErrorCode::kBadInput,
          fmt::format("{}: has other columns than {}; every file of a table has the same, in the same order", file.name,
                      first.name)};
}

}  // namespace

char DecimalPointOf(const TableSurvey& table) {
  bool needs_comma = false;
  for (const ColumnSurvey& column : table.columns) {
    if (column.shape.IsNumeric('.') && !column.shape.IsNumeric(',')) return '.';
    needs_comma |= column.shape.needs_comma();
  }
  return needs_comma ? ',' : '.';
}

Result<TableSurvey> SurveyTable(const std::vector<TableFile>& files, std::span<const std::string> missing,
                                Progress& progress) {
  std::vector<FileHead> heads;
  std::vector<std::uint64_t> bytes;
  std::uint64_t all_bytes = 0;
  for (const TableFile& file : files) {
    PENTIMENTO_ASSIGN(FileHead head, ReadFileHead(file));
    if (!heads.empty() && heads.front().columns != head.columns) return OtherColumns(file, files.front());
    heads.push_back(std::move(head));
    std::error_code unknown;
    const std::uintmax_t size = std::filesystem::file_size(file.path, unknown);
    bytes.push_back(unknown ? 0 : size);
    all_bytes += bytes.back();
  }
  Surveyor surveyor(heads.front(), missing);
  std::uint64_t bytes_before = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    PENTIMENTO_RETURN_IF_ERROR(surveyor.Read(files[i], bytes_before, all_bytes, progress));
    bytes_before += bytes[i];
  }
  TableSurvey survey = surveyor.Finish();
  const char point = DecimalPointOf(survey);
  for (ColumnSurvey& column : survey.columns) column.point = point;
  for (FileHead& head : heads) survey.forms.push_back(std::move(head.form));
  survey.first_line_looks_like_row =
      heads.front().format == FileFormat::kCsv && files.front().text.names.empty() && LooksLikeRow(survey);
  return survey;
}

}  // namespace pentimento
