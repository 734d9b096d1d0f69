#include "engine/xy/attribute_codes.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "fmt/core.h"

namespace pentimento {
namespace {

using Kind = CellMeaning::Kind;

Error NoCode(std::string message) { return Error{ErrorCode::kBadInput, std::move(message)}; }

constexpr const char* kNothingMissingHere =
    "a value is missing, but [input] missing lists nothing here; write missing = [\"\"]";

}  // namespace

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
