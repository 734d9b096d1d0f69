#include "engine/published/published_table.h"

#include <algorithm>
#include <utility>

#include "base/temporary_folder.h"
#include "engine/bind/bind.h"
#include "engine/bind/label_numbers.h"
#include "engine/published/datapackage.h"
#include "fmt/core.h"
#include "table/combinations.h"

namespace pentimento {
namespace {

// The declared range, as fine as the manifest says that its numbers are, or as the published labels need it.
Result<Domain> NumericDomainFor(const PublishedColumn& field, std::vector<LabelNumber> numbers, bool allows_missing) {
  numbers.insert(numbers.begin(), {{field.range->first}, {field.range->second}});
  int scale = field.scale;
  for (const LabelNumber& number : numbers) scale = std::max(scale, number.number.scale);
  std::vector<std::int64_t> points;
  for (const auto& [number, past_the_end] : numbers) {
    const auto units = UnitsAtScale(number, scale);
    if (!units || *units == INT64_MIN)
      return Error{ErrorCode::kBadInput,
                   fmt::format("column '{}' of the release holds numbers that are too long", field.name)};
    points.push_back(*units - (past_the_end ? 1 : 0));
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
                 fmt::format("column '{}' of the release holds numbers outside its domain", field.name)};
  }
  return Domain(std::move(range), allows_missing);
}

Result<std::vector<Interval>> ReadLabels(const std::filesystem::path& table, const PublishedColumn& field,
                                         const Domain& domain, const ValueColumn& column) {
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

}  // namespace

Result<EncodedInput> ReadPublishedLabels(const Manifest& manifest, CaseNames names) {
  EncodePlan plan;
  for (const PublishedColumn& field : manifest.quasi_identifiers)
    plan.columns.push_back({field.name, Role::kClass, nullptr, std::nullopt});
  if (names == CaseNames::kRead) plan.columns.push_back({kCaseColumn, Role::kId, nullptr, std::nullopt});
  EncodeOptions options;
  options.spill_folder = TemporaryFolder();
  options.keep_identities = names == CaseNames::kRead;
  PENTIMENTO_ASSIGN(EncodedInput table, EncodeTable(OpenInputs(manifest.tables, plan), plan, options));
  std::vector<IdentityHash> cases = table.identity_of_row;
  std::ranges::sort(cases);
  if (std::ranges::adjacent_find(cases) != cases.end()) {
    return Error{ErrorCode::kBadInput,
                 fmt::format("{}: a case is there twice; the release was changed after it was published",
                             manifest.tables.front().string())};
  }
  return table;
}

Result<Domain> DomainOfLabels(const PublishedColumn& field, const std::vector<const std::vector<std::string>*>& labels,
                              bool allows_missing) {
  if (field.taxonomy) return Domain(field.taxonomy, allows_missing);
  std::vector<LabelNumber> numbers;
  for (const std::vector<std::string>* list : labels) {
    for (const std::string& label : *list) {
      for (const LabelNumber& number : NumbersIn(label)) numbers.push_back(number);
    }
  }
  return NumericDomainFor(field, std::move(numbers), allows_missing);
}

Result<std::vector<Domain>> DomainsOfLabels(const Manifest& manifest, bool allows_missing,
                                            std::span<const EncodedInput> tables) {
  std::vector<Domain> domains;
  for (std::size_t i = 0; i < manifest.quasi_identifiers.size(); ++i) {
    std::vector<const std::vector<std::string>*> labels;
    for (const EncodedInput& table : tables) labels.push_back(&table.values[i].values);
    Result<Domain> domain = DomainOfLabels(manifest.quasi_identifiers[i], labels, allows_missing);
    if (!domain.ok()) return std::move(domain).error();
    domains.push_back(std::move(domain).value());
  }
  return domains;
}

Result<Classes> ReadBoxes(const Manifest& manifest, const EncodedInput& table, std::span<const Domain> domains) {
  std::vector<std::vector<Interval>> intervals;
  std::vector<const CodeColumn*> columns;
  for (std::size_t i = 0; i < manifest.quasi_identifiers.size(); ++i) {
    PENTIMENTO_ASSIGN(std::vector<Interval> labels,
                      ReadLabels(manifest.tables.front(), manifest.quasi_identifiers[i], domains[i], table.values[i]));
    intervals.push_back(std::move(labels));
    columns.push_back(&table.values[i].codes);
  }
  Combinations groups = NumberCombinations(table.table.rows, columns);
  Classes draft{.columns = columns.size(), .boxes = {}, .of_row = std::move(groups.of_row)};
  draft.boxes.resize(std::size_t{groups.count} * columns.size());
  for (std::size_t row = 0; row < table.table.rows; ++row) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      draft.boxes[draft.of_row[row] * columns.size() + i] = intervals[i][(*columns[i])[row]];
    }
  }
  return draft;
}

Result<EncodedInput> ReadOriginals(const std::vector<std::filesystem::path>& files, const Manifest& manifest,
                                   std::vector<std::string> missing, Progress* progress) {
  EncodePlan plan;
  plan.missing = std::move(missing);
  for (const PublishedColumn& field : manifest.quasi_identifiers) {
    plan.columns.push_back({field.name, Role::kQuasiIdentifier, field.taxonomy, field.range});
  }
  EncodeOptions options;
  options.spill_folder = TemporaryFolder();
  options.progress = progress;
  return EncodeTable(OpenInputs(files, plan), plan, options);
}

}  // namespace pentimento
