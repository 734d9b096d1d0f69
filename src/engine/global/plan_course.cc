#include "engine/global/plan_course.h"

#include <algorithm>
#include <optional>

namespace pentimento {
namespace {

// One release after the other.
class Walk {
 public:
  Walk(const PlanSchedule& schedule, std::span<const CourseItem> items, std::uint32_t appearances)
      : schedule_(schedule), items_(items.begin(), items.end()), appearances_(appearances) {
    for (const CourseItem& item : items_) {
      l_of_item_.push_back(item.l);
      holders_.push_back(item.holders);
      costs_.push_back(item.holders == 0 ? 0 : CostOfExposure(item.holders, item.rows));
    }
    Prepare();
  }

  // Whether there is a next release, and one group of everybody would do for this person.
  bool GoesOn() const {
    if (!spending_) return false;
    for (std::size_t item = 0; item < items_.size(); ++item) {
      if (!Bears(item)) return false;
    }
    return true;
  }

  global::Cap CapOf(std::size_t item) const {
    return CapOfAllowance(spending_->Limit(item, items_[item].left, appearances_), items_[item].l);
  }

  void Go(GroupShape shape) {
    for (std::size_t item = 0; item < items_.size(); ++item) {
      LogCost& left = items_[item].left;
      LogCost cost = costs_[item];
      if (shape == GroupShape::kTightest) cost = std::max(cost, spending_->Aim(item, left, appearances_));
      left -= std::min(left, cost);
    }
    ++appearances_;
    if (schedule_.releases_left == kAnyNumberOfReleases) return;
    --schedule_.releases_left;
    if (schedule_.releases_left == 0 || schedule_.spending.horizon == Horizon::kKnown) Prepare();
  }

 private:
  // Costs are compared, which is quick; somebody with nothing spent who may spend everything is verified by 1/l itself.
  bool Bears(std::size_t item) const {
    const LogCost limit = spending_->Limit(item, items_[item].left, appearances_);
    // Once the series has begun, whoever has no room for what the last releases had is withheld.
    const LogCost needed = appearances_ == 0 || !spending_->withholds_by_ledger()
                               ? 0
                               : spending_->NeededFor(item, {items_[item].holders, items_[item].rows});
    if (needed > limit) return false;
    if (costs_[item] <= limit) return true;
    return limit >= spending_->budget(item) &&
           CapOfAllowance(limit, items_[item].l).Allows(items_[item].holders, items_[item].rows);
  }

  void Prepare() {
    spending_.reset();
    if (schedule_.releases_left == 0) return;
    schedule_.spending.releases_left = schedule_.releases_left;
    spending_.emplace(schedule_.spending, l_of_item_);
    if (!items_.empty()) spending_->AimFor(holders_, items_.front().rows);
  }

  PlanSchedule schedule_;
  std::vector<CourseItem> items_;
  std::uint32_t appearances_;
  std::vector<std::uint64_t> l_of_item_;
  std::vector<std::uint64_t> holders_;
  std::vector<LogCost> costs_;
  std::optional<global::Spending> spending_;
};

}  // namespace

PlanSchedule ScheduleOf(std::optional<std::uint64_t> releases, std::optional<Ratio> spend, std::uint64_t made,
                        Ratio room) {
  PlanSchedule schedule;
  schedule.spending.room = room;
  if (releases) schedule.releases_left = *releases > made ? *releases - made : 0;
  if (spend) {
    schedule.spending.horizon = Horizon::kPart;
    schedule.spending.part = *spend;
  } else if (releases) {
    schedule.spending.horizon = Horizon::kKnown;
    schedule.spending.releases_left = schedule.releases_left;
  }
  return schedule;
}

global::Cap CapOfAllowance(LogCost allowed, std::uint64_t l) {
  // Somebody with nothing spent who may spend everything is verified by 1/l itself.
  if (allowed >= BudgetOfLimit(l)) return {1, l};
  return {LargestShare(allowed), kWholeClass};
}

std::uint64_t ReleasesUnder(const PlanSchedule& schedule, std::span<const CourseItem> items, std::uint32_t appearances,
                            GroupShape shape) {
  Walk walk(schedule, items, appearances);
  // What is spread evenly over the releases that remain allows as much in the last of them as in the next.
  if (schedule.spending.horizon == Horizon::kKnown) return walk.GoesOn() ? schedule.releases_left : 0;
  std::uint64_t releases = 0;
  while (releases < kMostForeseen && walk.GoesOn()) {
    walk.Go(shape);
    ++releases;
  }
  return releases < kMostForeseen ? releases : kAnyNumberOfReleases;
}

std::vector<double> SharesUnder(const PlanSchedule& schedule, const CourseItem& item, std::uint32_t appearances,
                                GroupShape shape, std::size_t most) {
  std::vector<double> shares;
  Walk walk(schedule, std::span(&item, 1), appearances);
  while (shares.size() < most && walk.GoesOn()) {
    const global::Cap cap = walk.CapOf(0);
    shares.push_back(static_cast<double>(cap.num) / static_cast<double>(cap.den));
    walk.Go(shape);
  }
  return shares;
}

}  // namespace pentimento
