#include "engine/series/series_domains.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "fmt/core.h"

namespace pentimento {
namespace {

std::optional<std::size_t> FindCode(const CodeColumn& column, Code code) {
  return column.Visit([&](auto codes) -> std::optional<std::size_t> {
    const auto found = std::ranges::find(codes, code);
    if (found == codes.end()) return std::nullopt;
    return static_cast<std::size_t>(found - codes.begin());
  });
}

// "q2.csv: row 3 (the header not counted)", where row 0 is the first of all inputs.
std::string PlaceOf(const EncodedInput& input, const BoundPolicy& bound, std::size_t row) {
  std::size_t part = 0, before = 0;
  while (part + 1 < input.rows_after_part.size() && input.rows_after_part[part] <= row)
    before = input.rows_after_part[part++];
  return fmt::format("{}: row {} (the header not counted)", bound.policy.inputs[part].string(), row - before + 1);
}

// The first row with more decimals than the ends of the declared domain.
std::optional<std::size_t> FindFiner(const CodeColumn& column, const Domain& domain, int declared_scale) {
  const NumericRange& range = domain.range();
  std::int64_t units = 1;  // of the range, in one of the declared domain
  for (int scale = declared_scale; scale < range.scale; ++scale) units *= 10;
  return column.Visit([&](auto codes) -> std::optional<std::size_t> {
    const auto found = std::ranges::find_if(
        codes, [&](auto code) { return !domain.IsMissing(code) && (range.point(code) - range.lo) % units != 0; });
    if (found == codes.end()) return std::nullopt;
    return static_cast<std::size_t>(found - codes.begin());
  });
}

Error NeedsAGrid(const EncodedInput& input, const BoundPolicy& bound, std::size_t column, bool has_begun) {
  const std::string& name = bound.quasi_identifiers[column];
  const auto& ends = std::ranges::find(bound.plan.columns, name, &ColumnPlan::name)->range;
  const std::optional<std::size_t> row = FindFiner(input.table.quasi_identifiers[column], input.domains[column],
                                                   std::max(ends->first.scale, ends->second.scale));
  if (!row) {
    return {ErrorCode::kBadInput,
            fmt::format("column '{}': a series needs a fixed grid of at most 65,534 values, but the domain is wider; "
                        "declare a narrower one, or one with fewer decimals",
                        name)};
  }
  return {ErrorCode::kBadInput,
          fmt::format("{}, column '{}': the cell has more decimals than the ends of the domain, but a series needs a "
                      "fixed grid of at most 65,534 values; {}",
                      PlaceOf(input, bound, *row), name,
                      has_begun ? "round the values: a series that has begun keeps its domain"
                                : "round the values, or declare the domain with an end that has as many decimals as "
                                  "they have, like 119.99")};
}

Error BeganWithoutMissing(const std::string& place, const std::string& name) {
  return {ErrorCode::kBadInput,
          fmt::format("{}, column '{}': the cell is missing, but the series began without missing "
                      "values there; fill it in, or begin a new series",
                      place, name)};
}

}  // namespace

Result<std::vector<Domain>> FixDomains(const EncodedInput& input, const BoundPolicy& bound,
                                       std::span<const SeriesAbout> earlier) {
  std::vector<Domain> domains;
  for (std::size_t c = 0; c < input.domains.size(); ++c) {
    const Domain& domain = input.domains[c];
    if (domain.is_numeric() && !domain.range().points.empty()) return NeedsAGrid(input, bound, c, !earlier.empty());
    const auto missing = domain.missing_code();
    const std::optional<std::size_t> row =
        missing ? FindCode(input.table.quasi_identifiers[c], *missing) : std::nullopt;
    const bool allows =
        earlier.empty() ? row.has_value() : c < earlier[0].allows_missing.size() && earlier[0].allows_missing[c];
    if (row && !allows) return BeganWithoutMissing(PlaceOf(input, bound, *row), bound.quasi_identifiers[c]);
    domains.push_back(domain.is_numeric() ? Domain(domain.range(), allows)
                                          : Domain(std::make_shared<const Taxonomy>(domain.taxonomy()), allows));
  }
  return domains;
}

}  // namespace pentimento
