#include "guarantee/sensitive/repeated_people.h"

#include <algorithm>

#include "base/parallel.h"

namespace pentimento {
namespace {

constexpr std::size_t kPeoplePerTask = 4096;

}  // namespace

RepeatedPeople FindRepeatedPeople(const Persons* persons, const RowsOfClasses& classes) {
  RepeatedPeople people;
  if (persons == nullptr) return people;
  std::vector<std::uint32_t> rows_of(persons->count);
  for (const std::uint32_t person : persons->person_of_row) ++rows_of[person];
  people.begin.assign(std::size_t{persons->count} + 1, 0);
  for (std::size_t p = 0; p < rows_of.size(); ++p) {
    people.begin[p + 1] = people.begin[p] + (rows_of[p] > 1 ? rows_of[p] : 0);
    people.most_rows = std::max(people.most_rows, rows_of[p]);
  }
  people.rows.resize(people.begin.back());
  if (people.empty()) return people;
  std::vector<std::uint32_t> next(people.begin.begin(), people.begin.end() - 1);
  for (std::size_t row = 0; row < persons->person_of_row.size(); ++row) {
    const std::uint32_t person = persons->person_of_row[row];
    if (rows_of[person] > 1) people.rows[next[person]++] = {classes.class_of(row), static_cast<std::uint32_t>(row)};
  }
  ParallelFor(persons->count, kPeoplePerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      std::sort(people.rows.begin() + people.begin[p], people.rows.begin() + people.begin[p + 1]);
    }
  });
  return people;
}

SharedRows FindSharedRows(const RepeatedPeople& people, const RowsOfClasses& classes) {
  SharedRows shared;
  if (people.empty()) return shared;
  shared.superfluous.assign(classes.classes(), 0);
  shared.begin.assign(classes.classes() + 1, 0);
  const auto for_each_group = [&](const auto& each) {
    for (std::size_t p = 0; p + 1 < people.begin.size(); ++p) {
      ForEachClass(people.of(p), [&](std::span<const RowInClass> rows) {
        if (rows.size() > 1) each(rows);
      });
    }
  };
  for_each_group([&](std::span<const RowInClass> rows) {
    ++shared.begin[std::size_t{rows[0].of_class} + 1];
    shared.superfluous[rows[0].of_class] += static_cast<std::uint32_t>(rows.size() - 1);
  });
  for (std::size_t c = 0; c < classes.classes(); ++c) shared.begin[c + 1] += shared.begin[c];
  shared.groups.resize(shared.begin.back());
  std::vector<std::uint32_t> next(shared.begin.begin(), shared.begin.end() - 1);
  for_each_group([&](std::span<const RowInClass> rows) { shared.groups[next[rows[0].of_class]++] = rows; });
  return shared;
}

}  // namespace pentimento
