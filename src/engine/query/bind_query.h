// Brings a query together with what a release has published: names become columns, values become sets of leaves or of
// numbers. What can be wrong with a query before any cell is read is found here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/decimal.h"
#include "base/result.h"
#include "engine/published/manifest.h"
#include "engine/query/query.h"

namespace pentimento {

// Sets of whole numbers that are unions of few intervals: what a predicate leaves of a column's values.
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

// A column of a release that can be asked for.
struct QueryColumn : PublishedColumn {
  std::size_t table = 0;  // 0: the table, or NSS; j: the j-th SS table, from 1
};
std::vector<QueryColumn> QueryColumnsOf(const Manifest& manifest);

// What the predicates on one column leave of its values: numbers in WideUnits, leaves by their codes. A missing value
// meets no predicate but column = "".
struct AllowedValues {
  IntervalSet values = IntervalSet::All();
  bool missing = true;
};

// All that a query asks of one column.
struct ColumnCondition {
  std::uint32_t column = 0;
  std::vector<std::uint32_t> predicates;  // of the query, by number
  AllowedValues allowed;                  // not for a plain column: its values are known once they are read
};

struct BoundQuery {
  const Query* query = nullptr;
  std::vector<ColumnCondition> conditions;  // each column once, in the order of the columns
};

// Whether the predicate leaves anything of a numeric domain, or asks for the missing value.
bool MeetsRange(const Predicate& predicate, const std::pair<Decimal, Decimal>& range);

// kUsage, with the place: a column that is not published, a value that the taxonomy does not know, a text where the
// domain is numbers, an interval on a column without order. `query` must outlive what is returned.
Result<BoundQuery> BindQuery(const Query& query, std::span<const QueryColumn> columns);

}  // namespace pentimento
