// Sets of whole numbers that are unions of few intervals: what a predicate leaves of a column's values.
#pragma once

#include <vector>

#include "base/decimal.h"

namespace pentimento {

__extension__ using WideNumber = __int128;

// A number in units of 10^-18, so that every decimal there is has its place.
WideNumber WideUnits(Decimal number);

class IntervalSet {
 public:
  // Both ends are included.
  struct Span {
    WideNumber lo = 0;
    WideNumber hi = 0;
    friend bool operator==(const Span&, const Span&) = default;
  };
  // Far outside of any number that 64 bits hold in units of 10^-18, and far enough inside of 128 bits for sums.
  static constexpr WideNumber kFar = WideNumber{1} << 125;

  IntervalSet() = default;  // empty
  static IntervalSet All() { return IntervalSet({{-kFar, kFar}}); }
  // The spans may overlap and come in any order; one with lo > hi is empty.
  explicit IntervalSet(std::vector<Span> spans);

  IntervalSet Complement() const;
  IntervalSet Intersect(const IntervalSet& other) const;
  // How many multiples of `unit` are both in the set and in the span.
  WideNumber CountIn(Span span, WideNumber unit) const;

  const std::vector<Span>& spans() const { return spans_; }

 private:
  std::vector<Span> spans_;  // ascending, with a gap between any two
};

}  // namespace pentimento
