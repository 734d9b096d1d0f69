#include "engine/query/interval_set.h"

#include <algorithm>

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

}  // namespace

WideNumber WideUnits(Decimal number) {
  WideNumber units = number.units;
  for (int scale = number.scale; scale < 18; ++scale) units *= 10;
  return units;
}

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

}  // namespace pentimento
