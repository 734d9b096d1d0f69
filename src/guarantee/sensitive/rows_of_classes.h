// Rows laid out class by class: the order in which the judge of sensitive values walks through a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "release/grouping.h"
#include "table/code_column.h"

namespace pentimento {

struct RowsOfClasses {
  // By row of the input; empty where all rows are one class.
  std::span<const ClassNumber> class_of_row;
  std::vector<std::uint32_t> begin;  // by class, in the layout; and one more for the end

  std::size_t classes() const { return begin.size() - 1; }
  std::size_t rows() const { return begin.back(); }
  std::uint32_t size(std::size_t c) const { return begin[c + 1] - begin[c]; }
  ClassNumber class_of(std::size_t row) const { return class_of_row.empty() ? 0 : class_of_row[row]; }
  // For a witness: the first row of the class, which has one.
  std::size_t FirstRow(std::size_t c) const;
};

// Numbers of classes are below `classes`, and there are fewer than 2^32 rows.
RowsOfClasses LayOutClasses(std::span<const ClassNumber> class_of_row, std::size_t classes);
RowsOfClasses OneClass(std::size_t rows);

// Codes of rows, class after class; within a class in the order of the input.
template <typename Narrow>
std::vector<Narrow> ByClass(const RowsOfClasses& classes, std::span<const Narrow> codes) {
  std::vector<Narrow> by_class(codes.begin(), codes.end());
  if (classes.class_of_row.empty()) return by_class;
  std::vector<std::uint32_t> next(classes.begin.begin(), classes.begin.end() - 1);
  for (std::size_t row = 0; row < codes.size(); ++row) by_class[next[classes.class_of_row[row]]++] = codes[row];
  return by_class;
}

// One more than the greatest code, or than what the width of the column allows where that is small.
Code CodeBound(const CodeColumn& column);

}  // namespace pentimento
