#include "engine/incremental/incremental_domains.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "engine/steps/row_places.h"
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

std::string PlaceOf(const EncodedInput& input, const BoundPolicy& bound, std::size_t row) {
  return RowPlaces{bound.policy.inputs, input.rows_after_part}.Of(row);
}

// A quarter of all codes, so that arithmetic on intervals of codes never wraps.
constexpr std::uint64_t kMostValues = std::uint64_t{1} << 30;
constexpr const char* kMostValuesText = "1,073,741,824";

// Not where a grid would have too many values, or where some value lies between its points.
bool FitsOnGrid(const NumericRange& range, int declared_scale) {
  const std::uint64_t width = static_cast<std::uint64_t>(range.hi) - static_cast<std::uint64_t>(range.lo);
  return range.scale == declared_scale && width < kMostValues;
}

// From codes that count the values that occur to codes that count all there could be.
void PutOnGrid(Domain& domain, CodeColumn& column) {
  NumericRange grid = domain.range();
  grid.points.clear();
  Domain wide(std::move(grid), domain.missing_code().has_value());
  CodeColumn codes(wide.size(), column.size());
  column.Visit([&](auto ranks) {
    codes.VisitMutable([&](auto& places) {
      using Place = typename std::remove_cvref_t<decltype(places)>::value_type;
      for (std::size_t row = 0; row < ranks.size(); ++row) {
        places[row] = static_cast<Place>(
            domain.IsMissing(ranks[row]) ? *wide.missing_code() : domain.range().point(ranks[row]) - domain.range().lo);
      }
    });
  });
  domain = std::move(wide);
  column = std::move(codes);
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

int DeclaredScale(const BoundPolicy& bound, const std::string& name) {
  const auto& ends = std::ranges::find(bound.plan.columns, name, &ColumnPlan::name)->range;
  return std::max(ends->first.scale, ends->second.scale);
}

Error NeedsAGrid(const EncodedInput& input, const BoundPolicy& bound, std::size_t column, bool has_begun) {
  const std::string& name = bound.quasi_identifiers[column];
  const std::optional<std::size_t> row =
      FindFiner(input.table.quasi_identifiers[column], input.domains[column], DeclaredScale(bound, name));
  if (!row) {
    return {ErrorCode::kBadInput,
            fmt::format("column '{}': a series needs a fixed grid of at most {} values, but the domain is wider; "
                        "declare a narrower one, or one with fewer decimals",
                        name, kMostValuesText)};
  }
  return {ErrorCode::kBadInput,
          fmt::format("{}, column '{}': the cell has more decimals than the ends of the domain, but a series needs a "
                      "fixed grid of values; {}",
                      PlaceOf(input, bound, *row), name,
                      has_begun ? "round the values: a series that has begun keeps its domain"
                                : "round the values, or declare the domain with an end that has as many decimals as "
                                  "they have, like 119.99 (zeros at the end do not count)")};
}

Error BeganWithoutMissing(const std::string& place, const std::string& name) {
  return {ErrorCode::kBadInput,
          fmt::format("{}, column '{}': the cell is missing, but the series began without missing "
                      "values there; fill it in, or begin a new series",
                      place, name)};
}

}  // namespace

Result<std::vector<Domain>> FixDomains(EncodedInput& input, const BoundPolicy& bound,
                                       std::span<const IncrementalAbout> earlier) {
  std::vector<Domain> domains;
  for (std::size_t c = 0; c < input.domains.size(); ++c) {
    Domain& domain = input.domains[c];
    if (domain.is_numeric() && !domain.range().points.empty()) {
      if (!FitsOnGrid(domain.range(), DeclaredScale(bound, bound.quasi_identifiers[c])))
        return NeedsAGrid(input, bound, c, !earlier.empty());
      PutOnGrid(domain, input.table.quasi_identifiers[c]);
    }
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
