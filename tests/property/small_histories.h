// Sets of releases about a few people: all of them, or random ones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "release/common_releases.h"

namespace pentimento::property {

inline CommonRelease ReleaseOf(std::vector<ClassNumber> class_of) {
  CommonRelease release{"r", std::move(class_of), {}, {}, {}};
  for (const ClassNumber number : release.class_of) {
    if (number == kNotInRelease) continue;
    if (number >= release.rows.size()) release.rows.resize(number + 1);
    ++release.rows[number];
  }
  return release;
}

inline CommonReleases HistoryOf(std::vector<std::vector<ClassNumber>> classes) {
  CommonReleases common;
  for (std::vector<ClassNumber>& class_of : classes) {
    common.people = static_cast<std::uint32_t>(class_of.size());
    common.releases.push_back(ReleaseOf(std::move(class_of)));
  }
  return common;
}

// Every way in which these people can be in a release or not, and in classes with whom.
inline std::vector<CommonRelease> AllReleasesOf(std::size_t people) {
  std::vector<std::vector<ClassNumber>> open = {{}};
  for (std::size_t person = 0; person < people; ++person) {
    std::vector<std::vector<ClassNumber>> longer;
    for (const std::vector<ClassNumber>& one : open) {
      ClassNumber next = 0;
      for (const ClassNumber number : one) next = number == kNotInRelease ? next : std::max(next, number + 1);
      for (ClassNumber number = 0; number <= next + 1; ++number) {
        longer.push_back(one);
        longer.back().push_back(number > next ? kNotInRelease : number);
      }
    }
    open = std::move(longer);
  }
  std::vector<CommonRelease> releases;
  for (std::vector<ClassNumber>& one : open) releases.push_back(ReleaseOf(std::move(one)));
  return releases;
}

// Calls body(common) for every sequence of `count` releases of these people.
template <typename Body>
void ForEachHistory(std::size_t people, std::size_t count, const Body& body) {
  const std::vector<CommonRelease> all = AllReleasesOf(people);
  CommonReleases common{static_cast<std::uint32_t>(people), std::vector<CommonRelease>(count, all.front())};
  std::vector<std::size_t> place(count);
  while (true) {
    body(std::as_const(common));
    std::size_t r = 0;
    while (r < count && ++place[r] == all.size()) place[r++] = 0;
    if (r == count) return;
    for (std::size_t i = 0; i <= r; ++i) common.releases[i] = all[place[i]];
  }
}

// With strangers, and classes that cover absent people, in some of them.
inline CommonReleases RandomHistory(Random& random, std::uint32_t most_people, std::uint32_t most_releases) {
  CommonReleases common;
  common.people = static_cast<std::uint32_t>(1 + random.Below(most_people));
  const std::size_t count = 1 + random.Below(most_releases);
  const bool has_absent = random.Below(3) > 0;
  for (std::size_t r = 0; r < count; ++r) {
    const auto classes = static_cast<std::uint32_t>(1 + random.Below(3));
    CommonRelease release{"r" + std::to_string(r), {}, std::vector<std::uint32_t>(classes), {}, {}};
    for (std::uint32_t person = 0; person < common.people; ++person) {
      const bool is_in = !has_absent || random.Below(3) > 0;
      release.class_of.push_back(is_in ? static_cast<ClassNumber>(random.Below(classes)) : kNotInRelease);
      if (is_in) ++release.rows[release.class_of.back()];
    }
    if (random.Below(4) == 0) release.rows[random.Below(classes)] += static_cast<std::uint32_t>(random.Below(3));
    for (std::uint32_t person = 0; has_absent && r % 2 == 0 && person < common.people; ++person) {
      const std::uint64_t covering = random.Below(classes + 1);
      release.covering.push_back(covering == classes ? kNotInRelease : static_cast<ClassNumber>(covering));
    }
    common.releases.push_back(std::move(release));
  }
  return common;
}

}  // namespace pentimento::property
