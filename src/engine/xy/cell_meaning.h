// What a published cell says by itself, before anybody knows which codes its attribute has.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/interval.h"
#include "base/result.h"
#include "engine/xy/release_columns.h"
#include "taxonomy/taxonomy.h"

namespace pentimento {

__extension__ using WideNumber = __int128;

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

}  // namespace pentimento
