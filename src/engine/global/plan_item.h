// What a plan tells of one thing that nobody may be linked to.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "anonymize/global/budget_levels.h"
#include "base/hash.h"
#include "base/log_budget.h"
#include "engine/global/account.h"
#include "engine/global/plan_course.h"
#include "engine/global/remaining_releases.h"
#include "guarantee/global/persistence.h"

namespace pentimento {

// The people of a table as the account of a series knows them, in the order of the identities they were found by.
struct PlanPeople {
  std::uint64_t newcomers = 0;              // who were in no release of the series
  std::vector<std::uint32_t> appearances;   // by person
  std::vector<std::vector<LogCost>> spent;  // by item, then by person

  std::size_t count() const { return appearances.size(); }
};

// `identities`: ascending, each once.
PlanPeople FindPeople(const Account& account, std::span<const IdentityHash> identities);

// What is spent on one item, in numbers that hold for any l.
class SpentOnItem {
 public:
  // `spent`: by person of the table; `most_ever`: by anybody who was in the series, in the table or not.
  explicit SpentOnItem(std::span<const LogCost> spent, LogCost most_ever = 0);

  bool nothing() const { return most_ == 0; }
  // Whether nobody was told more of than 1/l. What is out stays out, so otherwise no release can promise it.
  bool Keeps(std::uint64_t l) const { return IsKeptSoFar(std::max(most_, most_ever_), l); }
  // What is left on average where the budget is this large, rounded down.
  LogCost MeanLeft(LogCost budget) const;

 private:
  __extension__ using Wide = unsigned __int128;

  std::span<const LogCost> spent_;
  Wide sum_ = 0;
  LogCost most_ = 0;
  LogCost most_ever_ = 0;
};

// How many people have less than a part of a budget left.
struct CloseToLimit {
  std::uint64_t below_half = 0;
  std::uint64_t below_quarter = 0;
  std::uint64_t below_tenth = 0;
  // Who could not be in a group in which the item is as frequent as it was in the latest release: these would be
  // withheld. Nobody before the first release, when nothing is spent: a table that is too frequent then is refused.
  std::uint64_t too_little_left = 0;
};

inline constexpr std::size_t kPlanBins = 20;

struct ItemPlan {
  std::string name;    // as messages call it: a value only where the policy lists it
  std::string column;  // of the table
  bool is_named = false;
  bool is_set = false;
  bool is_asked = true;      // by this policy, not only by an earlier one
  bool is_published = true;  // this policy has the column
  std::uint64_t l = 2;
  std::uint64_t holders = 0;  // of `rows` of this table
  std::uint64_t rows = 0;

  // Releases; kAnyNumberOfReleases where nothing stands in their way.
  std::uint64_t from_the_start = 0;   // of a series with this frequency, however people are grouped
  std::uint64_t at_most = 0;          // that the budgets of these people still allow, however they are grouped
  std::uint64_t even_groups = 0;      // under the schedule, for somebody with an average budget
  std::uint64_t tightest_groups = 0;  // the same, where this person's group is always as tight as it may be

  std::optional<MeasuredPersistence> persistence;  // of what is published, once a release is out

  LogCost most_ever = 0;     // what anybody in the series spent on it, in this table or not
  bool is_too_late = false;  // that is more than this l allows: nothing can be published under it

  LogCost budget = 0;
  LogCost mean_left = 0;
  LogCost median_left = 0;
  LogCost least_left = 0;
  CloseToLimit close;
  std::array<std::uint64_t, kPlanBins> histogram{};  // people by what is left of the budget, in twentieths

  // The share of a group that the next release allows, for the smallest remaining budget and for the median person.
  // With no release left under the schedule they are 0.
  global::Cap tightest;
  global::Cap median;
  // The target of groups of the median person: an open series lasts longer if it takes less than it may.
  global::Cap target;

  std::vector<std::uint64_t> l_tried;
  std::vector<std::uint64_t> at_most_by_l;
  // For somebody with an average budget: the share of a group in each of the next releases.
  std::vector<double> shares_even;
  std::vector<double> shares_tightest;
};

// How often something is.
struct Frequency {
  std::uint64_t holders = 0;
  std::uint64_t rows = 0;
};

// The bound that no grouping passes: the mean exposure of a release is the frequency.
std::uint64_t MostReleasesLeft(std::uint64_t l, Frequency frequency, const SpentOnItem& spent);

// What is known of everybody before items are looked at.
struct PlanSetting {
  PlanSchedule schedule;
  bool has_begun = false;  // what was promised stays
  std::uint32_t typical_appearances = 0;
};

// How close each person is to the limit of an item; higher is closer.
enum class Closeness : std::uint8_t { kFar, kBelowHalf, kBelowQuarter, kBelowTenth };

struct PersonStanding {
  Closeness closeness = Closeness::kFar;
  bool has_too_little = false;
};

// `standing`: by person; raised where this item is closer than those before.
void MeasureItem(const PlanSetting& setting, std::span<const LogCost> spent, std::span<const std::uint32_t> appearances,
                 Frequency expected, ItemPlan& item, std::vector<PersonStanding>& standing);

// Adds one person to the counts.
void Count(const PersonStanding& person, CloseToLimit& close);

}  // namespace pentimento
