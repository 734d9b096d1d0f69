#include "engine/global/plan_item.h"

#include <algorithm>

#include "release/global_horizon.h"

namespace pentimento {
namespace {

constexpr std::array<std::uint64_t, 13> kTriedL = {2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 50, 100};
// Enough for a picture; a series of more is known by its first releases.
constexpr std::size_t kMostShares = 100;

// The smallest amount that is not below a part of the budget.
LogCost PartUp(LogCost budget, std::uint64_t part) { return (budget + part - 1) / part; }

LogCost MedianOf(std::vector<LogCost>& costs) {
  const auto middle = costs.begin() + static_cast<std::ptrdiff_t>((costs.size() - 1) / 2);
  std::nth_element(costs.begin(), middle, costs.end());
  return *middle;
}

Closeness ClosenessOf(LogCost left, LogCost budget) {
  if (left < PartUp(budget, 10)) return Closeness::kBelowTenth;
  if (left < PartUp(budget, 4)) return Closeness::kBelowQuarter;
  if (left < PartUp(budget, 2)) return Closeness::kBelowHalf;
  return Closeness::kFar;
}

void MeasureLeft(std::span<const LogCost> spent, ItemPlan& item, std::vector<LogCost>& left) {
  const LogCost bin = std::max<LogCost>(PartUp(item.budget, kPlanBins), 1);
  for (std::size_t person = 0; person < spent.size(); ++person) {
    left[person] = item.budget - std::min(item.budget, spent[person]);
    ++item.histogram[std::min<std::size_t>(left[person] / bin, kPlanBins - 1)];
  }
  item.least_left = *std::ranges::min_element(left);
}

// What everybody may spend in the next release, and who cannot spend enough.
void MeasureAllowed(const PlanSetting& setting, std::span<const LogCost> left,
                    std::span<const std::uint32_t> appearances, Frequency expected, ItemPlan& item,
                    std::vector<PersonStanding>& standing) {
  const bool has_next = setting.schedule.releases_left > 0;
  // Where the plan has come to its end, everything that is left counts.
  std::vector<LogCost> allowed(left.begin(), left.end());
  LogCost needed = expected.holders == 0 ? 0 : CostOfExposure(expected.holders, expected.rows);
  if (has_next) {
    const global::Spending spending(setting.schedule.spending, std::span(&item.l, 1));
    for (std::size_t person = 0; person < left.size(); ++person)
      allowed[person] = spending.Limit(0, left[person], appearances[person]);
    if (spending.withholds_by_ledger()) needed = spending.NeededFor(0, {expected.holders, expected.rows});
  }
  const bool is_within_l = expected.holders * item.l <= expected.rows;
  for (std::size_t person = 0; person < left.size(); ++person) {
    PersonStanding own{ClosenessOf(left[person], item.budget), setting.has_begun && allowed[person] < needed};
    if (allowed[person] >= item.budget && is_within_l) own.has_too_little = false;
    Count(own, item.close);
    standing[person].closeness = std::max(standing[person].closeness, own.closeness);
    standing[person].has_too_little |= own.has_too_little;
  }
  if (!has_next) return;
  item.tightest = CapOfAllowance(*std::ranges::min_element(allowed), item.l);
  item.median = CapOfAllowance(MedianOf(allowed), item.l);
}

void MeasureCourse(const PlanSetting& setting, ItemPlan& item) {
  if (item.is_too_late) return;
  const CourseItem course{item.l, item.holders, item.rows, item.mean_left};
  const std::span<const CourseItem> alone(&course, 1);
  const std::uint32_t appearances = setting.typical_appearances;
  item.even_groups = ReleasesUnder(setting.schedule, alone, appearances, GroupShape::kEven);
  item.tightest_groups = ReleasesUnder(setting.schedule, alone, appearances, GroupShape::kTightest);
  item.shares_even = SharesUnder(setting.schedule, course, appearances, GroupShape::kEven, kMostShares);
  item.shares_tightest = SharesUnder(setting.schedule, course, appearances, GroupShape::kTightest, kMostShares);
}

void TryEveryL(const PlanSetting& setting, const SpentOnItem& spent, ItemPlan& item) {
  item.l_tried.assign(kTriedL.begin(), kTriedL.end());
  item.l_tried.push_back(item.l);
  std::ranges::sort(item.l_tried);
  const auto repeated = std::ranges::unique(item.l_tried);
  item.l_tried.erase(repeated.begin(), repeated.end());
  if (setting.has_begun) std::erase_if(item.l_tried, [&](std::uint64_t l) { return l < item.l; });
  for (const std::uint64_t l : item.l_tried)
    item.at_most_by_l.push_back(MostReleasesLeft(l, {item.holders, item.rows}, spent));
}

}  // namespace

PlanPeople FindPeople(const Account& account, std::span<const IdentityHash> identities) {
  PlanPeople people;
  people.appearances.resize(identities.size());
  people.spent.assign(account.items(), std::vector<LogCost>(identities.size()));
  const std::span<const IdentityHash> known = account.people();
  std::size_t at = 0;
  for (std::size_t person = 0; person < identities.size(); ++person) {
    while (at < known.size() && known[at] < identities[person]) ++at;
    if (at == known.size() || known[at] != identities[person]) {
      ++people.newcomers;
      continue;
    }
    people.appearances[person] = account.appearances()[at];
    for (std::size_t item = 0; item < account.items(); ++item)
      people.spent[item][person] = account.spent()[at * account.items() + item];
  }
  return people;
}

SpentOnItem::SpentOnItem(std::span<const LogCost> spent, LogCost most_ever) : spent_(spent), most_ever_(most_ever) {
  for (const LogCost one : spent) {
    sum_ += one;
    most_ = std::max(most_, one);
  }
}

LogCost SpentOnItem::MeanLeft(LogCost budget) const {
  if (spent_.empty()) return budget;
  if (most_ <= budget) return static_cast<LogCost>((Wide{budget} * spent_.size() - sum_) / spent_.size());
  Wide left = 0;
  for (const LogCost one : spent_) left += budget > one ? budget - one : 0;
  return static_cast<LogCost>(left / spent_.size());
}

std::uint64_t MostReleasesLeft(std::uint64_t l, Frequency frequency, const SpentOnItem& spent) {
  if (!spent.Keeps(l)) return 0;
  if (spent.nothing()) return MostReleases(l, frequency.holders, frequency.rows);
  return ReleasesLeft(spent.MeanLeft(BudgetOfLimit(l)), frequency.holders, frequency.rows);
}

void Count(const PersonStanding& person, CloseToLimit& close) {
  close.below_half += person.closeness >= Closeness::kBelowHalf ? 1 : 0;
  close.below_quarter += person.closeness >= Closeness::kBelowQuarter ? 1 : 0;
  close.below_tenth += person.closeness >= Closeness::kBelowTenth ? 1 : 0;
  close.too_little_left += person.has_too_little ? 1 : 0;
}

void MeasureItem(const PlanSetting& setting, std::span<const LogCost> spent, std::span<const std::uint32_t> appearances,
                 Frequency expected, ItemPlan& item, std::vector<PersonStanding>& standing) {
  const SpentOnItem on_item(spent, item.most_ever);
  item.is_too_late = !on_item.Keeps(item.l);
  item.budget = BudgetOfLimit(item.l);
  item.from_the_start = MostReleases(item.l, item.holders, item.rows);
  item.at_most = MostReleasesLeft(item.l, {item.holders, item.rows}, on_item);
  item.mean_left = on_item.MeanLeft(item.budget);
  std::vector<LogCost> left(spent.size());
  MeasureLeft(spent, item, left);
  MeasureAllowed(setting, left, appearances, expected, item, standing);
  item.median_left = MedianOf(left);
  MeasureCourse(setting, item);
  TryEveryL(setting, on_item, item);
}

}  // namespace pentimento
