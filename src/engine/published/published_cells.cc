#include "engine/published/published_cells.h"

#include <algorithm>
#include <charconv>

#include "engine/published/datapackage.h"
#include "files/table_file.h"
#include "fmt/core.h"
#include "table/combinations.h"

namespace pentimento {
namespace {

// The one place where a bad cell of a published table is told.
Error BadCellOf(const PublishedTable& table, std::size_t column, std::size_t code, std::string_view what) {
  const ValueColumn& values = table.columns[column];
  std::vector<bool> is_bad(values.values.size());
  is_bad[code] = true;
  return table.BadCell(FindRow(values.codes, is_bad).value_or(0), values.name,
                       fmt::format("{}; the release was changed after it was published", what));
}

// Without a zero in front, so that two texts are never one number.
std::optional<std::uint32_t> ParseWholeNumber(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.front() == '0') return std::nullopt;
  return number;
}

bool IsWholeNumber(std::string_view text) { return ParseWholeNumber(text).has_value(); }

bool IsName(std::string_view text) { return !text.empty(); }

}  // namespace

Result<std::vector<std::uint32_t>> ReadWholeNumbers(const PublishedTable& table, std::size_t column) {
  std::vector<std::uint32_t> numbers;
  for (const std::string& text : CsvTexts(table.columns[column])) {
    const std::optional<std::uint32_t> number = ParseWholeNumber(text);
    if (!number) return BadCellOf(table, column, numbers.size(), "is no whole number above 0");
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<IdForm> FormOfId(std::string_view column) {
  if (column == kCaseColumn) return IdForm{IsName, "names no case; the release was changed after it was published"};
  if (column == kClassIdColumn || column == kGroupIdColumn)
    return IdForm{IsWholeNumber, "is no whole number above 0; the release was changed after it was published"};
  return std::nullopt;
}

Result<std::vector<std::uint8_t>> ReadChanges(const PublishedTable& table, std::size_t column) {
  std::vector<std::uint8_t> of_code;
  for (const std::string& text : CsvTexts(table.columns[column])) {
    if (text != "new" && text != "refined")
      return BadCellOf(table, column, of_code.size(), "is neither 'new' nor 'refined'");
    of_code.push_back(text == "refined" ? 1 : 0);
  }
  std::vector<std::uint8_t> is_refined(table.rows);
  for (std::size_t row = 0; row < table.rows; ++row) is_refined[row] = of_code[table.columns[column].codes[row]];
  return is_refined;
}

Result<Domain> DomainOfNumbers(const PublishedColumn& column, std::vector<IntervalNumbers> labels,
                               bool allows_missing) {
  labels.insert(labels.begin(), {column.range->first, column.range->second, false});
  int scale = column.scale;
  for (const IntervalNumbers& label : labels) scale = std::max({scale, label.lo.scale, label.hi.scale});
  std::vector<std::int64_t> points;
  for (const IntervalNumbers& label : labels) {
    const auto lo = UnitsAtScale(label.lo, scale), hi = UnitsAtScale(label.hi, scale);
    if (!lo || !hi || *hi == INT64_MIN)
      return Error{ErrorCode::kBadInput,
                   fmt::format("column '{}' of the release holds numbers that are too long", column.name)};
    points.insert(points.end(), {*lo, *hi - (label.is_half_open ? 1 : 0)});
  }
  NumericRange range{points[0], points[1], scale, {}};
  // Unsigned, because the width of a range can be more than a signed number holds.
  const bool too_wide =
      static_cast<std::uint64_t>(range.hi) - static_cast<std::uint64_t>(range.lo) >= std::uint64_t{UINT32_MAX} - 2;
  if (too_wide) {
    std::sort(points.begin(), points.end());
    points.erase(std::unique(points.begin(), points.end()), points.end());
    if (points.front() == range.lo && points.back() == range.hi) range.points = std::move(points);
  }
  if (range.points.empty() && too_wide) {
    return Error{ErrorCode::kBadInput,
                 fmt::format("column '{}' of the release holds numbers outside its domain", column.name)};
  }
  return Domain(std::move(range), allows_missing);
}

Result<Domain> DomainOfLabels(const PublishedColumn& column, const std::vector<const std::vector<std::string>*>& labels,
                              bool allows_missing) {
  if (column.taxonomy) return Domain(column.taxonomy, allows_missing);
  std::vector<IntervalNumbers> numbers;
  for (const std::vector<std::string>* list : labels) {
    for (const std::string& label : *list) {
      if (const auto read = ParseIntervalNumbers(label)) numbers.push_back(*read);
    }
  }
  return DomainOfNumbers(column, std::move(numbers), allows_missing);
}

Result<std::vector<Domain>> DomainsOfLabels(const Manifest& manifest, bool allows_missing,
                                            const std::vector<const PublishedTable*>& tables) {
  std::vector<Domain> domains;
  for (std::size_t i = 0; i < manifest.quasi_identifiers.size(); ++i) {
    std::vector<const std::vector<std::string>*> labels;
    for (const PublishedTable* table : tables) labels.push_back(&table->columns[i].values);
    Result<Domain> domain = DomainOfLabels(manifest.quasi_identifiers[i], labels, allows_missing);
    if (!domain.ok()) return std::move(domain).error();
    domains.push_back(std::move(domain).value());
  }
  return domains;
}

Result<std::vector<Interval>> ReadLabels(const PublishedTable& table, std::size_t column, const Domain& domain) {
  std::vector<Interval> intervals;
  for (const std::string& label : table.columns[column].values) {
    const std::optional<Interval> interval = domain.ParseLabel(label);
    if (!interval)
      return BadCellOf(table, column, intervals.size(), "holds a value that its taxonomy or domain does not know");
    intervals.push_back(*interval);
  }
  return intervals;
}

Result<Classes> ReadBoxes(const PublishedTable& table, std::span<const Domain> domains) {
  std::vector<std::vector<Interval>> intervals;
  std::vector<const CodeColumn*> columns;
  for (std::size_t i = 0; i < domains.size(); ++i) {
    PENTIMENTO_ASSIGN(std::vector<Interval> labels, ReadLabels(table, i, domains[i]));
    intervals.push_back(std::move(labels));
    columns.push_back(&table.columns[i].codes);
  }
  Combinations classes = NumberCombinations(table.rows, columns);
  Classes draft{.columns = columns.size(), .boxes = {}, .of_row = std::move(classes.of_row)};
  draft.boxes.resize(std::size_t{classes.count} * columns.size());
  for (std::size_t row = 0; row < table.rows; ++row) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      draft.boxes[draft.of_row[row] * columns.size() + i] = intervals[i][(*columns[i])[row]];
    }
  }
  return draft;
}

ColumnLabels LabelsOf(const ValueColumn& values, Role role, const std::vector<std::string>& missing) {
  std::vector<std::string> texts = CsvTexts(values);
  if (role == Role::kQuasiIdentifier) {
    for (std::string& text : texts) {
      if (std::ranges::find(missing, text) != missing.end()) text.clear();
    }
  }
  ColumnLabels read{texts, {}};
  std::ranges::sort(read.labels);
  const auto repeated = std::ranges::unique(read.labels);
  read.labels.erase(repeated.begin(), repeated.end());
  for (const std::string& text : texts) {
    const auto place = std::ranges::lower_bound(read.labels, text);
    read.label_of_code.push_back(static_cast<std::uint32_t>(place - read.labels.begin()));
  }
  return read;
}

bool IsCut(const PublishedColumn& column, const std::vector<std::string>& labels) {
  if (column.role != Role::kQuasiIdentifier) return true;
  const Result<Domain> domain = DomainOfLabels(column, {&labels}, true);
  if (!domain.ok()) return false;
  std::vector<Interval> intervals;
  for (const std::string& label : labels) {
    const std::optional<Interval> interval = domain->ParseLabel(label);
    if (!interval) return false;
    intervals.push_back(*interval);
  }
  std::ranges::sort(intervals);
  // Two spellings of one interval exclude nothing and nobody.
  const auto repeated = std::ranges::unique(intervals);
  intervals.erase(repeated.begin(), repeated.end());
  return std::ranges::adjacent_find(intervals, [](const Interval& before, const Interval& after) {
           return after.lo <= before.hi;
         }) == intervals.end();
}

std::optional<std::size_t> FindRow(const CodeColumn& codes, const std::vector<bool>& is_wanted) {
  if (std::ranges::find(is_wanted, true) == is_wanted.end()) return std::nullopt;
  return codes.Visit([&](auto cells) -> std::optional<std::size_t> {
    for (std::size_t row = 0; row < cells.size(); ++row) {
      if (is_wanted[cells[row]]) return row;
    }
    return std::nullopt;
  });
}

}  // namespace pentimento
