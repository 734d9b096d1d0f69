#include "engine/xy/attribute_codes.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/decimal.h"
#include "fmt/core.h"
#include "taxonomy/domain.h"
#include "taxonomy/interval_label.h"
#include "taxonomy/label.h"

namespace pentimento {
namespace {

using Kind = CellMeaning::Kind;

Error NoCode(std::string message) { return Error{ErrorCode::kBadInput, std::move(message)}; }

constexpr const char* kNothingMissingHere =
    "a value is missing, but [input] missing lists nothing here; write missing = [\"\"]";

}  // namespace

WideNumber PlaceOnLine(Decimal number) { return 2 * WideUnits(number); }

std::optional<NumberSpan> ReadNumberSpan(std::string_view label) {
  const std::optional<IntervalNumbers> numbers = ParseIntervalNumbers(label);
  if (!numbers) return std::nullopt;
  const NumberSpan span{PlaceOnLine(numbers->lo), PlaceOnLine(numbers->hi) - (numbers->is_half_open ? 1 : 0)};
  return span.lo <= span.hi ? std::optional(span) : std::nullopt;
}

std::optional<CellMeaning> CellReader::Read(const std::string& label) const {
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

TaxonomyTranslation::TaxonomyTranslation(const Taxonomy& from, const Taxonomy& to) : from_(from), to_(to) {
  for (Code leaf = 0; leaf < from.leaf_count(); ++leaf) of_leaf_.push_back(TranslateLeaf(leaf));
}

std::optional<Interval> TaxonomyTranslation::TranslateLeaf(Code leaf) const {
  Taxonomy::NodeId node = from_.leaf_node(leaf);
  if (const auto same = to_.FindNode(from_.node(node).label); same && *same != Taxonomy::kRoot)
    return to_.node(*same).leaves;
  while (node != Taxonomy::kRoot) {
    node = from_.node(node).parent;
    if (const auto coarser = to_.FindLeaf(from_.node(node).label)) return Interval{*coarser, *coarser};
  }
  return std::nullopt;
}

Result<Interval> TaxonomyTranslation::Translate(Interval leaves, const std::string& label) const {
  std::vector<Interval> parts;
  for (Code leaf = leaves.lo; leaf <= leaves.hi; ++leaf) {
    if (!of_leaf_[leaf] && from_.calendar())
      return Error{ErrorCode::kBadInput, "its domain of dates has days that the other one lacks"};
    if (!of_leaf_[leaf]) {
      return Error{ErrorCode::kBadInput,
                   fmt::format("its taxonomy has the label '{}', which the other one lacks", from_.leaf_label(leaf))};
    }
    parts.push_back(*of_leaf_[leaf]);
  }
  std::ranges::sort(parts);
  Interval all = parts.front();
  for (const Interval part : parts) {
    if (part.lo > all.hi + 1) {
      return Error{
          ErrorCode::kBadInput,
          fmt::format("its taxonomy puts leaves together, in {}, that do not lie side by side in the other one: "
                      "'{}' comes between them there",
                      label.starts_with('{') ? "a set" : "'" + label + "'", to_.leaf_label(all.hi + 1))};
    }
    all.hi = std::max(all.hi, part.hi);
  }
  const auto same = to_.FindNode(label);
  // Days are days, also of a month that one of the domains cuts off.
  if (same && !from_.calendar() && to_.node(*same).leaves != all) {
    return Error{ErrorCode::kBadInput,
                 fmt::format("the label '{}' of its taxonomy covers other leaves than in the other one", label)};
  }
  return all;
}

CategoryCodes::CategoryCodes(const Domain& domain, std::vector<std::shared_ptr<const Taxonomy>> own)
    : taxonomy_(domain.taxonomy()), missing_count_(domain.missing_code() ? 1 : 0), own_(std::move(own)) {
  Translate();
}

CategoryCodes::CategoryCodes(std::shared_ptr<const Taxonomy> taxonomy, const std::vector<std::string>& missing_texts,
                             std::vector<std::shared_ptr<const Taxonomy>> own)
    : taxonomy_(*taxonomy), own_(std::move(own)) {
  own_.push_back(std::move(taxonomy));  // keeps it alive; it is no member
  for (const std::string& text : missing_texts)
    missing_code_.try_emplace(text, taxonomy_.leaf_count() + static_cast<Code>(missing_code_.size()));
  missing_count_ = std::max<Code>(1, static_cast<Code>(missing_code_.size()));
  Translate();
}

void CategoryCodes::Translate() {
  for (const auto& taxonomy : own_) {
    translations_.emplace_back();
    if (taxonomy) translations_.back().emplace(*taxonomy, taxonomy_);
  }
}

Result<Interval> CategoryCodes::CodesOfMissing(const std::string& text) const {
  if (missing_count_ == 0) return NoCode(kNothingMissingHere);
  const auto found = missing_code_.find(text);
  if (found != missing_code_.end()) return Interval{found->second, found->second};
  return Interval{taxonomy_.leaf_count(), size() - 1};
}

Result<Interval> CategoryCodes::CodesOf(const CellMeaning& cell, std::size_t member) const {
  switch (cell.kind) {
    case Kind::kMissing:
      // A quasi-identifier has one way to say it, which may be any of the texts.
      if (translations_[member]) {
        if (missing_count_ == 0) return NoCode(kNothingMissingHere);
        return Interval{taxonomy_.leaf_count(), size() - 1};
      }
      return CodesOfMissing(cell.text);
    case Kind::kAnything:
      return Interval{0, size() - 1};
    case Kind::kAnyValue:
      return Interval{0, taxonomy_.leaf_count() - 1};
    case Kind::kLeaves:
      return translations_[member]->Translate(cell.leaves, cell.text);
    case Kind::kText:
      if (const auto leaf = taxonomy_.FindLeaf(cell.text)) return Interval{*leaf, *leaf};
      return NoCode("the cell holds a value that is no leaf of the taxonomy that the column has in another release");
    case Kind::kNumbers:
      break;
  }
  Check(false, "numbers and categories are never one attribute");
  return Interval{};
}

NumberCodes::NumberCodes(const Domain& domain) : domain_(&domain), has_missing_(domain.missing_code().has_value()) {}

NumberCodes::NumberCodes(const std::vector<NumberSpan>& spans) {
  for (const NumberSpan& span : spans) {
    points_.push_back(span.lo);
    points_.push_back(span.hi);
  }
  std::ranges::sort(points_);
  const auto repeated = std::ranges::unique(points_);
  points_.erase(repeated.begin(), repeated.end());
}

WideNumber NumberCodes::point(Code code) const {
  if (!domain_) return points_[code];
  return PlaceOnLine({domain_->range().point(code), domain_->range().scale});
}

Code NumberCodes::FirstPointFrom(WideNumber place) const {
  Code lo = 0, hi = point_count();
  while (lo < hi) {
    const Code middle = lo + (hi - lo) / 2;
    if (point(middle) < place) {
      lo = middle + 1;
    } else {
      hi = middle;
    }
  }
  return lo;
}

Result<Interval> NumberCodes::CodesOf(const CellMeaning& cell, std::size_t) const {
  NumberSpan span = cell.span;
  switch (cell.kind) {
    case Kind::kMissing:
      if (!has_missing_) return NoCode(kNothingMissingHere);
      return Interval{point_count(), point_count()};
    case Kind::kAnything:
      return Interval{0, size() - 1};
    case Kind::kAnyValue:
      return Interval{0, std::max<Code>(point_count(), 1) - 1};
    case Kind::kText: {
      const auto number = ReadNumberSpan(cell.text);
      if (!number) return NoCode("the cell is no number, but the column holds numbers in another release");
      span = *number;
      break;
    }
    case Kind::kNumbers:
      break;
    case Kind::kLeaves:
      Check(false, "numbers and categories are never one attribute");
  }
  const Code first = FirstPointFrom(span.lo), end = FirstPointFrom(span.hi + 1);
  if (first == end)
    return NoCode("the cell covers no value that the other release has there, so nobody there can match it");
  return Interval{first, end - 1};
}

Result<Interval> TextValueCodes::CodesOf(const CellMeaning& cell, std::size_t) const {
  const auto found = code_.find(cell.text);
  if (found == code_.end()) return NoCode("the value does not occur");
  return Interval{found->second, found->second};
}

}  // namespace pentimento
