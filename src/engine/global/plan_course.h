// The course that a series would take from now on, for somebody who is in every release of it and while every release
// has the items as often as this table. Nobody knows how often later releases will have them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "anonymize/global/budget_levels.h"
#include "anonymize/global/schedule.h"
#include "base/log_budget.h"
#include "release/global_horizon.h"

namespace pentimento {

// How somebody stands with an item that `holders` of `rows` have.
struct CourseItem {
  std::uint64_t l = 2;
  std::uint64_t holders = 0;
  std::uint64_t rows = 0;
  LogCost left = 0;
};

// The two ends of what groups may look like to this person.
enum class GroupShape {
  kEven,      // every group has an item as often as the whole table has it
  kTightest,  // the person's group always has it as often as the schedule lets it
};

// The schedule of the next release, and how many there may be at all.
struct PlanSchedule {
  Schedule spending;  // releases_left counts only where there is one
  std::uint64_t releases_left = kAnyNumberOfReleases;
};

// With `releases` all of them may be out, and then none is left.
PlanSchedule ScheduleOf(std::optional<std::uint64_t> releases, std::optional<Ratio> spend, std::uint64_t made,
                        Ratio room = Schedule{}.room);

// Beyond that many releases nobody plans: so many count as any number.
inline constexpr std::uint64_t kMostForeseen = 10'000;

// The share of a group that an item may have for somebody who may spend so much on it.
global::Cap CapOfAllowance(LogCost allowed, std::uint64_t l);

// How many more releases the schedule lets this person be in: until one item may be no more frequent in the person's
// group than in the whole table, or the person is withheld for want of room. kAnyNumberOfReleases where that is nowhere
// in sight.
std::uint64_t ReleasesUnder(const PlanSchedule& schedule, std::span<const CourseItem> items, std::uint32_t appearances,
                            GroupShape shape);

// The share of the person's group that the item may have in each of the next releases, `most` of them at most; ends
// where ReleasesUnder of this item alone does.
std::vector<double> SharesUnder(const PlanSchedule& schedule, const CourseItem& item, std::uint32_t appearances,
                                GroupShape shape, std::size_t most);

}  // namespace pentimento
