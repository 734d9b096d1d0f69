#include "guarantee/sensitive/repeated_people.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "base/parallel.h"

namespace pentimento {
namespace {

// Rows lie in no order of people. They are brought into stretches of people first, which fit the cache, and are sorted
// there, side by side.
constexpr int kStretchBits = 8;
constexpr std::size_t kStretches = std::size_t{1} << kStretchBits;
constexpr std::size_t kTasks = 8;

struct RowOfPerson {
  std::uint32_t person = 0;
  RowInClass row;

  friend auto operator<=>(RowOfPerson, RowOfPerson) = default;
};

class Bits {
 public:
  explicit Bits(std::size_t size) : words_((size + 63) / 64) {}
  bool operator[](std::size_t bit) const { return (words_[bit / 64] >> (bit % 64) & 1) != 0; }
  void Set(std::size_t bit, bool is_set) { words_[bit / 64] |= std::uint64_t{is_set} << (bit % 64); }

 private:
  std::vector<std::uint64_t> words_;
};

Bits WhoHasSeveralRows(const Persons& persons) {
  Bits once(persons.count), twice(persons.count);
  for (const std::uint32_t person : persons.person_of_row) {
    twice.Set(person, once[person]);
    once.Set(person, true);
  }
  return twice;
}

struct StretchesOfPeople {
  std::vector<RowOfPerson> rows;
  std::vector<std::size_t> begin;  // by stretch, and one more for the end
};

StretchesOfPeople BringIntoStretches(const Persons& persons, const Bits& repeated, const RowsOfClasses& classes) {
  const int shift = std::max(0, static_cast<int>(std::bit_width(persons.count)) - kStretchBits);
  const std::size_t rows = persons.person_of_row.size();
  // What each task puts where: first how much, then from which place on.
  std::vector<std::array<std::size_t, kStretches>> next(kTasks);
  const auto for_each_row = [&](const auto& each) {
    ParallelFor(kTasks, 1, [&](std::size_t first_task, std::size_t past_task) {
      for (std::size_t task = first_task; task < past_task; ++task) {
        for (std::size_t row = rows * task / kTasks; row < rows * (task + 1) / kTasks; ++row) {
          const std::uint32_t person = persons.person_of_row[row];
          if (repeated[person]) each(next[task][person >> shift], person, row);
        }
      }
    });
  };
  for_each_row([](std::size_t& count, std::uint32_t, std::size_t) { ++count; });
  StretchesOfPeople stretches{{}, {0}};
  std::size_t place = 0;
  for (std::size_t s = 0; s < kStretches; ++s) {
    for (auto& of_task : next) place += std::exchange(of_task[s], place);
    stretches.begin.push_back(place);
  }
  stretches.rows.resize(place);
  for_each_row([&](std::size_t& to, std::uint32_t person, std::size_t row) {
    stretches.rows[to++] = {person, {classes.class_of(row), static_cast<std::uint32_t>(row)}};
  });
  return stretches;
}

}  // namespace

RepeatedPeople FindRepeatedPeople(const Persons* persons, const RowsOfClasses& classes) {
  if (persons == nullptr) return {};
  StretchesOfPeople stretches = BringIntoStretches(*persons, WhoHasSeveralRows(*persons), classes);
  RepeatedPeople people;
  people.rows.resize(stretches.rows.size());
  std::vector<std::vector<std::uint32_t>> ends(kStretches);
  ParallelFor(kStretches, 1, [&](std::size_t first, std::size_t past) {
    for (std::size_t s = first; s < past; ++s) {
      const std::size_t begin = stretches.begin[s], end = stretches.begin[s + 1];
      const auto rows = std::span(stretches.rows).subspan(begin, end - begin);
      std::ranges::sort(rows);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        people.rows[begin + i] = rows[i].row;
        if (i + 1 == rows.size() || rows[i + 1].person != rows[i].person)
          ends[s].push_back(static_cast<std::uint32_t>(begin + i + 1));
      }
    }
  });
  for (const auto& of_stretch : ends) people.begin.insert(people.begin.end(), of_stretch.begin(), of_stretch.end());
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
