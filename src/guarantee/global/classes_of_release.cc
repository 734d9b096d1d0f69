#include "guarantee/global/classes_of_release.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "base/parallel.h"

namespace pentimento {
namespace {

constexpr std::size_t kMostCountingTasks = 16;
constexpr std::size_t kPeopleAhead = 32;

// By code of a sensitive column: the items it belongs to.
std::vector<std::vector<std::size_t>> ItemsOfCodes(const GlobalClaim& claim, std::size_t column) {
  std::vector<std::vector<std::size_t>> items_of;
  for (std::size_t item = 0; item < claim.items.size(); ++item) {
    if (claim.items[item].column != column) continue;
    for (const Code value : claim.items[item].values) {
      if (items_of.size() <= value) items_of.resize(std::size_t{value} + 1);
      // A value that is listed twice is still one item.
      if (std::ranges::find(items_of[value], item) == items_of[value].end()) items_of[value].push_back(item);
    }
  }
  return items_of;
}

// Several tasks may count the same class, so they add without being interrupted. Few rows hold anything.
void CountHolders(const GlobalClaim& claim, std::span<const CodeColumn* const> sensitive,
                  std::span<const ClassNumber> class_of_row, std::vector<std::uint32_t>& holders) {
  for (std::size_t column = 0; column < sensitive.size(); ++column) {
    const std::vector<std::vector<std::size_t>> items_of = ItemsOfCodes(claim, column);
    if (items_of.empty()) continue;
    // Most rows hold nothing, which one look tells.
    std::vector<std::uint8_t> holds(items_of.size());
    for (std::size_t code = 0; code < holds.size(); ++code) holds[code] = items_of[code].empty() ? 0 : 1;
    sensitive[column]->Visit([&](auto codes) {
      ParallelFor(codes.size(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
          if (codes[row] >= holds.size() || holds[codes[row]] == 0) continue;
          for (const std::size_t item : items_of[codes[row]]) {
            std::uint32_t& count = holders[std::size_t{class_of_row[row]} * claim.items.size() + item];
            std::atomic_ref(count).fetch_add(1, std::memory_order_relaxed);
          }
        }
      });
    });
  }
}

// Each task counts into an array of its own; there are so few that adding them up costs less than the pass itself.
std::vector<std::uint32_t> CountRows(std::span<const ClassNumber> class_of_row, std::uint32_t classes) {
  const std::size_t rows = class_of_row.size();
  const std::size_t tasks = std::clamp<std::size_t>(rows / (4 * std::size_t{classes} + 1), 1, kMostCountingTasks);
  std::vector<std::vector<std::uint32_t>> sizes(tasks);
  ParallelFor(tasks, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t task = begin; task < end; ++task) {
      sizes[task].resize(classes);
      const std::size_t last = rows * (task + 1) / tasks;
      for (std::size_t row = rows * task / tasks; row < last; ++row) ++sizes[task][class_of_row[row]];
    }
  });
  for (std::size_t task = 1; task < tasks; ++task) {
    for (std::size_t c = 0; c < sizes[0].size(); ++c) sizes[0][c] += sizes[task][c];
  }
  return std::move(sizes[0]);
}

// Every row puts its class at its person, in any order. True where as many people have a class as there are rows: then
// no two rows are about the same person, and nothing was written over.
bool PlaceOneRowEach(std::span<const ClassNumber> class_of_row, std::span<const std::uint32_t> person_of_row,
                     std::vector<std::uint32_t>& class_of_person) {
  ParallelFor(class_of_row.size(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      // People are all over the place: where we write in a moment is fetched now.
      if (row + kPeopleAhead < end) __builtin_prefetch(&class_of_person[person_of_row[row + kPeopleAhead]], 1);
      std::atomic_ref(class_of_person[person_of_row[row]]).store(class_of_row[row], std::memory_order_relaxed);
    }
  });
  std::atomic<std::size_t> present = 0;
  ParallelFor(class_of_person.size(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
    const auto people = std::span(class_of_person).subspan(begin, end - begin);
    const auto absent = static_cast<std::size_t>(std::ranges::count(people, ReleaseClasses::kAbsent));
    present.fetch_add(people.size() - absent, std::memory_order_relaxed);
  });
  return present == class_of_row.size();
}

// The rows of people who have several, one entry for each class that somebody is in.
std::vector<RowsInClass> CountSeveral(std::vector<RowsInClass> rows) {
  const auto place = [](const RowsInClass& row) { return std::pair(row.person, row.class_number); };
  std::ranges::sort(rows, {}, place);
  std::vector<RowsInClass> counted;
  for (const RowsInClass& row : rows) {
    if (counted.empty() || place(counted.back()) != place(row)) counted.push_back({row.person, row.class_number, 0});
    ++counted.back().rows;
  }
  return counted;
}

}  // namespace

ReleaseClasses ClassesOfRelease(const GlobalClaim& claim, std::span<const CodeColumn* const> sensitive,
                                std::span<const ClassNumber> class_of_row, std::uint32_t classes,
                                std::span<const std::uint32_t> person_of_row, std::size_t people) {
  ReleaseClasses release;
  release.size = CountRows(class_of_row, classes);
  release.holders.assign(std::size_t{classes} * claim.items.size(), 0);
  CountHolders(claim, sensitive, class_of_row, release.holders);
  release.class_of_person.assign(people, ReleaseClasses::kAbsent);
  if (PlaceOneRowEach(class_of_row, person_of_row, release.class_of_person)) return release;
  std::ranges::fill(release.class_of_person, ReleaseClasses::kAbsent);
  for (std::size_t row = 0; row < class_of_row.size(); ++row) {
    std::uint32_t& of_person = release.class_of_person[person_of_row[row]];
    of_person = of_person == ReleaseClasses::kAbsent ? class_of_row[row] : ReleaseClasses::kSeveral;
  }
  std::vector<RowsInClass> several;
  for (std::size_t row = 0; row < class_of_row.size(); ++row) {
    if (release.class_of_person[person_of_row[row]] == ReleaseClasses::kSeveral)
      several.push_back({person_of_row[row], class_of_row[row], 1});
  }
  release.several_rows = CountSeveral(std::move(several));
  return release;
}

}  // namespace pentimento
