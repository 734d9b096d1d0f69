// For tests: releases about the same people from a truth, and the values that are found by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "release/common_releases.h"

namespace pentimento::testing {

inline constexpr const char* kDisease = "disease";

// One row for each person in the release. `class_of` by person; `value_of` by person.
inline CommonRelease ReleaseOf(std::vector<ClassNumber> class_of, const std::vector<std::uint32_t>& value_of,
                               const std::vector<std::pair<ClassNumber, std::uint32_t>>& strangers = {}) {
  std::vector<std::map<std::uint32_t, std::uint32_t>> bags;
  const auto add = [&](ClassNumber number, std::uint32_t value) {
    if (number >= bags.size()) bags.resize(number + std::size_t{1});
    ++bags[number][value];
  };
  for (std::size_t p = 0; p < class_of.size(); ++p) {
    if (class_of[p] != kNotInRelease) add(class_of[p], value_of[p]);
  }
  for (const auto& [number, value] : strangers) add(number, value);
  CommonRelease release{.name = "r", .class_of = std::move(class_of), .rows = {}};
  ValueBags flat{.column = kDisease, .begin = {0}, .value = {}, .count = {}};
  for (const auto& bag : bags) {
    std::uint32_t rows = 0;
    for (const auto& [value, count] : bag) {
      flat.value.push_back(value);
      flat.count.push_back(count);
      rows += count;
    }
    flat.begin.push_back(static_cast<std::uint32_t>(flat.value.size()));
    release.rows.push_back(rows);
  }
  release.values.push_back(std::move(flat));
  return release;
}

inline CommonReleases Releases(std::vector<CommonRelease> releases) {
  const auto people = static_cast<std::uint32_t>(releases.front().class_of.size());
  return {.people = people, .releases = std::move(releases)};
}

inline std::vector<std::size_t> AllOf(const CommonReleases& common) {
  std::vector<std::size_t> all;
  for (std::size_t r = 0; r < common.releases.size(); ++r) all.push_back(r);
  return all;
}

}  // namespace pentimento::testing
