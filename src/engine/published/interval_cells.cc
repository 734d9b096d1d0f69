#include "engine/published/interval_cells.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/mix64.h"
#include "fmt/core.h"
#include "io/cells.h"
#include "taxonomy/label.h"

namespace pentimento {
namespace {

constexpr const char* kNoInterval = "[,)";

// Nothing for a null.
std::optional<std::string> TextOf(const ValueColumn& column, Code code) {
  if (code == column.null_code) return std::nullopt;
  CellScratch scratch;
  return std::string(CellText(column.values[code], column.type, scratch).value_or(""));
}

// Nothing for a missing value.
std::optional<std::string> LabelOf(const Decimal& domain_lo, const std::optional<std::string>& from,
                                   const std::optional<std::string>& to, bool may_be_missing) {
  if (!from && !to && may_be_missing) return std::nullopt;
  if (!from || !to) return kNoInterval;
  if (!may_be_missing) return fmt::format("[{},{})", *from, *to);
  // Only the whole domain is published for a missing value together with others.
  const std::optional<Decimal> lo = ParseDecimal(*from);
  return lo && lo->units == domain_lo.units && lo->scale == domain_lo.scale ? std::string(kPublishedRoot) : kNoInterval;
}

// Two numbers may have one label.
ValueColumn ColumnOf(const std::string& name, const std::vector<std::optional<std::string>>& labels,
                     const std::vector<std::uint32_t>& label_of_row) {
  ValueColumn column{name, {}, {}, std::nullopt, {}};
  for (const std::optional<std::string>& label : labels) {
    if (label) column.values.push_back(*label);
  }
  std::ranges::sort(column.values);
  column.values.erase(std::unique(column.values.begin(), column.values.end()), column.values.end());
  std::vector<Code> code_of_label;
  for (const std::optional<std::string>& label : labels) {
    const auto at = label ? std::ranges::lower_bound(column.values, *label) : column.values.end();
    code_of_label.push_back(static_cast<Code>(at - column.values.begin()));
    if (!label) column.null_code = code_of_label.back();
  }
  if (column.null_code) column.values.emplace_back();
  column.codes = CodeColumn(column.values.size(), label_of_row.size());
  column.codes.VisitMutable([&](auto& codes) {
    using Narrow = std::remove_reference_t<decltype(codes[0])>;
    for (std::size_t row = 0; row < codes.size(); ++row)
      codes[row] = static_cast<Narrow>(code_of_label[label_of_row[row]]);
  });
  return column;
}

}  // namespace

ValueColumn LabelsOfEnds(const std::string& name, const Decimal& domain_lo, const ValueColumn& from,
                         const ValueColumn& to, const ValueColumn* missing) {
  const std::size_t rows = from.codes.size();
  const std::uint64_t most_missing = missing == nullptr ? 1 : missing->values.size();
  tsl::robin_map<std::uint64_t, std::uint32_t, Mix64> number_of_key;
  std::vector<std::optional<std::string>> labels;  // by number
  std::vector<std::uint32_t> number_of_row(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const Code f = from.codes[row], t = to.codes[row], m = missing == nullptr ? 0 : missing->codes[row];
    const std::uint64_t key = (std::uint64_t{f} * to.values.size() + t) * most_missing + m;
    const auto [at, is_new] = number_of_key.try_emplace(key, static_cast<std::uint32_t>(labels.size()));
    number_of_row[row] = at->second;
    if (!is_new) continue;
    const bool may_be_missing = missing != nullptr && TextOf(*missing, m) == "true";
    labels.push_back(LabelOf(domain_lo, TextOf(from, f), TextOf(to, t), may_be_missing));
  }
  return ColumnOf(name, labels, number_of_row);
}

}  // namespace pentimento
