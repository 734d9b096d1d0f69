// Reads a query:
//
//   count
//   count where PREDICATE and PREDICATE ...
//
//   PREDICATE:  column = value        column != value       column in (value, ...)
//               column in [a,b)       [a,b]  (a,b]          column < a    <=  >  >=
//
// Keywords may be written in any case. A name or value that holds blanks, brackets, commas or signs of comparison, or
// that is a keyword, stands in "..." or '...', with a quote of its own kind doubled inside. (a, b) is a list of two
// values, as in SQL, never an interval.
#pragma once

#include <string>

#include "base/result.h"
#include "engine/query/query.h"

namespace pentimento {

// kUsage where it is none; the message shows where. `place` goes into messages.
Result<Query> ParseQuery(std::string text, std::string place);

}  // namespace pentimento
