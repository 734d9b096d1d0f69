#include "engine/query/bind_query.h"

#include <algorithm>

#include "base/suggest.h"
#include "engine/published/datapackage.h"
#include "fmt/core.h"
#include "taxonomy/label.h"

namespace pentimento {
namespace {

WideNumber FloorDivide(WideNumber number, WideNumber unit) {
  const WideNumber quotient = number / unit;
  return number % unit < 0 ? quotient - 1 : quotient;
}

WideNumber MultiplesIn(WideNumber lo, WideNumber hi, WideNumber unit) {
  if (lo > hi) return 0;
  return FloorDivide(hi, unit) - FloorDivide(lo - 1, unit);
}

using Span = IntervalSet::Span;

Result<std::uint32_t> FindColumn(const Query& query, const QueryWord& name, std::span<const QueryColumn> columns) {
  const auto found = std::ranges::find(columns, name.text, &QueryColumn::name);
  if (found != columns.end()) return static_cast<std::uint32_t>(found - columns.begin());
  std::vector<std::string> names;
  for (const QueryColumn& column : columns) names.push_back(column.name);
  return QueryError(query, name.position,
                    fmt::format("the release has no column '{}'.{}", name.text, DidYouMean(name.text, names)));
}

Result<Span> DaysOf(const Query& query, const QueryWord& value, const QueryColumn& column) {
  if (value.text == kPublishedRoot) return Span{0, column.taxonomy->leaf_count() - 1};
  if (const auto days = ParseDateLabel(*column.taxonomy, value.text)) return Span{days->lo, days->hi};
  const DayRange& domain = *column.taxonomy->calendar();
  return QueryError(query, value.position,
                    fmt::format("'{}' is no date of column '{}', which has those from {} to {}: write a day "
                                "(2024-03-05), a month (2024-03), a quarter (2024-Q1), a year (2024), or two of them "
                                "(2024-01..2024-02)",
                                value.text, column.name, WriteDay(domain.first), WriteDay(domain.last)));
}

Result<Span> LeavesOf(const Query& query, const QueryWord& value, const QueryColumn& column) {
  if (column.taxonomy->calendar()) return DaysOf(query, value, column);
  if (const auto node = column.taxonomy->FindNode(value.text)) {
    const Interval leaves = column.taxonomy->node(*node).leaves;
    return Span{leaves.lo, leaves.hi};
  }
  std::vector<std::string> labels;
  for (const Taxonomy::Node& node : column.taxonomy->nodes()) labels.push_back(node.label);
  return QueryError(query, value.position,
                    fmt::format("'{}' is no value of column '{}', and no label above one.{}", value.text, column.name,
                                DidYouMean(value.text, labels)));
}

Result<Span> PointOf(const Query& query, const QueryWord& value, const QueryColumn& column) {
  if (const std::optional<Decimal> number = ParseDecimal(value.text))
    return Span{WideUnits(*number), WideUnits(*number)};
  return QueryError(
      query, value.position,
      fmt::format("column '{}' holds numbers, and this is none: digits, and at most one point", column.name));
}

// The leaves of a taxonomy have an order of their own where all of them are numbers.
Result<IntervalSet> LeavesBetween(const Query& query, const Predicate& predicate, const QueryColumn& column,
                                  Span numbers) {
  std::vector<Span> leaves;
  for (Code code = 0; code < column.taxonomy->leaf_count(); ++code) {
    const std::optional<Decimal> number = ParseDecimal(column.taxonomy->leaf_label(code));
    if (!number) {
      return QueryError(query, predicate.position,
                        fmt::format("column '{}' has no order, so there is nothing between two of its values; list "
                                    "them: in (a, b), or name a label of its taxonomy",
                                    column.name));
    }
    const WideNumber at = WideUnits(*number);
    if (numbers.lo <= at && at <= numbers.hi) leaves.push_back({code, code});
  }
  return IntervalSet(std::move(leaves));
}

Span NumbersBetween(const Predicate& predicate) {
  Span span{-IntervalSet::kFar, IntervalSet::kFar};
  if (predicate.lo) span.lo = WideUnits(predicate.lo->number) + (predicate.lo->included ? 0 : 1);
  if (predicate.hi) span.hi = WideUnits(predicate.hi->number) - (predicate.hi->included ? 0 : 1);
  return span;
}

// Numbers of days from the first of the domain.
Span DaysBetween(const Predicate& predicate, DayRange domain) {
  Span span{-IntervalSet::kFar, IntervalSet::kFar};
  const auto place = [&](const QueryBound& bound) { return WideNumber{bound.number.units} - domain.first; };
  if (predicate.lo) span.lo = place(*predicate.lo) + (predicate.lo->included ? 0 : 1);
  if (predicate.hi) span.hi = place(*predicate.hi) - (predicate.hi->included ? 0 : 1);
  return span;
}

// Dates for a column of dates, numbers for any other.
Status RequireBoundsOf(const Query& query, const Predicate& predicate, const QueryColumn& column) {
  const bool has_dates = column.taxonomy && column.taxonomy->calendar();
  const bool is_date = predicate.lo ? predicate.lo->is_date : predicate.hi->is_date;
  if (is_date == has_dates) return {};
  return QueryError(
      query, predicate.position,
      has_dates ? fmt::format("column '{}' holds dates: the ends of an interval are written 2024-03-05", column.name)
                : fmt::format("column '{}' holds no dates, and this is one", column.name));
}

Result<AllowedValues> Allowed(const Query& query, const Predicate& predicate, const QueryColumn& column) {
  AllowedValues allowed{IntervalSet(), false};
  if (predicate.kind == Predicate::Kind::kInterval) {
    PENTIMENTO_RETURN_IF_ERROR(RequireBoundsOf(query, predicate, column));
    const Span numbers = NumbersBetween(predicate);
    if (column.taxonomy && column.taxonomy->calendar()) {
      allowed.values = IntervalSet({DaysBetween(predicate, *column.taxonomy->calendar())});
    } else if (column.range) {
      allowed.values = IntervalSet({numbers});
    } else {
      PENTIMENTO_ASSIGN(allowed.values, LeavesBetween(query, predicate, column, numbers));
    }
    return allowed;
  }
  std::vector<Span> spans;
  for (const QueryWord& value : predicate.values) {
    if (value.text.empty()) {
      allowed.missing = predicate.kind == Predicate::Kind::kOneOf;
      continue;
    }
    PENTIMENTO_ASSIGN(const Span span,
                      column.taxonomy ? LeavesOf(query, value, column) : PointOf(query, value, column));
    spans.push_back(span);
  }
  allowed.values = IntervalSet(std::move(spans));
  if (predicate.kind == Predicate::Kind::kNot) allowed.values = allowed.values.Complement();
  return allowed;
}

ColumnCondition& ConditionOn(BoundQuery& bound, std::uint32_t column) {
  const auto found = std::ranges::find(bound.conditions, column, &ColumnCondition::column);
  if (found != bound.conditions.end()) return *found;
  bound.conditions.push_back({column, {}, {}});
  return bound.conditions.back();
}

}  // namespace

IntervalSet::IntervalSet(std::vector<Span> spans) {
  std::erase_if(spans, [](const Span& span) { return span.lo > span.hi; });
  std::ranges::sort(spans, [](const Span& a, const Span& b) { return a.lo < b.lo; });
  for (const Span& span : spans) {
    if (!spans_.empty() && span.lo <= spans_.back().hi + 1) {
      spans_.back().hi = std::max(spans_.back().hi, span.hi);
    } else {
      spans_.push_back(span);
    }
  }
}

IntervalSet IntervalSet::Complement() const {
  std::vector<Span> gaps;
  WideNumber from = -kFar;
  for (const Span& span : spans_) {
    gaps.push_back({from, span.lo - 1});
    from = span.hi + 1;
  }
  gaps.push_back({from, kFar});
  return IntervalSet(std::move(gaps));
}

IntervalSet IntervalSet::Intersect(const IntervalSet& other) const {
  std::vector<Span> common;
  std::size_t i = 0, j = 0;
  while (i < spans_.size() && j < other.spans_.size()) {
    const Span& a = spans_[i];
    const Span& b = other.spans_[j];
    common.push_back({std::max(a.lo, b.lo), std::min(a.hi, b.hi)});
    (a.hi < b.hi ? i : j) += 1;
  }
  return IntervalSet(std::move(common));
}

WideNumber IntervalSet::CountIn(Span span, WideNumber unit) const {
  WideNumber count = 0;
  auto at = std::ranges::lower_bound(spans_, span.lo, {}, [](const Span& one) { return one.hi; });
  for (; at != spans_.end() && at->lo <= span.hi; ++at)
    count += MultiplesIn(std::max(span.lo, at->lo), std::min(span.hi, at->hi), unit);
  return count;
}

std::vector<QueryColumn> QueryColumnsOf(const Manifest& manifest) {
  std::vector<QueryColumn> columns;
  const bool has_classes = !manifest.sensitive_tables.empty();
  for (const PublishedColumn& column : manifest.columns) {
    // Numbers of classes say nothing about people.
    if (has_classes && column.name == kClassIdColumn) continue;
    columns.push_back({column, 0});
  }
  for (std::size_t table = 0; table < manifest.sensitive_tables.size(); ++table) {
    for (const std::string& name : manifest.sensitive_tables[table].columns) {
      std::erase_if(columns, [&](const QueryColumn& column) { return column.name == name; });
      columns.push_back({{name, Role::kSensitive, nullptr, std::nullopt, 0}, table + 1});
    }
  }
  return columns;
}

bool MeetsRange(const Predicate& predicate, const std::pair<Decimal, Decimal>& range) {
  const WideNumber lo = WideUnits(range.first), hi = WideUnits(range.second);
  if (predicate.kind == Predicate::Kind::kNot) return true;
  if (predicate.kind == Predicate::Kind::kInterval) {
    const Span asked = NumbersBetween(predicate);
    return asked.lo <= hi && lo <= asked.hi;
  }
  return std::ranges::any_of(predicate.values, [&](const QueryWord& value) {
    const std::optional<Decimal> number = ParseDecimal(value.text);
    return !number || (lo <= WideUnits(*number) && WideUnits(*number) <= hi);
  });
}

Result<BoundQuery> BindQuery(const Query& query, std::span<const QueryColumn> columns) {
  BoundQuery bound{&query, {}};
  for (std::uint32_t i = 0; i < query.predicates.size(); ++i) {
    const Predicate& predicate = query.predicates[i];
    PENTIMENTO_ASSIGN(const std::uint32_t column, FindColumn(query, predicate.column, columns));
    ColumnCondition& condition = ConditionOn(bound, column);
    condition.predicates.push_back(i);
    if (columns[column].is_plain()) continue;
    PENTIMENTO_ASSIGN(const AllowedValues allowed, Allowed(query, predicate, columns[column]));
    condition.allowed.values = condition.allowed.values.Intersect(allowed.values);
    condition.allowed.missing = condition.allowed.missing && allowed.missing;
  }
  std::ranges::sort(bound.conditions, {}, &ColumnCondition::column);
  return bound;
}

}  // namespace pentimento
