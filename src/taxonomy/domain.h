// What the codes of one quasi-identifier mean: the leaves of a taxonomy or the points of a declared
// numeric range. Everyone who turns values into codes, or intervals into what is published, asks here,
// so maker, checker and publisher cannot disagree. The domain is declared and public.
//
// A missing value is a value of its own under the root: it has the last code, and an interval that
// holds it together with any other code can only be published as the root, "*".
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/category_form.h"
#include "base/decimal.h"
#include "base/interval.h"
#include "base/result.h"
#include "taxonomy/taxonomy.h"

namespace pentimento {

// A declared range [lo, hi] of decimals. Its codes are its points, in order: either every grid point
// lo, lo+unit, ..., hi where the unit is 10^-scale, or, where those are too many, only the values that
// occur (with lo and hi always among them, and the middles of the gaps between them where somebody cuts there).
struct NumericRange {
  std::int64_t lo = 0;  // in units of 10^-scale
  std::int64_t hi = 0;
  int scale = 0;
  std::vector<std::int64_t> points;  // empty: every grid point; otherwise sorted, from lo to hi

  Code point_count() const {
    return points.empty() ? static_cast<Code>(hi - lo + 1) : static_cast<Code>(points.size());
  }
  std::int64_t point(Code code) const { return points.empty() ? lo + code : points[code]; }
};

class Domain {
 public:
  Domain(std::shared_ptr<const Taxonomy> taxonomy, bool allows_missing);
  Domain(NumericRange range, bool allows_missing);

  bool is_numeric() const { return std::holds_alternative<NumericRange>(kind_); }
  const NumericRange& range() const { return std::get<NumericRange>(kind_); }
  // Days, with a calendar as their taxonomy.
  bool is_calendar() const { return !is_numeric() && taxonomy().calendar().has_value(); }
  // Whether every interval of values can be published, so that cuts may be made between any two of them. Otherwise what
  // is published follows the taxonomy.
  bool is_cut_anywhere(CategoryForm form) const {
    return is_numeric() || (form == CategoryForm::kSets && !is_calendar());
  }
  const Taxonomy& taxonomy() const { return *std::get<std::shared_ptr<const Taxonomy>>(kind_); }

  Code value_count() const { return value_count_; }                       // without the missing value
  Code size() const { return value_count_ + (allows_missing_ ? 1 : 0); }  // with it
  std::optional<Code> missing_code() const {
    return allows_missing_ ? std::optional<Code>(value_count_) : std::nullopt;
  }
  bool IsMissing(Code code) const { return allows_missing_ && code == value_count_; }
  // Every code there is; published as "*" (or as the whole range where no value may be missing).
  Interval root() const { return {0, size() - 1}; }

  // The smallest interval that may be published and contains `codes`: a taxonomy node (kTaxonomy), the interval
  // itself (numeric, kSets), of dates a run of neighbours below one parent (calendar.h); the root as soon as the
  // missing code is mixed with others.
  Interval Cover(Interval codes, CategoryForm form) const;

  // How a publishable interval is written: a taxonomy label, "{a|b}" for a set (fewest labels; the characters
  // '{', '|', '}' and '\' in a label are escaped with '\' inside a set), "[a,b)" / "[a,b]" / the plain number,
  // "2024-01..2024-02" for a run of dates, "*" for the root, "" for the missing value.
  std::string Label(Interval codes) const;
  // Reads such a label back; nothing where it is not one.
  std::optional<Interval> ParseLabel(std::string_view label) const;

  // How much is lost by publishing the interval, from 0 (exact) to 1 (root). Numeric: (b-a)/(hi-lo) over the values.
  // Categorical: 0 for one leaf, else leaves covered / all leaves. Missing alone: 0. For metrics, not for results.
  double RelativeWidth(Interval codes) const;
  // Categorical: edges from the root to what is published for the interval (of a set: to the smallest node that covers
  // it). A missing value stands right below the root. So a value climbs Depth of it alone less Depth of its label.
  // Numeric: 0.
  std::uint32_t Depth(Interval codes) const;

 private:
  std::variant<std::shared_ptr<const Taxonomy>, NumericRange> kind_;
  Code value_count_ = 0;
  bool allows_missing_ = false;
};

}  // namespace pentimento
