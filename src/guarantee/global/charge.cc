#include "guarantee/global/charge.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/parallel.h"
#include "guarantee/global/claim_form.h"
#include "guarantee/global/classes_of_release.h"

namespace pentimento {
namespace {

// Which person's budget is too small for the release, for which item, with the sum that says so.
struct Overdraft {
  std::uint32_t person = 0;
  std::uint32_t item = 0;
  LogCost before = 0;
  LogCost after = 0;
};

class Charge {
  // So many that a task works out few costs which others have as well.
  static constexpr std::size_t kClassesPerTask = std::size_t{1} << 15;

 public:
  Charge(const GlobalClaim& claim, const ReleaseClasses& release)
      : claim_(claim), release_(release), items_(claim.items.size()), shares_(release, items_) {
    for (const SensitiveItem& item : claim.items) {
      budgets_.push_back(BudgetOfLimit(item.l));
      whole_limits_.push_back(CostOfExposure(1, item.l));
    }
    costs_.resize(release.holders.size());
    ParallelFor(release.classes(), kClassesPerTask, [&](std::size_t begin, std::size_t end) {
      CostTable table;
      for (std::size_t class_number = begin, at = begin * items_; class_number < end; ++class_number) {
        for (std::size_t item = 0; item < items_; ++item, ++at) {
          const ChargedShares::Share share = shares_.Of(class_number, item);
          costs_[at] = table.Of(share.holders, share.rows);
        }
      }
    });
    nothing_.assign(items_, 0);
  }

  // Charges people of this range, whose budgets these are, and gives the first whose budget is too small.
  std::optional<Overdraft> ChargePeople(std::uint32_t begin, std::uint32_t end, std::span<LogCost> spent) const {
    std::optional<Overdraft> first;
    for (std::uint32_t person = begin; person < end; ++person) {
      LogCost* const own = &spent[(person - begin) * items_];
      const std::uint32_t class_number =
          person < release_.class_of_person.size() ? release_.class_of_person[person] : ReleaseClasses::kAbsent;
      const LogCost* costs = class_number < release_.classes() ? &costs_[class_number * items_] : nothing_.data();
      if (class_number != ReleaseClasses::kSeveral && StaysWithinBudgets(own, costs)) [[likely]] {
        for (std::size_t item = 0; item < items_; ++item) own[item] += costs[item];
        continue;
      }
      std::optional<Overdraft> overdraft = ChargePerson(person, class_number, costs, own);
      if (!first) first = overdraft;
    }
    return first;
  }

  std::vector<Exposure> ExposuresOf(std::uint32_t person, std::uint32_t item, std::uint32_t number) const {
    std::vector<Exposure> exposures;
    shares_.AddExposures(number, person, item, exposures);
    return exposures;
  }

 private:
  // Far below where sums stop: both terms and their sum are at most a budget.
  bool StaysWithinBudgets(const LogCost* own, const LogCost* costs) const {
    const LogCost* const budgets = budgets_.data();
    bool is_above = false;
    for (std::size_t item = 0; item < items_; ++item)
      is_above |= (own[item] > budgets[item]) | (costs[item] > budgets[item] - own[item]);
    return !is_above;
  }

  // Item by item, with sums that stop where they go no higher.
  std::optional<Overdraft> ChargePerson(std::uint32_t person, std::uint32_t class_number, const LogCost* costs,
                                        LogCost* own) const {
    std::optional<Overdraft> first;
    for (std::uint32_t item = 0; item < items_; ++item) {
      const LogCost cost = class_number == ReleaseClasses::kSeveral ? CostOfRows(person, item) : costs[item];
      const LogCost before = own[item];
      own[item] = AddCosts(before, cost);
      if (own[item] <= budgets_[item]) continue;
      if (!first && !IsWholeLimit(person, item, before, cost)) first = Overdraft{person, item, before, own[item]};
    }
    return first;
  }

  LogCost CostOfRows(std::uint32_t person, std::uint32_t item) const {
    LogCost cost = 0;
    for (const Exposure& exposure : ExposuresOf(person, item, 0))
      cost = AddCosts(cost, CostOfDraws(exposure.holders, exposure.rows, exposure.own_rows));
    return cost;
  }

  // A sum above the budget is within the limit after all where a single release makes all of it, because that can be
  // verified exactly: the new one, or an earlier one that used up the whole limit, and then the new one costs nothing.
  bool IsWholeLimit(std::uint32_t person, std::uint32_t item, LogCost before, LogCost cost) const {
    if (before != 0) return cost == 0 && before == whole_limits_[item];
    const std::uint64_t l = claim_.items[item].l;
    const std::uint32_t class_number = release_.class_of_person[person];
    if (class_number < release_.classes()) {
      const ChargedShares::Share share = shares_.Of(class_number, item);
      return IsWithinLimit(share.holders, share.rows, l);
    }
    return ChanceOfEverIsAtMost(DrawsOf(ExposuresOf(person, item, 0)), {1, l});
  }

  const GlobalClaim& claim_;
  const ReleaseClasses& release_;
  std::size_t items_;
  ChargedShares shares_;
  std::vector<LogCost> budgets_;       // by item
  std::vector<LogCost> whole_limits_;  // by item: what a share of exactly 1/l costs, in any class
  std::vector<LogCost> costs_;         // by class and item
  std::vector<LogCost> nothing_;       // what who is absent pays
};

std::string ChanceOfAccountant(LogCost after) {
  constexpr std::uint64_t kMillion = 1'000'000;
  const std::uint64_t millionths = (ChanceOfCost(after) * kMillion + kWholeClass - 1) / kWholeClass;
  if (after >= kBeyondBudget) return "more than 0.63";
  return fmt::format("0.{:06}", millionths);
}

GlobalViolation Witness(const Charge& charge, const Overdraft& overdraft, const GlobalClaim& claim,
                        std::uint32_t number) {
  GlobalViolation violation{overdraft.person, overdraft.item, "",
                            charge.ExposuresOf(overdraft.person, overdraft.item, number)};
  violation.chance = overdraft.before == 0 ? ChanceInWords(DrawsOf(violation.exposures), claim.items[overdraft.item].l)
                                           : ChanceOfAccountant(overdraft.after);
  return violation;
}

}  // namespace

Result<ChargedRelease> ChargeRelease(const GlobalClaim& claim, const ReleaseClasses& release, std::uint32_t number,
                                     SpentBudgets spent) {
  constexpr std::size_t kPeopleAtOnce = 16'384;
  PENTIMENTO_RETURN_IF_ERROR(CheckClaim(claim));
  const std::size_t items = claim.items.size();
  const std::size_t people = spent.size() / items;
  if (spent.size() % items != 0 || people < release.class_of_person.size())
    return Error{ErrorCode::kInternal, "there are not budgets for everybody in the release"};
  if (auto wrong = FindMalformedClasses(release, items)) return Error{ErrorCode::kInternal, *std::move(wrong)};
  const Charge charge(claim, release);
  std::vector<std::optional<Overdraft>> first((people + kPeopleAtOnce - 1) / kPeopleAtOnce);
  ParallelFor(first.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t block = begin; block < end; ++block) {
      const std::size_t from = block * kPeopleAtOnce;
      const std::size_t to = std::min(people, from + kPeopleAtOnce);
      first[block] = charge.ChargePeople(static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to),
                                         std::span(spent).subspan(from * items, (to - from) * items));
    }
  });
  ChargedRelease charged{std::nullopt, std::move(spent)};
  const auto found = std::find_if(first.begin(), first.end(), [](const auto& it) { return it.has_value(); });
  if (found != first.end()) charged.violation = Witness(charge, **found, claim, number);
  return charged;
}

}  // namespace pentimento
