#include "anonymize/global/schedule.h"

#include "base/check.h"

namespace pentimento::global {
Spending::Spending(const Schedule& schedule, std::span<const std::uint64_t> l_of_item)
    : schedule_(schedule),
      part_(schedule.horizon == Horizon::kKnown ? Ratio{1, std::max<std::uint64_t>(schedule.releases_left, 1)}
                                                : schedule.part) {
  Check(schedule.horizon != Horizon::kKnown || schedule.releases_left > 0, "a series with no release left");
  Check(schedule.part.num > 0 && schedule.part.num <= schedule.part.den, "a part that is nothing or more than all");
  Check(schedule.aim.num >= schedule.aim.den, "no group is below the mean if all are at most that");
  Check(schedule.room.num >= schedule.room.den, "room for less than what is expected");
  for (const std::uint64_t l : l_of_item) budgets_.push_back(l == 0 ? 0 : BudgetOfLimit(l));
}

// Compared in costs, so that nobody is kept who is a rounding short of it.
LogCost CostOfFrequency(Ratio frequency, Ratio times) {
  constexpr std::uint64_t kRows = std::uint64_t{1} << 32;
  __extension__ using Wide = unsigned __int128;
  const Wide rows = (Wide{frequency.num} * kRows + frequency.den - 1) / frequency.den;
  const Wide holders = (std::min(rows, Wide{kRows}) * times.num + times.den - 1) / times.den;
  return CostOfExposure(static_cast<std::uint64_t>(std::min(holders, Wide{kRows})), kRows);
}

LogCost Spending::NeededFor(std::size_t item, Ratio expected) const {
  if (budgets_[item] == 0) return 0;
  const LogCost untouched = Limit(item, budgets_[item], 0);
  const LogCost roomy = CostOfFrequency(expected, schedule_.room);
  if (roomy <= untouched) return roomy;
  const LogCost bare = CostOfFrequency(expected);
  return bare <= untouched ? bare : 0;
}

void Spending::AimFor(std::span<const std::uint64_t> holders, std::uint64_t rows) {
  Check(holders.size() == budgets_.size(), "one number of holders for each item");
  if (schedule_.horizon != Horizon::kOpen) return;
  __extension__ using Wide = unsigned __int128;
  aims_.assign(budgets_.size(), 0);
  constexpr std::uint64_t kForever = std::uint64_t{1} << 32;
  planned_releases_ = kForever;
  for (std::size_t item = 0; item < budgets_.size(); ++item) {
    if (holders[item] == 0 || budgets_[item] == 0) continue;
    const Wide aimed = (Wide{holders[item]} * schedule_.aim.num + schedule_.aim.den - 1) / schedule_.aim.den;
    aims_[item] = CostOfExposure(static_cast<std::uint64_t>(std::min(aimed, Wide{rows})), rows);
    planned_releases_ = std::min(planned_releases_, std::max<std::uint64_t>(budgets_[item] / aims_[item], 1));
  }
}

}  // namespace pentimento::global
