// A count that somebody asks for, as it was written: which predicates on which columns, and where each word stands, so
// that whatever is wrong with it can be shown in its place.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/decimal.h"
#include "base/result.h"

namespace pentimento {

struct QueryWord {
  std::string text;  // without its quotes
  std::size_t position = 0;
};

struct QueryBound {
  Decimal number;  // of a date: its day
  bool included = true;
  bool is_date = false;
};

struct Predicate {
  enum class Kind {
    kOneOf,     // column = v, column in (v, ...)
    kNot,       // column != v
    kInterval,  // column in [a,b), column < a, ...
  };

  QueryWord column;
  Kind kind = Kind::kOneOf;
  std::vector<QueryWord> values;  // kOneOf, kNot
  std::optional<QueryBound> lo;   // kInterval: at least one of the two
  std::optional<QueryBound> hi;
  std::size_t position = 0;  // of the interval or the list
};

// A row is counted where it meets all predicates.
struct Query {
  std::string text;
  std::string place;  // "queries.txt:3", or nothing where it stood on the command line
  std::vector<Predicate> predicates;
};

// The message, and below it the query, or of a long one what is around, with a mark under the byte at `position`.
Error QueryError(const Query& query, std::size_t position, std::string_view message);

// A predicate or the query again, from its parts: quoted where that is needed.
std::string WritePredicate(const Predicate& predicate);
std::string WriteQuery(const std::vector<Predicate>& predicates);

// Reads a query:
//
//   count
//   count where PREDICATE and PREDICATE ...
//
//   PREDICATE:  column = value        column != value       column in (value, ...)
//               column in [a,b)       [a,b]  (a,b]          column < a    <=  >  >=
//
// The ends of intervals are numbers, or dates: 2024-03-05.
//
// Keywords may be written in any case. A name or value that holds blanks, brackets, commas or signs of comparison, or
// that is a keyword, is in "..." or '...', with a quote of its own kind doubled inside. (a, b) is a list of two
// values, as in SQL, never an interval.
//
// kUsage where it is none; the message shows where. `place` goes into messages.
Result<Query> ParseQuery(std::string text, std::string place);

}  // namespace pentimento
