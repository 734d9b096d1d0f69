#include "guarantee/global/global_guarantee.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "base/log_budget.h"
#include "base/parallel.h"
#include "guarantee/global/well_formed_series.h"

namespace pentimento {
namespace {

// What the sum of costs leaves to be decided about a person and an item.
struct OpenCase {
  std::uint32_t person = 0;
  std::uint32_t item = 0;
  bool is_broken = false;  // for sure; otherwise it is too close to the limit for a sum of rounded numbers
};

// An item's limit for sums of costs that were rounded up.
struct SumLimits {
  LogCost holds_up_to = 0;     // at most: within the limit for sure
  LogCost is_broken_from = 0;  // at least: above the limit for sure, whatever the rounding
};

std::vector<SumLimits> LimitsOfItems(const GlobalClaim& claim, std::size_t releases) {
  std::vector<SumLimits> limits;
  for (const SensitiveItem& item : claim.items) {
    const LogCost budget = BudgetOfLimit(item.l);
    // The budget is rounded down, and each release's cost up, by less than the slack. The sum of both stays below
    // kBeyondBudget, where sums stop, for as many releases as memory can hold.
    limits.push_back({budget, budget + kLogCostSlack * (releases + 1)});
  }
  return limits;
}

// By class and item, as `holders`.
std::vector<LogCost> CostsOfClasses(const ReleaseClasses& release, std::size_t items, CostTable& table) {
  const ChargedShares shares(release, items);
  std::vector<LogCost> costs(release.holders.size());
  for (std::size_t class_number = 0, at = 0; class_number < release.classes(); ++class_number) {
    for (std::size_t item = 0; item < items; ++item, ++at) {
      const ChargedShares::Share share = shares.Of(class_number, item);
      costs[at] = table.Of(share.holders, share.rows);
    }
  }
  return costs;
}

// Sums up costs for a range of people, release after release, and says what is left to be decided. Works on a few
// thousand people at a time, whose sums stay in the cache.
class SumOfCosts {
 public:
  SumOfCosts(std::span<const ReleaseClasses> history, const GlobalClaim& claim)
      : history_(history), items_(claim.items.size()), limits_(LimitsOfItems(claim, history.size())) {
    CostTable table;
    for (const ReleaseClasses& release : history_) costs_.push_back(CostsOfClasses(release, items_, table));
  }

  std::vector<OpenCase> Judge(std::uint32_t begin, std::uint32_t end) const {
    std::vector<LogCost> sums((end - begin) * items_);
    std::vector<bool> has_several_rows(end - begin);
    for (std::size_t number = 0; number < history_.size(); ++number) {
      const ReleaseClasses& release = history_[number];
      const auto known = std::min<std::size_t>(end, release.class_of_person.size());
      for (std::size_t person = begin; person < known; ++person) {
        const std::uint32_t class_number = release.class_of_person[person];
        if (class_number < release.classes())
          Add(&costs_[number][class_number * items_], &sums[(person - begin) * items_]);
        else if (class_number == ReleaseClasses::kSeveral)
          has_several_rows[person - begin] = true;
      }
    }
    std::vector<OpenCase> open;
    for (std::uint32_t person = begin; person < end; ++person) {
      for (std::uint32_t item = 0; item < items_; ++item) {
        const LogCost sum = sums[(person - begin) * items_ + item];
        const bool is_partial = has_several_rows[person - begin];
        if (sum <= limits_[item].holds_up_to && !is_partial) continue;
        open.push_back({person, item, sum >= limits_[item].is_broken_from});
      }
    }
    return open;
  }

 private:
  void Add(const LogCost* costs, LogCost* sums) const {
    for (std::size_t item = 0; item < items_; ++item) sums[item] = AddCosts(sums[item], costs[item]);
  }

  std::span<const ReleaseClasses> history_;
  std::size_t items_;
  std::vector<SumLimits> limits_;
  std::vector<std::vector<LogCost>> costs_;  // by release
};

// Verifies in full, and remembers: whole classes may be at the limit, and their people have equal histories.
class ExactJudge {
 public:
  ExactJudge(std::span<const ReleaseClasses> history, const GlobalClaim& claim) : claim_(claim) {
    for (const ReleaseClasses& release : history) shares_.emplace_back(release, claim.items.size());
  }

  bool Holds(const OpenCase& open) {
    const std::uint64_t l = claim_.items[open.item].l;
    CollectExposures(open.person, open.item, exposures_);
    if (exposures_.size() == 1 && exposures_[0].own_rows == 1)
      return IsWithinLimit(exposures_[0].holders, exposures_[0].rows, l);
    std::vector<DrawsFromClass> draws = DrawsOf(exposures_);
    // The order of releases does not matter, and equal histories in another order are equal.
    std::sort(draws.begin(), draws.end(), IsBefore);
    const auto [verdict, is_new] = verdicts_[l].try_emplace(std::move(draws), false);
    if (is_new) verdict->second = ChanceOfEverIsAtMost(verdict->first, {1, l});
    return verdict->second;
  }

  GlobalViolation Witness(const OpenCase& open) const {
    GlobalViolation violation{open.person, open.item, "", {}};
    CollectExposures(open.person, open.item, violation.exposures);
    violation.chance = ChanceInWords(DrawsOf(violation.exposures), claim_.items[open.item].l);
    return violation;
  }

 private:
  static bool IsBefore(const DrawsFromClass& a, const DrawsFromClass& b) {
    return std::tie(a.rows, a.with_value, a.drawn) < std::tie(b.rows, b.with_value, b.drawn);
  }
  struct IsSmaller {
    bool operator()(const std::vector<DrawsFromClass>& a, const std::vector<DrawsFromClass>& b) const {
      return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), IsBefore);
    }
  };

  void CollectExposures(std::uint32_t person, std::uint32_t item, std::vector<Exposure>& exposures) const {
    exposures.clear();
    for (std::uint32_t number = 0; number < shares_.size(); ++number)
      shares_[number].AddExposures(number, person, item, exposures);
  }

  std::vector<ChargedShares> shares_;  // by release
  const GlobalClaim& claim_;
  std::vector<Exposure> exposures_;                                                           // of the case at hand
  std::map<std::uint64_t, std::map<std::vector<DrawsFromClass>, bool, IsSmaller>> verdicts_;  // by l
};

Status CheckHistory(std::span<const ReleaseClasses> history, const GlobalClaim& claim) {
  PENTIMENTO_RETURN_IF_ERROR(CheckClaim(claim));
  std::vector<std::optional<std::string>> wrong(history.size());
  ParallelFor(history.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t number = begin; number < end; ++number)
      wrong[number] = FindMalformedClasses(history[number], claim.items.size());
  });
  for (std::size_t number = 0; number < history.size(); ++number)
    if (wrong[number])
      return Error{ErrorCode::kInternal, fmt::format("release {} of the series: {}", number + 1, *wrong[number])};
  return {};
}

}  // namespace

Result<std::optional<GlobalViolation>> FindGlobalViolation(std::span<const ReleaseClasses> history,
                                                           const GlobalClaim& claim) {
  constexpr std::size_t kPeopleAtOnce = 4096;
  PENTIMENTO_RETURN_IF_ERROR(CheckHistory(history, claim));
  std::size_t people = 0;
  for (const ReleaseClasses& release : history) people = std::max(people, release.class_of_person.size());
  const SumOfCosts sums(history, claim);
  std::vector<std::vector<OpenCase>> open((people + kPeopleAtOnce - 1) / kPeopleAtOnce);
  ParallelFor(open.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t block = begin; block < end; ++block)
      open[block] = sums.Judge(static_cast<std::uint32_t>(block * kPeopleAtOnce),
                               static_cast<std::uint32_t>(std::min(people, (block + 1) * kPeopleAtOnce)));
  });
  ExactJudge judge(history, claim);
  for (const std::vector<OpenCase>& block : open)
    for (const OpenCase& it : block)
      if (it.is_broken || !judge.Holds(it)) return std::optional(judge.Witness(it));
  return std::optional<GlobalViolation>();
}

std::string DescribeViolation(const GlobalViolation& violation, const GlobalClaim& claim, std::string_view who,
                              std::span<const std::string> release_names) {
  constexpr std::size_t kMostNamed = 6;
  std::vector<Exposure> named = violation.exposures;
  if (named.size() > kMostNamed) {
    // The largest shares first: a long series is told by what weighs most.
    std::stable_sort(named.begin(), named.end(),
                     [](const Exposure& a, const Exposure& b) { return a.holders * b.rows > b.holders * a.rows; });
    named.resize(kMostNamed - 1);
  }
  std::vector<std::string> parts;
  for (const Exposure& it : named) {
    const std::string own = it.own_rows == 1 ? "" : fmt::format(", {} of them this person's", it.own_rows);
    parts.push_back(fmt::format("'{}' ({} of {} rows{})", release_names[it.release], it.holders, it.rows, own));
  }
  const std::size_t more = violation.exposures.size() - named.size();
  return fmt::format("person {} was linked to {} with a chance of {}, more than 1/{}, by {}{}", who,
                     NameOfItem(claim, violation.item), violation.chance, claim.items[violation.item].l,
                     fmt::join(parts, ", "), more == 0 ? "" : fmt::format(" and {} more", more));
}

}  // namespace pentimento
