// Small sets of releases, for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "release/common_releases.h"

namespace pentimento::history_testing {

inline constexpr ClassNumber kAway = kNotInRelease;

// By release and person the class. Everybody has one row, and there are no strangers.
inline CommonReleases HistoryOf(std::vector<std::vector<ClassNumber>> classes) {
  CommonReleases common;
  for (std::vector<ClassNumber>& class_of : classes) {
    common.people = static_cast<std::uint32_t>(class_of.size());
    CommonRelease& release = common.releases.emplace_back();
    release.name = "r" + std::to_string(common.releases.size());
    for (const ClassNumber number : class_of) {
      if (number == kNotInRelease) continue;
      if (number >= release.rows.size()) release.rows.resize(number + 1);
      ++release.rows[number];
    }
    release.class_of = std::move(class_of);
  }
  return common;
}

// The bags of a column, from the value of each row: first the rows of people in their order, then those of strangers,
// who are in the last class.
inline void AddBags(CommonRelease& release, std::string column, const std::vector<std::uint32_t>& value_of_row) {
  std::vector<std::map<std::uint32_t, std::uint32_t>> counts(release.rows.size());
  std::size_t row = 0;
  for (const ClassNumber number : release.class_of) {
    if (number != kNotInRelease) ++counts[number][value_of_row[row++]];
  }
  for (; row < value_of_row.size(); ++row) ++counts.back()[value_of_row[row]];
  ValueBags& bags = release.values.emplace_back();
  bags.column = std::move(column);
  for (const auto& of_class : counts) {
    bags.begin.push_back(static_cast<std::uint32_t>(bags.value.size()));
    for (const auto& [value, count] : of_class) {
      bags.value.push_back(value);
      bags.count.push_back(count);
    }
  }
  bags.begin.push_back(static_cast<std::uint32_t>(bags.value.size()));
}

}  // namespace pentimento::history_testing
