#include "taxonomy/interval_label.h"

#include <algorithm>
#include <vector>

#include "base/decimal.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

constexpr std::string_view kEscaped = "{|}\\";

void AppendEscaped(std::string_view label, std::string& set) {
  for (const char c : label) {
    if (kEscaped.find(c) != std::string_view::npos) set += '\\';
    set += c;
  }
}

// The labels between the braces, without their escapes.
std::optional<std::vector<std::string>> SplitSet(std::string_view set) {
  if (set.size() < 2 || set.front() != '{' || set.back() != '}') return std::nullopt;
  set = set.substr(1, set.size() - 2);
  std::vector<std::string> labels(1);
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (set[i] == '|') {
      labels.emplace_back();
    } else if (set[i] == '\\') {
      // Only what needs it is escaped; at the very end, the escape was meant for the closing brace.
      if (++i == set.size() || kEscaped.find(set[i]) == std::string_view::npos) return std::nullopt;
      labels.back() += set[i];
    } else if (kEscaped.find(set[i]) != std::string_view::npos) {
      return std::nullopt;
    } else {
      labels.back() += set[i];
    }
  }
  return labels;
}

std::string WriteUnits(const NumericRange& range, std::int64_t units) { return ToString(Decimal{units, range.scale}); }

std::optional<Code> PointAt(const NumericRange& range, std::int64_t units) {
  if (units < range.lo || units > range.hi) return std::nullopt;
  if (range.points.empty()) return static_cast<Code>(units - range.lo);
  const auto found = std::lower_bound(range.points.begin(), range.points.end(), units);
  if (*found != units) return std::nullopt;
  return static_cast<Code>(found - range.points.begin());
}

}  // namespace

std::string WriteSetLabel(const Taxonomy& taxonomy, Interval leaves) {
  std::vector<Taxonomy::NodeId> parts = taxonomy.Decompose(leaves);
  if (parts.front() == Taxonomy::kRoot) parts = taxonomy.root().children;
  if (parts.size() == 1) return taxonomy.node(parts.front()).label;
  std::string set;
  for (const Taxonomy::NodeId part : parts) {
    set += set.empty() ? '{' : '|';
    AppendEscaped(taxonomy.node(part).label, set);
  }
  return set + '}';
}

std::optional<Interval> ParseSetLabel(const Taxonomy& taxonomy, std::string_view label) {
  const auto labels = SplitSet(label);
  if (!labels || labels->size() < 2) return std::nullopt;
  std::vector<Interval> parts;
  for (const std::string& part : *labels) {
    const auto node = taxonomy.FindNode(part);
    if (!node || *node == Taxonomy::kRoot) return std::nullopt;
    parts.push_back(taxonomy.node(*node).leaves);
  }
  std::sort(parts.begin(), parts.end());
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].lo != parts[i - 1].hi + 1) return std::nullopt;
  }
  return Interval{parts.front().lo, parts.back().hi};
}

std::string WriteIntervalLabel(const NumericRange& range, Interval codes) {
  const std::int64_t lo = range.point(codes.lo), hi = range.point(codes.hi);
  if (lo == hi) return WriteUnits(range, lo);
  if (hi == range.hi) return fmt::format("[{},{}]", WriteUnits(range, lo), WriteUnits(range, hi));
  // One unit past the last value, not the next value that occurs: that one may be somebody else's.
  return fmt::format("[{},{})", WriteUnits(range, lo), WriteUnits(range, hi + 1));
}

std::optional<IntervalNumbers> ParseIntervalNumbers(std::string_view label) {
  if (!label.starts_with('[')) {
    const auto number = ParseDecimal(label);
    return number ? std::optional(IntervalNumbers{*number, *number, false}) : std::nullopt;
  }
  const std::size_t comma = label.find(',');
  const bool is_half_open = label.ends_with(')');
  if (comma == std::string_view::npos || (!is_half_open && !label.ends_with(']'))) return std::nullopt;
  const auto lo = ParseDecimal(label.substr(1, comma - 1));
  const auto hi = ParseDecimal(label.substr(comma + 1, label.size() - comma - 2));
  return lo && hi ? std::optional(IntervalNumbers{*lo, *hi, is_half_open}) : std::nullopt;
}

std::optional<Interval> ParseIntervalLabel(const NumericRange& range, std::string_view label) {
  const std::optional<IntervalNumbers> numbers = ParseIntervalNumbers(label);
  if (!numbers) return std::nullopt;
  const auto lo_units = UnitsAtScale(numbers->lo, range.scale), hi_units = UnitsAtScale(numbers->hi, range.scale);
  if (!lo_units || !hi_units || *hi_units == INT64_MIN) return std::nullopt;
  const auto lo = PointAt(range, *lo_units);
  const auto hi = PointAt(range, numbers->is_half_open ? *hi_units - 1 : *hi_units);
  if (!lo || !hi || *hi < *lo) return std::nullopt;
  return Interval{*lo, *hi};
}

}  // namespace pentimento
