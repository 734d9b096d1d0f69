#include "engine/published/foreign_cells.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/plural.h"
#include "engine/published/published_cells.h"
#include "files/table_file.h"
#include "fmt/core.h"
#include "fmt/ranges.h"
#include "taxonomy/foreign_numbers.h"
#include "taxonomy/interval_label.h"

namespace pentimento {
namespace {

// Where the declared ends still fit into 64 bits, and so does their distance.
bool FitsAtScale(const PublishedColumn& column, int scale) {
  const auto lo = UnitsAtScale(column.range->first, scale), hi = UnitsAtScale(column.range->second, scale);
  std::int64_t width = 0;
  return lo && hi && !__builtin_sub_overflow(*hi, *lo, &width);
}

int ScaleOf(const NumberPart& part) {
  return std::max(part.lo ? part.lo->number.scale : 0, part.hi ? part.hi->number.scale : 0);
}

// The multiples of `unit` at and around the place of an end, toward the inside of its part.
WideNumber FloorOf(WideNumber place, WideNumber unit) { return place / unit - (place % unit < 0 ? 1 : 0); }
WideNumber FirstInside(const NumberEnd& end, WideNumber unit) {
  const WideNumber place = WideUnits(end.number), floor = FloorOf(place, unit);
  return floor * unit == place && end.is_included ? floor : floor + 1;
}
WideNumber LastInside(const NumberEnd& end, WideNumber unit) {
  const WideNumber place = WideUnits(end.number), floor = FloorOf(place, unit);
  return floor * unit == place && !end.is_included ? floor - 1 : floor;
}

// The strict reader comes first, as in ForeignLabelReader.
std::vector<NumberPart> PartsOf(const std::string& label) {
  if (const auto own = ParseIntervalNumbers(label))
    return {{NumberEnd{own->lo, true}, NumberEnd{own->hi, !own->is_half_open}}};
  auto numbers = ParseForeignNumbers(label);
  return numbers ? std::move(numbers->parts) : std::vector<NumberPart>();
}

// By code.
std::vector<std::uint64_t> CountRows(const ValueColumn& values) {
  std::vector<std::uint64_t> rows(values.values.size());
  values.codes.Visit([&](auto codes) {
    for (const auto code : codes) ++rows[code];
  });
  return rows;
}

UnreadLabels CountUnread(const PublishedColumn& column, const ValueColumn& values,
                         const std::vector<ForeignLabel>& of_code) {
  UnreadLabels unread;
  unread.column = column.name;
  unread.is_numeric = column.taxonomy == nullptr;
  const std::vector<std::uint64_t> rows = CountRows(values);
  std::vector<bool> is_unread(of_code.size());
  for (std::size_t code = 0; code < of_code.size(); ++code) {
    const LabelReading reading = of_code[code].reading;
    // A dictionary may list what no row has.
    if (reading == LabelReading::kExact || rows[code] == 0) continue;
    is_unread[code] = true;
    LabelCount& count = reading == LabelReading::kUnknown  ? unread.unknown
                        : reading == LabelReading::kBeyond ? unread.beyond
                                                           : unread.wider;
    ++count.labels;
    count.rows += rows[code];
  }
  unread.first_row = FindRow(values.codes, is_unread).value_or(0);
  return unread;
}

}  // namespace

Result<Domain> DomainOfForeignLabels(const PublishedColumn& column, const std::vector<std::string>& labels,
                                     bool allows_missing) {
  if (column.taxonomy) return Domain(column.taxonomy, allows_missing);
  std::vector<NumberPart> parts;
  int scale = std::max({column.scale, column.range->first.scale, column.range->second.scale});
  for (const std::string& label : labels) {
    for (const NumberPart& part : PartsOf(label)) {
      parts.push_back(part);
      if (FitsAtScale(column, ScaleOf(part))) scale = std::max(scale, ScaleOf(part));
    }
  }
  const WideNumber unit = WideUnits({1, scale});
  const WideNumber first = WideUnits(column.range->first) / unit, last = WideUnits(column.range->second) / unit;
  std::vector<IntervalNumbers> numbers;
  for (const NumberPart& part : parts) {
    const WideNumber lo = std::max(first, part.lo ? FirstInside(*part.lo, unit) : first);
    const WideNumber hi = std::min(last, part.hi ? LastInside(*part.hi, unit) : last);
    if (lo > hi) continue;
    numbers.push_back({{static_cast<std::int64_t>(lo), scale}, {static_cast<std::int64_t>(hi), scale}, false});
  }
  PublishedColumn finer = column;
  finer.scale = scale;
  return DomainOfNumbers(finer, std::move(numbers), allows_missing);
}

std::string InWords(const UnreadLabels& unread) {
  std::vector<std::string> reasons;
  const auto add = [&](const LabelCount& count, std::string_view why) {
    if (count.labels == 0) return;
    const bool is_only = count.labels == unread.labels();
    reasons.push_back(is_only ? std::string(why) : fmt::format("{} {}", count.labels, why));
  };
  add(unread.unknown, unread.is_numeric ? "of no known form" : "neither in its taxonomy nor of a known form");
  add(unread.beyond, unread.is_numeric ? "outside of its domain" : "masks of no leaf of its taxonomy");
  add(unread.wider, "with gaps or two readings");
  return fmt::format("column '{}': {} different {} in {} {} {} not understood ({})", unread.column, unread.labels(),
                     Plural(unread.labels(), "label", "labels"), unread.rows(), Plural(unread.rows(), "row", "rows"),
                     Plural(unread.labels(), "is", "are"), fmt::join(reasons, ", "));
}

Result<ForeignColumn> ReadForeignColumn(const PublishedColumn& column, const ValueColumn& values,
                                        std::span<const std::string> missing) {
  Check(!column.is_plain(), "a quasi-identifier has a taxonomy or a range");
  const std::vector<std::string> texts = CsvTexts(values);
  Result<Domain> domain = DomainOfForeignLabels(column, texts, !missing.empty());
  if (!domain.ok()) return std::move(domain).error();
  ForeignColumn read{std::move(domain).value(), {}, {}, {}};
  const ForeignLabelReader reader(read.domain);
  for (const std::string& text : texts) {
    if (std::ranges::find(missing, text) != missing.end()) {
      const Code code = *read.domain.missing_code();
      read.of_code.push_back({LabelReading::kExact, {code, code}});
      read.own.emplace_back();
      continue;
    }
    read.of_code.push_back(text.empty() ? ForeignLabel() : reader.Read(text));
    read.own.push_back(text.empty() ? std::string() : reader.Translate(text).value_or(std::string()));
  }
  read.unread = CountUnread(column, values, read.of_code);
  return read;
}

ValueColumn InOwnLabels(const ForeignColumn& column, const ValueColumn& values) {
  Check(column.unread.empty(), "every label of the column is understood");
  ValueColumn own{values.name, CellType{}, column.own, std::nullopt, {}};
  std::ranges::sort(own.values);
  const auto repeated = std::ranges::unique(own.values);
  own.values.erase(repeated.begin(), repeated.end());
  std::vector<Code> of_code;
  for (const std::string& label : column.own) {
    const auto place = std::ranges::lower_bound(own.values, label);
    of_code.push_back(static_cast<Code>(place - own.values.begin()));
  }
  own.codes = CodeColumn(own.values.size(), values.codes.size());
  for (std::size_t row = 0; row < values.codes.size(); ++row) own.codes.Set(row, of_code[values.codes[row]]);
  return own;
}

}  // namespace pentimento
