// One space of codes for an attribute, whichever releases have it, and what cells mean in it: first what a published
// cell says by itself, then how one taxonomy is read in another, then the codes.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/interval.h"
#include "base/result.h"
#include "engine/xy/release_columns.h"
#include "taxonomy/domain.h"
#include "taxonomy/taxonomy.h"

namespace pentimento {

// What a published cell says by itself, before anybody knows which codes its attribute has.
// Both ends included, on a line where a number x stands at 2x and the end of "[a,x)" just before it, at 2x-1; numbers
// are counted in units of 10^-18, so every decimal there is has its place.
struct NumberSpan {
  WideNumber lo = 0;
  WideNumber hi = 0;
  friend bool operator==(const NumberSpan&, const NumberSpan&) = default;
};

WideNumber PlaceOnLine(Decimal number);
// "37", "[17,25)", "[17,25]"; nothing for anything else.
std::optional<NumberSpan> ReadNumberSpan(std::string_view label);

struct CellMeaning {
  enum class Kind { kMissing, kAnything, kAnyValue, kLeaves, kNumbers, kText };

  Kind kind = Kind::kText;
  Interval leaves;  // kLeaves: of the column's own taxonomy
  NumberSpan span;  // kNumbers
  // Of a column of texts, missing ones included: they were published as they came. Of leaves, how they are called,
  // which is no part of what they mean.
  std::string text;
  friend bool operator==(const CellMeaning& a, const CellMeaning& b) {
    return a.kind == b.kind && a.leaves == b.leaves && a.span == b.span &&
           (a.kind == Kind::kLeaves || a.text == b.text);
  }
};

// How the cells of a column are read.
struct CellReader {
  CellForm form = CellForm::kTexts;
  std::shared_ptr<const Taxonomy> taxonomy;  // for categories
  std::span<const std::string> missing;      // texts that stand for a missing value in this release

  // Nothing where the label is none that such a column can hold.
  std::optional<CellMeaning> Read(const std::string& label) const;
};

// Two taxonomies of one attribute: what the leaves of one mean in the codes of the other.
class TaxonomyTranslation {
 public:
  // A leaf of `from` is a node of `to` with the same label; or, where `from` is finer, it lies below a leaf of `to`.
  // Both must outlive it.
  TaxonomyTranslation(const Taxonomy& from, const Taxonomy& to);

  // These leaves of `from`, which it calls `label` (or a set of labels), as codes of `to`. An error is kBadInput and
  // names the label by which the two differ; labels of taxonomies are public.
  Result<Interval> Translate(Interval leaves, const std::string& label) const;

 private:
  std::optional<Interval> TranslateLeaf(Code leaf) const;

  const Taxonomy& from_;
  const Taxonomy& to_;
  std::vector<std::optional<Interval>> of_leaf_;
};

class AttributeCodes {
 public:
  virtual ~AttributeCodes() = default;
  // `member` is the number of the column among those of the attribute. An error is kBadInput; it says why the cell has
  // no codes, ready to follow the column's name, and never holds a cell.
  virtual Result<Interval> CodesOf(const CellMeaning& cell, std::size_t member) const = 0;
};

// Leaves of a taxonomy. A missing value has codes after them: one, where a domain gave the codes, otherwise one for
// each text that stands for it.
class CategoryCodes : public AttributeCodes {
 public:
  // `own`: by member, its taxonomy, or null for texts.
  CategoryCodes(const Domain& domain, std::vector<std::shared_ptr<const Taxonomy>> own);
  CategoryCodes(std::shared_ptr<const Taxonomy> taxonomy, const std::vector<std::string>& missing_texts,
                std::vector<std::shared_ptr<const Taxonomy>> own);

  Result<Interval> CodesOf(const CellMeaning& cell, std::size_t member) const override;
  const Taxonomy& taxonomy() const { return taxonomy_; }
  Code size() const { return taxonomy_.leaf_count() + missing_count_; }

 private:
  void Translate();
  Result<Interval> CodesOfMissing(const std::string& text) const;

  const Taxonomy& taxonomy_;
  Code missing_count_ = 0;
  std::map<std::string, Code> missing_code_;  // empty: every text has the one code
  std::vector<std::shared_ptr<const Taxonomy>> own_;
  std::vector<std::optional<TaxonomyTranslation>> translations_;  // by member
};

// Numbers. The codes are points of the line, in order, then the missing value.
class NumberCodes : public AttributeCodes {
 public:
  explicit NumberCodes(const Domain& domain);
  // The ends of all these spans: enough to tell which of them meet, and which lie inside others.
  explicit NumberCodes(const std::vector<NumberSpan>& spans);

  Result<Interval> CodesOf(const CellMeaning& cell, std::size_t member) const override;
  Code size() const { return point_count() + (has_missing_ ? 1 : 0); }

 private:
  Code point_count() const { return domain_ ? domain_->value_count() : static_cast<Code>(points_.size()); }
  WideNumber point(Code code) const;
  Code FirstPointFrom(WideNumber place) const;

  const Domain* domain_ = nullptr;
  std::vector<WideNumber> points_;
  bool has_missing_ = true;
};

// Texts that are compared as they are.
class TextValueCodes : public AttributeCodes {
 public:
  // `first` has the codes 0, 1, ... whether or not a text stands there twice.
  explicit TextValueCodes(const std::vector<std::string>& first) : next_(static_cast<Code>(first.size())) {
    // From the back, so that "no value", which comes last, is what an empty text finds.
    for (std::size_t i = first.size(); i-- > 0;) code_.try_emplace(first[i], static_cast<Code>(i));
  }
  void Add(const std::string& text) {
    if (code_.try_emplace(text, next_).second) ++next_;
  }

  Result<Interval> CodesOf(const CellMeaning& cell, std::size_t member) const override;

 private:
  std::map<std::string, Code> code_;
  Code next_ = 0;
};

}  // namespace pentimento
