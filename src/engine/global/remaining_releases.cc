#include "engine/global/remaining_releases.h"

#include <fmt/core.h>

#include <algorithm>
#include <ranges>

#include "anonymize/global/schedule.h"
#include "engine/global/plan_course.h"
#include "release/global_horizon.h"

namespace pentimento {
namespace {

constexpr std::uint64_t kSmallestL = 2;  // that a policy may ask for

std::string Releases(std::uint64_t count) { return count == 1 ? "one release" : fmt::format("{} releases", count); }

}  // namespace

ItemFrequencies CountItems(const BoundItems& items, std::span<const std::uint32_t> rows) {
  ItemFrequencies frequencies{rows.size(), std::vector<std::uint64_t>(items.claim.items.size())};
  std::vector<std::vector<std::uint64_t>> rows_with;  // by column and code
  for (std::size_t column = 0; column < items.codes.size(); ++column) {
    auto& of_code = rows_with.emplace_back(items.value_counts[column]);
    items.codes[column]->Visit([&](auto codes) {
      for (const std::uint32_t row : rows) ++of_code[codes[row]];
    });
  }
  for (std::size_t item = 0; item < frequencies.holders.size(); ++item) {
    const SensitiveItem& one = items.claim.items[item];
    for (const Code value : one.values) frequencies.holders[item] += rows_with[one.column][value];
  }
  return frequencies;
}

bool IsKeptSoFar(LogCost most_spent, std::uint64_t l) {
  return most_spent <= BudgetOfLimit(l) || most_spent == CostOfExposure(1, l);
}

std::vector<LogCost> MostSpent(const Account& account) {
  std::vector<LogCost> most(account.items());
  const std::span<const LogCost> spent = account.spent();
  for (std::size_t at = 0; at < spent.size();) {
    for (LogCost& of_item : most) of_item = std::max(of_item, spent[at++]);
  }
  return most;
}

Status RequireKeptSoFar(const BoundPolicy& bound, const GlobalGuaranteePolicy& guarantee, const GlobalClaim& claim,
                        const Account& account) {
  const std::vector<AccountItem>& known = account.about().items;
  const bool is_larger = std::ranges::any_of(std::views::iota(std::size_t{0}, known.size()),
                                             [&](std::size_t i) { return claim.items[i].l > known[i].l; });
  if (!is_larger) return {};  // whatever is in the account was accepted under its l
  const std::vector<LogCost> most = MostSpent(account);
  for (std::size_t i = 0; i < known.size(); ++i) {
    const SensitiveItem& item = claim.items[i];
    if (IsKeptSoFar(most[i], item.l)) continue;
    const double chance = static_cast<double>(ChanceOfCost(most[i])) / static_cast<double>(kWholeClass);
    const Error error = PolicyError(
        bound.policy, guarantee.position,
        fmt::format("l = {} for {} is too late: earlier releases of the series '{}' told of somebody with a chance of "
                    "up to {:.6g}, so at most 1/{} cannot be promised any more. Nothing was published; keep l = {}, or "
                    "begin another series with other people",
                    item.l, item.name, account.about().series, chance, item.l, known[i].l));
    return Error{ErrorCode::kRefused, error.message};
  }
  return {};
}

std::string WordsOnEveryValue(const BoundPolicy& bound, const GlobalGuaranteePolicy& guarantee, const BoundItems& items,
                              const ItemFrequencies& frequencies) {
  std::string words;
  for (std::size_t column = 0; column < items.columns.size(); ++column) {
    const std::string& name = items.columns[column]->name;
    if (!std::ranges::find(bound.policy.columns, name, &ColumnPolicy::name)->values.empty()) continue;
    // Whatever sets are protected besides, every value is one by itself, with the l of the guarantee.
    std::uint64_t values = 0;
    for (std::size_t i = 0; i < items.claim.items.size(); ++i) {
      const SensitiveItem& item = items.claim.items[i];
      if (item.column == column && item.values.size() == 1 && frequencies.holders[i] > 0) ++values;
    }
    const PlanSchedule schedule = ScheduleOf(guarantee.releases, guarantee.spend, 0);
    const global::Spending spending(schedule.spending, std::span(&guarantee.l, 1));
    const std::uint64_t needed =
        ValuesNeeded(CapOfAllowance(spending.Limit(0, BudgetOfLimit(guarantee.l), 0), guarantee.l));
    if (needed <= values) continue;
    words += fmt::format(
        " Every value of '{}' is protected, so a group needs at least {} different ones; this table has {}.", name,
        needed, values);
  }
  return words;
}

Status RequirePlannedReleases(const GlobalGuaranteePolicy& guarantee, const GlobalClaim& claim,
                              const ItemFrequencies& frequencies, std::size_t made) {
  if (made > 0) return {};  // what is left decides, person by person
  const std::uint64_t planned = guarantee.releases.value_or(1);
  std::uint64_t fewest = kAnyNumberOfReleases;
  std::size_t worst = 0;
  for (std::size_t item = 0; item < claim.items.size(); ++item) {
    if (frequencies.holders[item] == 0) continue;
    const std::uint64_t most = MostReleases(claim.items[item].l, frequencies.holders[item], frequencies.rows);
    if (most >= fewest) continue;
    fewest = most;
    worst = item;
  }
  if (fewest >= planned) return {};
  const SensitiveItem& item = claim.items[worst];
  const char* const fewer = item.l > kSmallestL ? "protect fewer values, or lower l" : "or protect fewer values";
  const std::string instead =
      fewest == 0
          ? fmt::format("no release of this table can keep it; {}",
                        item.l > kSmallestL ? fewer : "protect fewer values, or wait until fewer people have it")
          : fmt::format("a series with this frequency has {} at most; plan releases = {}, {}", Releases(fewest), fewest,
                        fewer);
  return Error{
      ErrorCode::kRefused,
      fmt::format("{} is too frequent for {} with l = {}: {} of {} rows have it, so on average everybody is linked "
                  "to it with that chance in every release, however people are grouped; {}. Nothing was "
                  "published.",
                  item.name, Releases(planned), item.l, frequencies.holders[worst], frequencies.rows, instead)};
}

}  // namespace pentimento
