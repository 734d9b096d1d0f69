#include "engine/query/label_meanings.h"

#include <algorithm>

#include "engine/published/published_cells.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

Error UnknownCell(const std::string& source, const std::string& column) {
  return {ErrorCode::kBadInput,
          fmt::format("{}: column '{}' holds a value that the taxonomy or domain of the release does not know; is this "
                      "the table that belongs to it?",
                      source, column)};
}

// The empty text for all that count as missing.
const std::string& MeantBy(const std::string& text, std::span<const std::string> missing) {
  static const std::string kMissing;
  return std::ranges::find(missing, text) == missing.end() ? text : kMissing;
}

// A list of values of a query, to look texts and numbers up in.
class ValueList {
 public:
  ValueList(const std::vector<QueryWord>& values, std::span<const std::string> missing) {
    for (const QueryWord& value : values) {
      texts_.push_back(MeantBy(value.text, missing));
      if (texts_.back().empty()) continue;
      if (const auto number = ParseDecimal(value.text)) numbers_.push_back(WideUnits(*number));
    }
    std::ranges::sort(texts_);
    std::ranges::sort(numbers_);
  }
  bool Holds(const std::string& text, const std::optional<Decimal>& number) const {
    if (std::ranges::binary_search(texts_, text)) return true;
    return number && !numbers_.empty() && std::ranges::binary_search(numbers_, WideUnits(*number));
  }

 private:
  std::vector<std::string> texts_;
  std::vector<WideNumber> numbers_;
};

// Dates are written as we write them, or as in the table that the release was made of.
std::optional<Code> LeafOf(const PublishedColumn& column, const std::string& label) {
  const std::optional<Code> leaf = column.taxonomy->FindLeaf(label);
  const auto& days = column.taxonomy->calendar();
  if (leaf || !days) return leaf;
  const DateForm::Reading reading = column.date_form.Read(label);
  if (reading.fault != DateForm::Fault::kNone || !days->Contains(reading.day)) return std::nullopt;
  return static_cast<Code>(reading.day - days->first);
}

bool LiesBetween(const Predicate& predicate, Decimal value) {
  const WideNumber at = WideUnits(value);
  if (predicate.lo) {
    const WideNumber lo = WideUnits(predicate.lo->number);
    if (at < lo || (at == lo && !predicate.lo->included)) return false;
  }
  if (!predicate.hi) return true;
  const WideNumber hi = WideUnits(predicate.hi->number);
  return at < hi || (at == hi && predicate.hi->included);
}

}  // namespace

Result<LabelMeanings> LabelMeanings::Read(const PublishedColumn& column, CellStyle style,
                                          std::vector<std::string> labels, std::span<const std::string> missing,
                                          const std::string& source) {
  LabelMeanings meanings;
  meanings.name_ = column.name;
  meanings.labels_ = std::move(labels);
  meanings.is_plain_ = column.is_plain();
  if (meanings.is_plain_) {
    meanings.ReadPlain(missing);
  } else if (style == CellStyle::kAsCollected) {
    PENTIMENTO_RETURN_IF_ERROR(meanings.ReadCollected(column, missing, source));
  } else {
    PENTIMENTO_RETURN_IF_ERROR(meanings.ReadGeneralized(column, !missing.empty(), source));
  }
  return meanings;
}

// In a release with limits on sensitive values all that counts as missing is an empty cell, in its original it is not:
// both are counted alike.
void LabelMeanings::ReadPlain(std::span<const std::string> missing) {
  is_ordered_ = true;
  missing_.assign(missing.begin(), missing.end());
  for (std::string& label : labels_) {
    label = MeantBy(label, missing_);
    numbers_.push_back(ParseDecimal(label));
    is_ordered_ = is_ordered_ && (label.empty() || numbers_.back());
    if (numbers_.back()) sorted_numbers_.push_back(WideUnits(*numbers_.back()));
  }
  sorted_labels_ = labels_;
  std::ranges::sort(sorted_labels_);
  std::ranges::sort(sorted_numbers_);
}

Status LabelMeanings::ReadCollected(const PublishedColumn& column, std::span<const std::string> missing,
                                    const std::string& source) {
  for (const std::string& label : labels_) {
    if (label.empty() || std::ranges::find(missing, label) != missing.end()) {
      meanings_.push_back({{}, false, true});
      shows_missing_ = true;
      continue;
    }
    std::optional<WideNumber> at;
    if (column.taxonomy) {
      if (const std::optional<Code> leaf = LeafOf(column, label)) at = *leaf;
    } else if (const std::optional<Decimal> number = ParseDecimal(label)) {
      at = WideUnits(*number);
    }
    if (!at) return UnknownCell(source, column.name);
    meanings_.push_back({{*at, *at}, true, false});
  }
  return {};
}

Status LabelMeanings::ReadGeneralized(const PublishedColumn& column, bool allows_missing, const std::string& source) {
  PENTIMENTO_ASSIGN(const Domain domain, DomainOfLabels(column, {&labels_}, allows_missing));
  if (domain.is_numeric()) unit_ = WideUnits({1, domain.range().scale});
  for (const std::string& label : labels_) {
    const std::optional<Interval> codes = domain.ParseLabel(label);
    if (!codes) return UnknownCell(source, column.name);
    Meaning meaning;
    meaning.may_be_missing = domain.IsMissing(codes->hi);
    meaning.has_values = !domain.IsMissing(codes->lo);
    if (meaning.has_values) {
      const Code last = meaning.may_be_missing ? codes->hi - 1 : codes->hi;
      meaning.span = domain.is_numeric()
                         ? IntervalSet::Span{WideUnits({domain.range().point(codes->lo), domain.range().scale}),
                                             WideUnits({domain.range().point(last), domain.range().scale})}
                         : IntervalSet::Span{codes->lo, last};
    }
    shows_missing_ = shows_missing_ || !meaning.has_values;
    meanings_.push_back(meaning);
  }
  return {};
}

// Tables without a missing value are the rule, and in them a missing value that is counted wherever it cannot be ruled
// out takes people away from all values. Where some are, the column mostly shows it.
CellMatch LabelMeanings::MatchBox(const Meaning& meaning, const AllowedValues& allowed) const {
  // A span whose ends are equal is one value, whatever the unit.
  const bool one = meaning.span.lo == meaning.span.hi;
  const WideNumber unit = one ? 1 : unit_;
  WideNumber all = 0, met = 0;
  if (meaning.has_values) {
    all = (meaning.span.hi - meaning.span.lo) / unit + 1;
    met = allowed.values.CountIn(meaning.span, unit);
  }
  const bool missing_meets = meaning.may_be_missing && allowed.missing;
  const bool missing_fails = meaning.may_be_missing && !allowed.missing;
  CellMatch match{0, met > 0 || missing_meets, met == all && !missing_fails};
  if (meaning.may_be_missing && shows_missing_) {
    all += 1;
    met += missing_meets ? 1 : 0;
  }
  match.share = met == all ? 1.0 : static_cast<double>(met) / static_cast<double>(all);
  return match;
}

std::vector<bool> LabelMeanings::MatchPlain(const Predicate& predicate) const {
  std::vector<bool> matches(labels_.size());
  const ValueList list(predicate.values, missing_);
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    bool met = false;
    if (predicate.kind == Predicate::Kind::kInterval) {
      met = numbers_[i] && LiesBetween(predicate, *numbers_[i]);
    } else if (predicate.kind == Predicate::Kind::kOneOf) {
      met = list.Holds(labels_[i], numbers_[i]);
    } else {
      met = !labels_[i].empty() && !list.Holds(labels_[i], numbers_[i]);
    }
    matches[i] = met;
  }
  return matches;
}

Result<std::vector<CellMatch>> LabelMeanings::Match(const BoundQuery& bound, const ColumnCondition& condition) const {
  std::vector<CellMatch> matches(labels_.size(), {1, true, true});
  if (!is_plain_) {
    for (std::size_t i = 0; i < labels_.size(); ++i) matches[i] = MatchBox(meanings_[i], condition.allowed);
    return matches;
  }
  for (const std::uint32_t number : condition.predicates) {
    const Predicate& predicate = bound.query->predicates[number];
    const bool is_interval = predicate.kind == Predicate::Kind::kInterval;
    const bool is_of_dates = is_interval && (predicate.lo ? predicate.lo->is_date : predicate.hi->is_date);
    if (is_interval && (!is_ordered_ || is_of_dates)) {
      return QueryError(*bound.query, predicate.position,
                        fmt::format("column '{}' has no order: not all of its values are numbers; list the values "
                                    "you mean: in (a, b)",
                                    name_));
    }
    const std::vector<bool> met = MatchPlain(predicate);
    for (std::size_t i = 0; i < matches.size(); ++i) {
      if (!met[i]) matches[i] = {};
    }
  }
  return matches;
}

bool LabelMeanings::Holds(const std::string& value) const {
  const std::string& meant = MeantBy(value, missing_);
  if (std::ranges::binary_search(sorted_labels_, meant)) return true;
  const std::optional<Decimal> number = ParseDecimal(meant);
  return number && std::ranges::binary_search(sorted_numbers_, WideUnits(*number));
}

std::vector<std::string> LabelMeanings::Values() const {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    const bool is_value = is_plain_ ? !labels_[i].empty() : meanings_[i].has_values;
    if (is_value) values.push_back(labels_[i]);
  }
  return values;
}

}  // namespace pentimento
