// What releases say together of values that stay, world by world: a world gives every known person one value for good,
// and it is consistent if no class of any release has more people with a value than its bag; strangers have the rest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace pentimento::oracle::staying {

struct Release {
  std::vector<std::optional<std::uint32_t>> class_of;                // by person
  std::vector<std::map<std::uint32_t, std::uint32_t>> bag_of_class;  // value to count
};

using World = std::vector<std::uint32_t>;  // by person: the value

struct Range {
  std::uint32_t least = 0;
  std::uint32_t most = 0;
};

inline bool IsConsistent(const std::vector<Release>& releases, const World& world) {
  for (const Release& release : releases) {
    auto left = release.bag_of_class;
    for (std::size_t p = 0; p < world.size(); ++p) {
      if (!release.class_of[p]) continue;
      auto& bag = left[*release.class_of[p]];
      if (bag[world[p]] == 0) return false;
      --bag[world[p]];
    }
  }
  return true;
}

// All consistent worlds over the values 0 to values - 1.
inline std::vector<World> ConsistentWorlds(const std::vector<Release>& releases, std::size_t people,
                                           std::uint32_t values) {
  std::vector<World> worlds;
  World world(people, 0);
  while (true) {
    if (IsConsistent(releases, world)) worlds.push_back(world);
    std::size_t p = 0;
    while (p < people && ++world[p] == values) world[p++] = 0;
    if (p == people) return worlds;
  }
}

// The people that the releases do not tell apart from this one, with it.
inline std::vector<std::size_t> AlikeTo(const std::vector<Release>& releases, std::size_t person, std::size_t people) {
  std::vector<std::size_t> alike;
  for (std::size_t p = 0; p < people; ++p) {
    if (std::ranges::all_of(releases, [&](const Release& r) { return r.class_of[p] == r.class_of[person]; }))
      alike.push_back(p);
  }
  return alike;
}

// How many of these people have the value, over all of the worlds.
inline Range HoldersOver(const std::vector<World>& worlds, const std::vector<std::size_t>& people,
                         std::uint32_t value) {
  Range range{.least = static_cast<std::uint32_t>(people.size()), .most = 0};
  for (const World& world : worlds) {
    const auto holders =
        static_cast<std::uint32_t>(std::ranges::count_if(people, [&](std::size_t p) { return world[p] == value; }));
    range.least = std::min(range.least, holders);
    range.most = std::max(range.most, holders);
  }
  return range;
}

}  // namespace pentimento::oracle::staying
