// How many rows each class has, and rows laid out class by class: the order in which verifiers walk through a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "release/classes.h"
#include "table/code_column.h"

namespace pentimento {

// By class: how many rows are in it. Numbers of classes are below `classes`, and there are fewer than 2^32 rows.
std::vector<std::uint32_t> CountRows(std::span<const ClassNumber> class_of_row, std::size_t classes);

struct RowsOfClasses {
  // By row of the input; empty where all rows are one class.
  std::span<const ClassNumber> class_of_row;
  std::vector<std::uint32_t> begin;  // by class, in the layout; and one more for the end
  // Rows are laid out in tasks, each with as many rows; by task and class the place of its first row.
  std::vector<std::vector<std::uint32_t>> begin_of_task;

  std::size_t classes() const { return begin.size() - 1; }
  std::size_t rows() const { return begin.back(); }
  std::uint32_t size(std::size_t c) const { return begin[c + 1] - begin[c]; }
  ClassNumber class_of(std::size_t row) const { return class_of_row.empty() ? 0 : class_of_row[row]; }
  // For a witness: the first row of the class, which has one.
  std::size_t FirstRow(std::size_t c) const;
};

// REQUIRES: as CountRows.
RowsOfClasses LayOutClasses(std::span<const ClassNumber> class_of_row, std::size_t classes);
RowsOfClasses OneClass(std::size_t rows);

// Codes of rows, class after class; within a class in the order of the input.
template <typename Narrow>
std::vector<Narrow> ByClass(const RowsOfClasses& classes, std::span<const Narrow> codes) {
  if (classes.class_of_row.empty()) return {codes.begin(), codes.end()};
  std::vector<Narrow> by_class(codes.size());
  const std::size_t tasks = classes.begin_of_task.size();
  ParallelFor(tasks, 1, [&](std::size_t first_task, std::size_t past_task) {
    for (std::size_t task = first_task; task < past_task; ++task) {
      std::vector<std::uint32_t> next = classes.begin_of_task[task];
      const std::size_t last = codes.size() * (task + 1) / tasks;
      for (std::size_t row = codes.size() * task / tasks; row < last; ++row)
        by_class[next[classes.class_of_row[row]]++] = codes[row];
    }
  });
  return by_class;
}

// One more than the greatest code, or than what the width of the column allows where that is small.
Code CodeBound(const CodeColumn& column);

}  // namespace pentimento
