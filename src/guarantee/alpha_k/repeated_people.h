// People with more than one row: in which classes they are, and how often.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "guarantee/form/rows_of_classes.h"
#include "table/encoded_table.h"

namespace pentimento {

struct RowInClass {
  ClassNumber of_class = 0;
  std::uint32_t row = 0;

  friend auto operator<=>(RowInClass, RowInClass) = default;
};

struct RepeatedPeople {
  std::vector<std::uint32_t> begin = {0};  // of each of them in `rows`, and one more for the end
  std::vector<RowInClass> rows;            // person after person, then by class and row

  std::size_t size() const { return begin.size() - 1; }
  bool empty() const { return rows.empty(); }
  std::span<const RowInClass> of(std::size_t person) const {
    return std::span(rows).subspan(begin[person], begin[person + 1] - begin[person]);
  }
};

// In the order of the persons' numbers. The persons fit the rows (FindMalformation finds nothing). That everybody has
// one row is seen in the rows and not taken from the number of persons.
RepeatedPeople FindRepeatedPeople(const Persons* persons, const RowsOfClasses& classes);

// Rows of one person in one class, where they are several; sorted by class.
struct SharedRows {
  std::vector<std::span<const RowInClass>> groups;
  std::vector<std::uint32_t> begin;        // by class, in `groups`, and one more for the end
  std::vector<std::uint32_t> superfluous;  // by class: how many more rows than people

  std::span<const std::span<const RowInClass>> of(std::size_t c) const {
    return groups.empty() ? std::span<const std::span<const RowInClass>>()
                          : std::span(groups).subspan(begin[c], begin[c + 1] - begin[c]);
  }
};

SharedRows FindSharedRows(const RepeatedPeople& people, const RowsOfClasses& classes);

// Calls each(rows of one class) for somebody's rows.
template <typename Each>
void ForEachClass(std::span<const RowInClass> rows, const Each& each) {
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    while (end < rows.size() && rows[end].of_class == rows[begin].of_class) ++end;
    each(rows.subspan(begin, end - begin));
  }
}

}  // namespace pentimento
