#include "guarantee/alpha_k/repeated_people.h"

#include <algorithm>

#include "base/parallel.h"

namespace pentimento {
namespace {

constexpr std::size_t kPeopleSorted = 4096;  // by one task

}  // namespace

// By counting: how many rows each person has, then where those of people with several begin, then the rows.
RepeatedPeople FindRepeatedPeople(const Persons* persons, const RowsOfClasses& classes) {
  if (persons == nullptr) return {};
  std::vector<std::uint32_t> next(persons->count);
  for (const std::uint32_t person : persons->person_of_row) ++next[person];
  RepeatedPeople people;
  std::uint32_t place = 0;
  constexpr std::uint32_t kOnce = UINT32_MAX;
  for (std::uint32_t& of_person : next) {
    const std::uint32_t rows = of_person;
    of_person = rows > 1 ? place : kOnce;
    if (rows > 1) people.begin.push_back(place += rows);
  }
  people.rows.resize(place);
  if (people.empty()) return people;
  for (std::uint32_t row = 0; row < persons->person_of_row.size(); ++row) {
    std::uint32_t& to = next[persons->person_of_row[row]];
    if (to != kOnce) people.rows[to++] = {classes.class_of(row), row};
  }
  ParallelFor(people.size(), kPeopleSorted, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p)
      std::ranges::sort(std::span(people.rows).subspan(people.begin[p], people.begin[p + 1] - people.begin[p]));
  });
  return people;
}

SharedRows FindSharedRows(const RepeatedPeople& people, const RowsOfClasses& classes) {
  SharedRows shared;
  if (people.empty()) return shared;
  shared.superfluous.assign(classes.classes(), 0);
  shared.begin.assign(classes.classes() + 1, 0);
  const auto for_each_group = [&](const auto& each) {
    for (std::size_t p = 0; p < people.size(); ++p) {
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
