#include "guarantee/alpha_k/repeated_people.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/parallel.h"

namespace pentimento {
namespace {

// Rows lie in no order of people. They are brought into stretches of people first, which fit the cache, and are put in
// order there, side by side.
constexpr int kMostStretchBits = 9;
constexpr int kRowsPerStretchBits = 13;
constexpr std::size_t kMostDealingTasks = 8;
constexpr std::size_t kFewestDealtRows = 1 << 14;

struct RowOfPerson {
  std::uint32_t person = 0;
  RowInClass row;
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
  std::vector<std::size_t> begin = {0};  // by stretch, and one more for the end
  int shift = 0;                         // person >> shift is the stretch

  std::size_t size() const { return begin.size() - 1; }
};

StretchesOfPeople BringIntoStretches(const Persons& persons, const Bits& repeated, const RowsOfClasses& classes) {
  const std::size_t rows = persons.person_of_row.size();
  const std::size_t tasks = std::clamp<std::size_t>(rows / kFewestDealtRows, 1, kMostDealingTasks);
  const int bits = std::clamp(static_cast<int>(std::bit_width(rows)) - kRowsPerStretchBits, 0, kMostStretchBits);
  StretchesOfPeople stretches;
  stretches.shift = std::max(0, static_cast<int>(std::bit_width(persons.count)) - bits);
  // What each task puts where: first how much, then from which place on.
  std::vector<std::vector<std::size_t>> next(tasks, std::vector<std::size_t>(std::size_t{1} << bits));
  const auto for_each_row = [&](const auto& each) {
    ParallelFor(tasks, 1, [&](std::size_t first_task, std::size_t past_task) {
      for (std::size_t task = first_task; task < past_task; ++task) {
        for (std::size_t row = rows * task / tasks; row < rows * (task + 1) / tasks; ++row) {
          const std::uint32_t person = persons.person_of_row[row];
          if (repeated[person]) each(next[task][std::uint64_t{person} >> stretches.shift], person, row);
        }
      }
    });
  };
  for_each_row([](std::size_t& count, std::uint32_t, std::size_t) { ++count; });
  std::size_t place = 0;
  for (std::size_t s = 0; s < next[0].size(); ++s) {
    for (auto& of_task : next) place += std::exchange(of_task[s], place);
    stretches.begin.push_back(place);
  }
  stretches.rows.resize(place);
  for_each_row([&](std::size_t& to, std::uint32_t person, std::size_t row) {
    stretches.rows[to++] = {person, {classes.class_of(row), static_cast<std::uint32_t>(row)}};
  });
  return stretches;
}

// Puts the rows of one stretch in order by person, class and row, and tells where each person's rows end.
std::vector<std::uint32_t> PutInOrder(std::span<const RowOfPerson> rows, std::uint64_t first_person, int shift,
                                      std::span<RowInClass> ordered) {
  if (rows.empty()) return {};
  std::vector<std::uint32_t> next((std::size_t{1} << shift) + 1);
  for (const RowOfPerson& row : rows) ++next[row.person - first_person + 1];
  for (std::size_t p = 1; p < next.size(); ++p) next[p] += next[p - 1];
  for (const RowOfPerson& row : rows) ordered[next[row.person - first_person]++] = row.row;
  // Each place has moved on to the end of its person's rows.
  std::vector<std::uint32_t> ends;
  std::uint32_t begin = 0;
  for (const std::uint32_t end : std::span(next).first(next.size() - 1)) {
    if (end == begin) continue;
    std::ranges::sort(ordered.subspan(begin, end - begin));
    ends.push_back(begin = end);
  }
  return ends;
}

}  // namespace

RepeatedPeople FindRepeatedPeople(const Persons* persons, const RowsOfClasses& classes) {
  if (persons == nullptr) return {};
  const StretchesOfPeople stretches = BringIntoStretches(*persons, WhoHasSeveralRows(*persons), classes);
  RepeatedPeople people;
  people.rows.resize(stretches.rows.size());
  std::vector<std::vector<std::uint32_t>> ends(stretches.size());
  ParallelFor(stretches.size(), 1, [&](std::size_t first, std::size_t past) {
    for (std::size_t s = first; s < past; ++s) {
      const std::size_t begin = stretches.begin[s], count = stretches.begin[s + 1] - begin;
      ends[s] = PutInOrder(std::span(stretches.rows).subspan(begin, count), std::uint64_t{s} << stretches.shift,
                           stretches.shift, std::span(people.rows).subspan(begin, count));
    }
  });
  for (std::size_t s = 0; s < stretches.size(); ++s) {
    for (const std::uint32_t end : ends[s])
      people.begin.push_back(static_cast<std::uint32_t>(stretches.begin[s] + end));
  }
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
