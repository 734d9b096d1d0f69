#include "engine/xy/cell_meaning.h"

#include <algorithm>

#include "base/decimal.h"
#include "taxonomy/domain.h"
#include "taxonomy/interval_label.h"
#include "taxonomy/label.h"

namespace pentimento {

WideNumber PlaceOnLine(Decimal number) {
  WideNumber units = number.units;
  for (int scale = number.scale; scale < 18; ++scale) units *= 10;
  return 2 * units;
}

std::optional<NumberSpan> ReadNumberSpan(std::string_view label) {
  const std::optional<IntervalNumbers> numbers = ParseIntervalNumbers(label);
  if (!numbers) return std::nullopt;
  const NumberSpan span{PlaceOnLine(numbers->lo), PlaceOnLine(numbers->hi) - (numbers->is_half_open ? 1 : 0)};
  return span.lo <= span.hi ? std::optional(span) : std::nullopt;
}

std::optional<CellMeaning> CellReader::Read(const std::string& label) const {
  using Kind = CellMeaning::Kind;
  if (form == CellForm::kTexts) {
    // An empty cell is a missing value in every release, whatever its policy lists.
    const bool is_missing = label.empty() || std::ranges::find(missing, label) != missing.end();
    return CellMeaning{is_missing ? Kind::kMissing : Kind::kText, {}, {}, label};
  }
  if (label.empty()) return CellMeaning{Kind::kMissing, {}, {}, {}};
  const CellMeaning anything{missing.empty() ? Kind::kAnyValue : Kind::kAnything, {}, {}, {}};
  if (label == kPublishedRoot) return anything;
  if (form == CellForm::kNumbers) {
    const auto span = ReadNumberSpan(label);
    return span ? std::optional(CellMeaning{Kind::kNumbers, {}, *span, {}}) : std::nullopt;
  }
  const Domain domain(taxonomy, true);
  const auto leaves = domain.ParseLabel(label);
  if (!leaves) return std::nullopt;
  return *leaves == domain.root() ? anything : CellMeaning{Kind::kLeaves, *leaves, {}, label};
}

}  // namespace pentimento
