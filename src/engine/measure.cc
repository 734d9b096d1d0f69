#include "engine/measure.h"

#include <tsl/robin_map.h>

#include <algorithm>

#include "base/mix64.h"
#include "base/temporary_folder.h"
#include "engine/bind.h"
#include "engine/datapackage.h"
#include "fmt/core.h"
#include "io/encode.h"

namespace pentimento {
namespace {

using Field = PublishedPackage::Field;

EncodeOptions Unshuffled() {
  EncodeOptions options;
  options.spill_folder = TemporaryFolder();
  return options;
}

// Rows with equal codes in all columns get equal numbers.
std::vector<std::uint32_t> NumberCombinations(std::size_t rows, const std::vector<const CodeColumn*>& columns,
                                              std::uint32_t& count) {
  std::vector<std::uint32_t> number(rows, 0);
  count = rows == 0 ? 0 : 1;
  for (const CodeColumn* column : columns) {
    tsl::robin_map<std::uint64_t, std::uint32_t, Mix64> seen;
    column->Visit([&](auto codes) {
      for (std::size_t row = 0; row < rows; ++row) {
        const std::uint64_t key = std::uint64_t{number[row]} << 32 | codes[row];
        number[row] = seen.try_emplace(key, static_cast<std::uint32_t>(seen.size())).first->second;
      }
    });
    count = static_cast<std::uint32_t>(seen.size());
  }
  return number;
}

Distinctness DistinctnessOf(const std::vector<std::uint32_t>& combination_of_row, std::uint32_t combinations) {
  std::vector<std::uint32_t> size(combinations, 0);
  for (const std::uint32_t combination : combination_of_row) ++size[combination];
  return {combination_of_row.size(), combinations,
          static_cast<std::uint64_t>(std::count(size.begin(), size.end(), 1U))};
}

// A number in a label; the end of a half-open interval is one unit past the last value it covers.
struct LabelNumber {
  Decimal number;
  bool past_the_end = false;
};

// "[17,25)" holds two numbers.
std::vector<LabelNumber> NumbersIn(std::string_view label) {
  std::vector<LabelNumber> numbers;
  const bool half_open = label.ends_with(')');
  if (label.starts_with('[')) label = label.substr(1, label.size() - 2);
  for (std::size_t start = 0; start <= label.size();) {
    const std::size_t comma = std::min(label.find(',', start), label.size());
    if (const auto number = ParseDecimal(label.substr(start, comma - start)))
      numbers.push_back({*number, half_open && start > 0});
    start = comma + 1;
  }
  return numbers;
}

// The declared range, as fine as the published labels need it.
Result<Domain> NumericDomainFor(const Field& field, const std::vector<std::string>& labels, bool allows_missing) {
  std::vector<LabelNumber> numbers = {{field.range->first}, {field.range->second}};
  for (const std::string& label : labels) {
    for (const LabelNumber& number : NumbersIn(label)) numbers.push_back(number);
  }
  int scale = 0;
  for (const LabelNumber& number : numbers) scale = std::max(scale, number.number.scale);
  std::vector<std::int64_t> points;
  for (const auto& [number, past_the_end] : numbers) {
    const auto units = UnitsAtScale(number, scale);
    if (!units)
      return Error{ErrorCode::kBadInput,
                   fmt::format("column '{}' of the release holds numbers that are too long", field.name)};
    points.push_back(*units - (past_the_end ? 1 : 0));
  }
  NumericRange range{points[0], points[1], scale, {}};
  if (range.hi - range.lo >= std::int64_t{UINT32_MAX} - 2) {
    std::sort(points.begin(), points.end());
    points.erase(std::unique(points.begin(), points.end()), points.end());
    if (points.front() == range.lo && points.back() == range.hi) range.points = std::move(points);
  }
  if (range.points.empty() && range.hi - range.lo >= std::int64_t{UINT32_MAX} - 2) {
    return Error{ErrorCode::kBadInput,
                 fmt::format("column '{}' of the release holds numbers outside its domain", field.name)};
  }
  return Domain(std::move(range), allows_missing);
}

struct ReadRelease {
  Draft draft;
  std::vector<Domain> domains;
  Distinctness distinctness;
};

Result<std::vector<Interval>> ReadLabels(const std::filesystem::path& table, const Field& field, const Domain& domain,
                                         const ValueColumn& column) {
  std::vector<Interval> intervals;
  for (const std::string& label : column.values) {
    const std::optional<Interval> interval = domain.ParseLabel(label);
    if (!interval) {
      return Error{ErrorCode::kBadInput,
                   fmt::format("{}: column '{}' holds a value that its taxonomy or domain does not know; the "
                               "release was changed after it was published",
                               table.string(), field.name)};
    }
    intervals.push_back(*interval);
  }
  return intervals;
}

Result<ReadRelease> ReadPublished(const PublishedPackage& package) {
  EncodePlan plan;
  for (const Field& field : package.quasi_identifiers)
    plan.columns.push_back({field.name, Role::kClass, nullptr, std::nullopt});
  PENTIMENTO_ASSIGN(const EncodedInput table, EncodeTable(OpenInputs({package.table}, plan), plan, Unshuffled()));
  ReadRelease release;
  std::vector<std::vector<Interval>> intervals;
  std::vector<const CodeColumn*> columns;
  for (std::size_t i = 0; i < package.quasi_identifiers.size(); ++i) {
    const Field& field = package.quasi_identifiers[i];
    const bool allows_missing = !package.missing.empty();
    if (field.taxonomy) {
      release.domains.emplace_back(field.taxonomy, allows_missing);
    } else {
      PENTIMENTO_ASSIGN(Domain domain, NumericDomainFor(field, table.values[i].values, allows_missing));
      release.domains.push_back(std::move(domain));
    }
    PENTIMENTO_ASSIGN(std::vector<Interval> labels,
                      ReadLabels(package.table, field, release.domains.back(), table.values[i]));
    intervals.push_back(std::move(labels));
    columns.push_back(&table.values[i].codes);
  }
  std::uint32_t count = 0;
  release.draft.columns = columns.size();
  release.draft.group_of_row = NumberCombinations(table.table.rows, columns, count);
  release.draft.boxes.resize(std::size_t{count} * columns.size());
  for (std::size_t row = 0; row < table.table.rows; ++row) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      release.draft.boxes[release.draft.group_of_row[row] * columns.size() + i] = intervals[i][(*columns[i])[row]];
    }
  }
  release.distinctness = DistinctnessOf(release.draft.group_of_row, count);
  return release;
}

Result<Distinctness> ReadOriginal(const std::filesystem::path& original, const PublishedPackage& package) {
  EncodePlan plan;
  plan.missing = package.missing;
  for (const Field& field : package.quasi_identifiers) {
    plan.columns.push_back({field.name, Role::kQuasiIdentifier, field.taxonomy, field.range});
  }
  PENTIMENTO_ASSIGN(const EncodedInput table, EncodeTable(OpenInputs({original}, plan), plan, Unshuffled()));
  std::vector<const CodeColumn*> columns;
  for (const CodeColumn& column : table.table.quasi_identifiers) columns.push_back(&column);
  std::uint32_t count = 0;
  const std::vector<std::uint32_t> combination_of_row = NumberCombinations(table.table.rows, columns, count);
  return DistinctnessOf(combination_of_row, count);
}

}  // namespace

Result<MeasuredRelease> MeasureRelease(const std::filesystem::path& original,
                                       const std::filesystem::path& release_folder) {
  PENTIMENTO_ASSIGN(const PublishedPackage package, ReadDataPackage(release_folder));
  PENTIMENTO_ASSIGN(const ReadRelease release, ReadPublished(package));
  MeasuredRelease measured;
  measured.release = package.release;
  measured.k = package.k;
  for (const Field& field : package.quasi_identifiers) measured.quasi_identifiers.push_back(field.name);
  measured.metrics = Measure(release.draft, release.domains, package.k);
  measured.released = release.distinctness;
  PENTIMENTO_ASSIGN(measured.original, ReadOriginal(original, package));
  return measured;
}

}  // namespace pentimento
