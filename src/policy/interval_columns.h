// [publish] intervals = "columns": a number that is generalized is published as numbers, `from` <= it < `to`.
#pragma once

#include <string>

namespace pentimento {

// What the columns of a numeric quasi-identifier are called then.
struct IntervalColumns {
  std::string from;     // the smallest number of the interval
  std::string to;       // one unit past its largest
  std::string missing;  // whether the value is, or may be, missing; only where some may be
};

inline IntervalColumns IntervalColumnsOf(const std::string& column) {
  return {column + "_from", column + "_to", column + "_missing"};
}

}  // namespace pentimento
