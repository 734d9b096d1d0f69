#include "taxonomy/interval_label.h"

#include <algorithm>

#include "base/decimal.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

std::string WriteUnits(const NumericRange& range, std::int64_t units) { return ToString(Decimal{units, range.scale}); }

std::optional<std::int64_t> ParseUnits(const NumericRange& range, std::string_view text) {
  const auto number = ParseDecimal(text);
  return number ? UnitsAtScale(*number, range.scale) : std::nullopt;
}

std::optional<Code> PointAt(const NumericRange& range, std::int64_t units) {
  if (units < range.lo || units > range.hi) return std::nullopt;
  if (range.points.empty()) return static_cast<Code>(units - range.lo);
  const auto found = std::lower_bound(range.points.begin(), range.points.end(), units);
  if (*found != units) return std::nullopt;
  return static_cast<Code>(found - range.points.begin());
}

}  // namespace

std::string WriteIntervalLabel(const NumericRange& range, Interval codes) {
  const std::int64_t lo = range.point(codes.lo), hi = range.point(codes.hi);
  if (lo == hi) return WriteUnits(range, lo);
  if (hi == range.hi) return fmt::format("[{},{}]", WriteUnits(range, lo), WriteUnits(range, hi));
  // One unit past the last value, not the next value that occurs: that one may be somebody else's.
  return fmt::format("[{},{})", WriteUnits(range, lo), WriteUnits(range, hi + 1));
}

std::optional<Interval> ParseIntervalLabel(const NumericRange& range, std::string_view label) {
  if (!label.starts_with('[')) {
    const auto units = ParseUnits(range, label);
    const auto point = units ? PointAt(range, *units) : std::nullopt;
    return point ? std::optional(Interval{*point, *point}) : std::nullopt;
  }
  const std::size_t comma = label.find(',');
  const bool closed = label.ends_with(']');
  if (comma == std::string_view::npos || (!closed && !label.ends_with(')'))) return std::nullopt;
  const auto lo_units = ParseUnits(range, label.substr(1, comma - 1));
  const auto hi_units = ParseUnits(range, label.substr(comma + 1, label.size() - comma - 2));
  if (!lo_units || !hi_units || *hi_units == INT64_MIN) return std::nullopt;
  const auto lo = PointAt(range, *lo_units);
  const auto hi = PointAt(range, closed ? *hi_units : *hi_units - 1);
  if (!lo || !hi || *hi < *lo) return std::nullopt;
  return Interval{*lo, *hi};
}

}  // namespace pentimento
