// Listed values of a limit whose columns stand in several releases: a record has some parts of a value, and a match has
// a value if its records have all of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "release/xy_releases.h"

namespace pentimento {

using ListedSet = std::vector<std::uint32_t>;  // places of listed values in the target, ascending

// The values whose parts in these columns the cells are inside of. `in_y`: which of the target's columns each cell is.
inline ListedSet ListedWith(const LinkabilityTarget& target, const std::vector<std::size_t>& in_y,
                            const std::vector<Interval>& cells) {
  ListedSet listed;
  for (std::uint32_t value = 0; value < target.values.size(); ++value) {
    bool is_inside = true;
    for (std::size_t i = 0; i < in_y.size(); ++i)
      is_inside = is_inside && target.values[value][in_y[i]].Contains(cells[i]);
    if (is_inside) listed.push_back(value);
  }
  return listed;
}

inline bool HaveCommon(const ListedSet& one, const ListedSet& other) {
  return std::ranges::any_of(one, [&](std::uint32_t value) { return std::ranges::binary_search(other, value); });
}

// Sets by number, in the order in which they are met; the empty one is 0.
class ListedSets {
 public:
  std::uint32_t Number(const ListedSet& set) {
    const auto [found, is_new] = numbers_.try_emplace(set, static_cast<std::uint32_t>(sets_.size()));
    if (is_new) sets_.push_back(set);
    return found->second;
  }
  const ListedSet& operator[](std::uint32_t number) const { return sets_[number]; }
  std::size_t size() const { return sets_.size(); }

 private:
  std::vector<ListedSet> sets_ = {{}};
  std::map<ListedSet, std::uint32_t> numbers_ = {{{}, 0}};
};

}  // namespace pentimento
