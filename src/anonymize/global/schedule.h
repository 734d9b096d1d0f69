// How much of what somebody has left a release may spend. In fixed-point logarithms, as the accountant keeps them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/log_budget.h"
#include "base/ratio.h"

namespace pentimento {

enum class Horizon {
  kKnown,  // what is left is spread evenly over the releases that remain
  kOpen,   // after c releases with somebody at most c/(c+1) of the budget is spent, and less where that lasts longer
  kPart,   // a part of what is left
};

struct Schedule {
  Horizon horizon = Horizon::kOpen;
  std::uint64_t releases_left = 1;  // kKnown: this one included
  Ratio part{1, 1};                 // kPart: above 0, at most 1
  // kOpen: groups in which an item is this much more frequent than in the whole table are good enough. Nearer to 1 the
  // series lasts longer and groups get larger; the measurements are in algorithm.md.
  Ratio aim{9, 8};
  // Not kKnown: whoever may not spend what a group costs in which an item is this much more frequent than in the last
  // releases is withheld before anybody looks at this one. At least 1.
  Ratio room{5, 4};
};

namespace global {

// What a group costs in which an item is `times` as frequent as `frequency`, rounded up; at most everybody has it.
LogCost CostOfFrequency(Ratio frequency, Ratio times = {1, 1});

// What is limited in the same way for everybody: the budgets of the items, and the schedule.
class Spending {
 public:
  Spending(const Schedule& schedule, std::span<const std::uint64_t> l_of_item);

  LogCost budget(std::size_t item) const { return budgets_[item]; }
  // That share what is left, this one included; 1 where their number decides nothing.
  std::uint64_t releases_left() const { return schedule_.horizon == Horizon::kKnown ? schedule_.releases_left : 1; }
  // Whether the policy could let a release use a larger part of what is left.
  bool holds_back() const { return schedule_.horizon == Horizon::kPart && schedule_.part.num < schedule_.part.den; }
  LogCost Left(std::size_t item, LogCost spent) const { return budgets_[item] > spent ? budgets_[item] - spent : 0; }

  // The most that the schedule lets somebody spend on an item who has `left` of its budget and was in `appearances`
  // releases. Depends on nothing that happens in this release.
  LogCost Limit(std::size_t item, LogCost left, std::uint32_t appearances) const {
    if (schedule_.horizon != Horizon::kOpen) return part_.Of(left);
    const LogCost kept_back = budgets_[item] / (std::uint64_t{appearances} + 2) + 1;
    return left > kept_back ? left - kept_back : 0;
  }

  // Whether people are withheld by the ledger alone. Not with a known number of releases: there a limit never falls
  // from one release to the next, so whoever could be in the first can be in all.
  bool withholds_by_ledger() const { return schedule_.horizon != Horizon::kKnown; }
  // What somebody must be allowed to spend on an item to be in a release, where the last ones had it `expected` often
  // at most: what a group costs that leaves room above that frequency. Where not even an untouched budget allows that,
  // what a group of the expected frequency costs; where it does not even allow this, nothing: it would withhold
  // everybody.
  LogCost NeededFor(std::size_t item, Ratio expected) const;

  // Whether people with the same left may spend the same, the less the less they have left.
  bool follows_what_is_left() const { return schedule_.horizon != Horizon::kOpen; }
  // Their limit, which is what they aim at as well.
  LogCost LimitOfLeft(LogCost left) const { return part_.Of(left); }

  // An open series aims lower than the limit, or it would be over soon: groups as tight as the limit put some people at
  // their end, and nobody can be left out for what they hold. `holders`: by item, among `rows` that are published.
  void AimFor(std::span<const std::uint64_t> holders, std::uint64_t rows);

  // What the release should spend at most: never above the limit.
  LogCost Aim(std::size_t item, LogCost left, std::uint32_t appearances) const {
    const LogCost limit = Limit(item, left, appearances);
    if (aims_.empty()) return limit;
    const std::uint64_t planned = planned_releases_ > appearances ? planned_releases_ - appearances : 1;
    return std::min(limit, std::max(left / planned, aims_[item]));
  }

 private:
  // A fraction of many budgets, by multiplying: at most a unit below the quotient, never above it.
  class Part {
   public:
    explicit Part(Ratio ratio)
        : is_all_(ratio.num == ratio.den), factor_(static_cast<std::uint64_t>((Wide{ratio.num} << 64) / ratio.den)) {}
    LogCost Of(LogCost left) const { return is_all_ ? left : static_cast<LogCost>(Wide{left} * factor_ >> 64); }

   private:
    __extension__ using Wide = unsigned __int128;
    bool is_all_;
    std::uint64_t factor_;
  };

  Schedule schedule_;
  Part part_;
  std::vector<LogCost> budgets_;
  // Only where an open series aims: how many releases everybody's budget would last, and what each of them costs.
  std::uint64_t planned_releases_ = 1;
  std::vector<LogCost> aims_;
};

}  // namespace global
}  // namespace pentimento
