// Small series drawn at random: what the property tests about several releases walk through.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/random.h"
#include "release/incremental_history.h"

namespace pentimento::property {

inline constexpr Code kSeriesCodes = 4;  // per column

using Point = std::vector<Code>;

inline std::vector<Point> RandomPoints(Random& random, std::size_t people, std::size_t columns) {
  std::vector<Point> points(people, Point(columns));
  for (Point& point : points) {
    for (Code& code : point) code = random.Below(kSeriesCodes);
  }
  return points;
}

inline void AddCase(IncrementalRelease& release, CaseNumber number, std::uint32_t box) {
  release.cases.push_back(number);
  release.box_of_case.push_back(box);
}

// Any boxes around the people, overlapping as they like; boxes that hold nobody, and equal boxes, occur. With `lies` a
// person may be published with a box that does not hold them.
inline IncrementalRelease RandomBoxes(Random& random, const std::vector<Point>& points, std::size_t people, bool lies) {
  const std::size_t columns = points[0].size();
  IncrementalRelease release{.columns = columns, .boxes = {}, .cases = {}, .box_of_case = {}};
  const std::uint32_t boxes = 1 + random.Below(4);
  for (std::size_t i = 0; i < boxes * columns; ++i) {
    const Code a = random.Below(kSeriesCodes), b = random.Below(kSeriesCodes);
    release.boxes.push_back({std::min(a, b), std::max(a, b)});
  }
  for (CaseNumber person = 0; person < people; ++person) {
    std::vector<std::uint32_t> fitting;
    for (std::uint32_t box = 0; box < boxes; ++box) {
      const auto holds = [](Interval interval, Code code) { return interval.Contains(code); };
      if (lies || std::ranges::equal(release.box(box), points[person], holds)) fitting.push_back(box);
    }
    if (fitting.empty() || random.Below(8) == 0) continue;  // this person is not in this release
    AddCase(release, person, fitting[random.Below(static_cast<std::uint32_t>(fitting.size()))]);
  }
  return release;
}

// The first `people` cut into disjoint regions, as by a strict multidimensional partitioning; everybody is published.
inline IncrementalRelease RandomPartition(Random& random, const std::vector<Point>& points, std::size_t people) {
  const std::size_t columns = points[0].size();
  std::vector<Box> regions = {Box(columns, {0, kSeriesCodes - 1})};
  for (std::uint32_t cuts = random.Below(4); cuts > 0; --cuts) {
    Box& region = regions[random.Below(static_cast<std::uint32_t>(regions.size()))];
    const std::size_t column = random.Below(static_cast<std::uint32_t>(columns));
    const Interval whole = region[column];
    if (whole.size() == 1) continue;
    const Code last = whole.lo + random.Below(static_cast<std::uint32_t>(whole.size()) - 1);
    Box other = region;
    region[column].hi = last;
    other[column].lo = last + 1;
    regions.push_back(std::move(other));
  }
  IncrementalRelease release{.columns = columns, .boxes = {}, .cases = {}, .box_of_case = {}};
  for (const Box& region : regions) release.boxes.insert(release.boxes.end(), region.begin(), region.end());
  for (CaseNumber person = 0; person < people; ++person) {
    for (std::uint32_t box = 0; box < regions.size(); ++box) {
      const auto holds = [](Interval interval, Code code) { return interval.Contains(code); };
      if (std::ranges::equal(regions[box], points[person], holds)) AddCase(release, person, box);
    }
  }
  return release;
}

// Up to three releases about up to seven people.
inline IncrementalHistory RandomSeries(Random& random) {
  const auto points = RandomPoints(random, 1 + random.Below(7), 1 + random.Below(2));
  const bool lies = random.Below(4) == 0;
  IncrementalHistory history;
  for (std::uint32_t releases = 1 + random.Below(3); releases > 0; --releases) {
    history.push_back(RandomBoxes(random, points, points.size(), lies));
  }
  return history;
}

// Two releases of a table that grows, each cut into disjoint regions of its own.
inline IncrementalHistory RandomGrowingPartitions(Random& random) {
  const auto points = RandomPoints(random, 4 + random.Below(6), 1 + random.Below(2));
  return {RandomPartition(random, points, 2 + random.Below(static_cast<std::uint32_t>(points.size()) - 2)),
          RandomPartition(random, points, points.size())};
}

// Two to four releases of a table that grows, each cut further than the one before: every box nests, whether or not
// enough people are in it.
inline IncrementalHistory RandomRefinements(Random& random) {
  const auto points = RandomPoints(random, 5 + random.Below(8), 1);
  std::vector<Interval> regions = {{0, kSeriesCodes - 1}};
  IncrementalHistory history;
  std::size_t people = 2 + random.Below(4);
  for (std::uint32_t releases = 2 + random.Below(3); releases > 0; --releases) {
    for (std::uint32_t cuts = random.Below(3); cuts > 0; --cuts) {
      Interval& region = regions[random.Below(static_cast<std::uint32_t>(regions.size()))];
      if (region.size() == 1) continue;
      const Code last = region.lo + random.Below(static_cast<std::uint32_t>(region.size()) - 1);
      const Interval other{last + 1, region.hi};
      region.hi = last;
      regions.push_back(other);
    }
    IncrementalRelease release{.columns = 1, .boxes = regions, .cases = {}, .box_of_case = {}};
    for (CaseNumber person = 0; person < people; ++person) {
      for (std::uint32_t box = 0; box < regions.size(); ++box) {
        if (regions[box].Contains(points[person][0])) AddCase(release, person, box);
      }
    }
    history.push_back(std::move(release));
    people = std::min(points.size(), people + random.Below(5));
  }
  return history;
}

}  // namespace pentimento::property
