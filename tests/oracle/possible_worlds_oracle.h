// The global guarantee straight from its definition, for tests: every way to give out the sensitive cells of every
// class of every release is a world, and worlds are counted one by one. Slow on purpose, and it shares no code with the
// judge.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

namespace pentimento::oracle::worlds {

struct Row {
  int person = 0;
  int class_number = 0;
  int value = 0;
};
using Release = std::vector<Row>;

struct CountedWorlds {
  std::uint64_t linked = 0;  // the person has one of the values in at least one release
  std::uint64_t all = 0;
};

// What the cells of the rows might be: for each world one value per row.
inline std::vector<std::vector<int>> WorldsOf(const Release& release) {
  std::vector<std::vector<int>> worlds;
  std::vector<std::size_t> cell_of_row(release.size());
  std::iota(cell_of_row.begin(), cell_of_row.end(), std::size_t{0});
  do {
    bool keeps_classes = true;
    std::vector<int> values;
    for (std::size_t row = 0; row < release.size(); ++row) {
      keeps_classes = keeps_classes && release[cell_of_row[row]].class_number == release[row].class_number;
      values.push_back(release[cell_of_row[row]].value);
    }
    if (keeps_classes) worlds.push_back(values);
  } while (std::next_permutation(cell_of_row.begin(), cell_of_row.end()));
  return worlds;
}

inline void CountFrom(const std::vector<Release>& series, const std::vector<std::vector<std::vector<int>>>& worlds,
                      std::size_t number, bool was_linked, int person, const std::set<int>& values,
                      CountedWorlds& counted) {
  if (number == series.size()) {
    ++counted.all;
    counted.linked += was_linked ? 1 : 0;
    return;
  }
  for (const std::vector<int>& world : worlds[number]) {
    bool is_linked = was_linked;
    for (std::size_t row = 0; row < world.size(); ++row)
      is_linked = is_linked || (series[number][row].person == person && values.contains(world[row]));
    CountFrom(series, worlds, number + 1, is_linked, person, values, counted);
  }
}

inline CountedWorlds CountWorlds(const std::vector<Release>& series, int person, const std::set<int>& values) {
  std::vector<std::vector<std::vector<int>>> worlds;
  for (const Release& release : series) worlds.push_back(WorldsOf(release));
  CountedWorlds counted;
  CountFrom(series, worlds, 0, false, person, values, counted);
  return counted;
}

}  // namespace pentimento::oracle::worlds
