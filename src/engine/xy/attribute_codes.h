// One space of codes for an attribute, whichever releases have it, and what cells mean in it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/interval.h"
#include "base/result.h"
#include "engine/xy/cell_meaning.h"
#include "engine/xy/taxonomy_translation.h"
#include "taxonomy/domain.h"

namespace pentimento {

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
