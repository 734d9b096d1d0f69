// Rows laid out class by class: the order in which the verifier of sensitive values walks through a table.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "release/classes.h"
#include "table/code_column.h"

namespace pentimento {

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

// Numbers of classes are below `classes`, and there are fewer than 2^32 rows.
RowsOfClasses LayOutClasses(std::span<const ClassNumber> class_of_row, std::size_t classes);
RowsOfClasses OneClass(std::size_t rows);

constexpr std::size_t kBlockRows = 128;

// Of many classes neither the next place of one nor the place itself is in a cache. So both are fetched some rows
// ahead.
template <typename Narrow>
void PlaceBlock(std::span<const ClassNumber> class_of_row, std::span<const Narrow> codes, std::size_t begin,
                std::size_t end, std::span<std::uint32_t> next, std::span<Narrow> by_class) {
  std::array<std::uint32_t, kBlockRows> places;
  for (std::size_t row = begin; row < end; ++row) {
    __builtin_prefetch(&next[class_of_row[std::min(row + kBlockRows, class_of_row.size() - 1)]], 1);
    const std::uint32_t place = next[class_of_row[row]]++;
    __builtin_prefetch(&by_class[place], 1);
    places[row - begin] = place;
  }
  for (std::size_t row = begin; row < end; ++row) by_class[places[row - begin]] = codes[row];
}

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
      for (std::size_t row = codes.size() * task / tasks; row < last; row += kBlockRows)
        PlaceBlock<Narrow>(classes.class_of_row, codes, row, std::min(row + kBlockRows, last), std::span(next),
                           std::span(by_class));
    }
  });
  return by_class;
}

// One more than the greatest code, or than what the width of the column allows where that is small.
Code CodeBound(const CodeColumn& column);

}  // namespace pentimento
