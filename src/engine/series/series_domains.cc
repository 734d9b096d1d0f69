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

Error NeedsAGrid(const std::string& name) {
  return {ErrorCode::kBadInput,
          fmt::format("column '{}': a series needs a fixed grid of at most 65,534 values, but the domain is wider or "
                      "the values have more decimals than its ends; round the values, or declare the domain with "
                      "an end that has as many decimals as they have, like 119.99",
                      name)};
}

Error BeganWithoutMissing(std::size_t row, const std::string& name) {
  return {ErrorCode::kBadInput,
          fmt::format("row {} of the input (headers not counted), column '{}': the cell is missing, but the series "
                      "began without missing values there; fill it in, or begin a new series",
                      row + 1, name)};
}

}  // namespace

Result<std::vector<Domain>> FixDomains(const EncodedInput& input, std::span<const std::string> names,
                                       std::span<const SeriesAbout> earlier) {
  std::vector<Domain> domains;
  for (std::size_t c = 0; c < input.domains.size(); ++c) {
    const Domain& domain = input.domains[c];
    if (domain.is_numeric() && !domain.range().points.empty()) return NeedsAGrid(names[c]);
    const auto missing = domain.missing_code();
    const std::optional<std::size_t> row =
        missing ? FindCode(input.table.quasi_identifiers[c], *missing) : std::nullopt;
    const bool allows =
        earlier.empty() ? row.has_value() : c < earlier[0].allows_missing.size() && earlier[0].allows_missing[c];
    if (row && !allows) return BeganWithoutMissing(*row, names[c]);
    domains.push_back(domain.is_numeric() ? Domain(domain.range(), allows)
                                          : Domain(std::make_shared<const Taxonomy>(domain.taxonomy()), allows));
  }
  return domains;
}

}  // namespace pentimento
