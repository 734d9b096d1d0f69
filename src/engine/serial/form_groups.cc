#include "engine/serial/form_groups.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/sensitive/bind_limits.h"
#include "engine/serial/item_signatures.h"

namespace pentimento {
namespace {

Schedule ScheduleOf(const GroupTask& task) {
  if (task.guarantee.spend) return {Horizon::kPart, 1, *task.guarantee.spend};
  if (!task.guarantee.releases) return {Horizon::kOpen, 1, {1, 1}};
  return {Horizon::kKnown, *task.guarantee.releases - task.account.about().releases.size(), {1, 1}};
}

// How frequent the items were in the latest release: everybody could see that.
std::vector<Ratio> ExpectedOf(const Account& account) {
  std::vector<Ratio> expected;
  if (account.about().releases.empty()) return expected;
  const AccountedRelease& latest = account.about().releases.back();
  for (std::size_t item = 0; item < account.items(); ++item) {
    const std::uint64_t holders = item < latest.holders.size() ? latest.holders[item] : 0;
    expected.push_back(latest.rows == 0 ? Ratio{0, 1} : Ratio{holders, latest.rows});
  }
  return expected;
}

}  // namespace

std::vector<Ratio> AddClassLimits(const BoundPolicy& bound, const EncodedInput& input, const BoundItems& items,
                                  GlobalClaim& held) {
  std::vector<Ratio> limits;
  const std::optional<BoundSensitive> sensitive = BindLimits(bound, input);
  if (!sensitive) return limits;
  const auto add = [&](const SensitiveLimit& limit, std::vector<Code> values) {
    std::erase_if(values, [&](Code value) { return value >= items.value_counts[limit.column]; });
    held.items.push_back({limit.column, std::move(values), 0, true, ""});
    limits.push_back(limit.at_most);
  };
  for (const SensitiveLimit& limit : sensitive->claim.limits) {
    if (limit.together) {
      add(limit, limit.values);
      continue;
    }
    for (const Code value : limit.values) add(limit, {value});
  }
  return limits;
}

Result<SerialGroups> FormSerialGroups(const GroupTask& task) {
  // Limits in each class come after what the account knows, without a budget.
  GlobalClaim held = task.items.claim;
  const std::vector<Ratio> limits = AddClassLimits(task.bound, task.input, task.items, held);
  const std::size_t items = task.account.items(), all = held.items.size();
  Signatures signatures = SignaturesOfItems(held, task.table.rows, task.sensitive, task.items.value_counts);
  for (std::size_t i = 0; i < limits.size(); ++i) signatures.items[items + i].at_most = limits[i];
  std::vector<std::uint64_t> l_of_item;
  for (const SensitiveItem& item : task.items.claim.items) l_of_item.push_back(item.l);
  l_of_item.resize(all, 0);
  std::vector<Ratio> expected = ExpectedOf(task.account);
  if (!expected.empty()) expected.resize(all);
  SerialOptions options;
  options.k = std::max<std::uint64_t>(task.bound.k, 1);
  options.schedule = ScheduleOf(task);
  options.blind = task.guarantee.blind;
  options.wants_boxes = task.bound.policy.form == PublishForm::kGeneralized;
  // Two tables publish no labels, so nothing keeps cuts to a taxonomy.
  options.form = options.wants_boxes ? task.bound.policy.categories : CategoryForm::kSets;
  options.seed = task.seed;
  std::vector<std::string> names;
  for (const SensitiveItem& item : held.items)
    names.push_back(item.name.empty() ? "a value that (alpha,k)-anonymity limits" : item.name);
  const serial::PeopleBudgets budgets{items, task.account.spent(), task.account.appearances()};
  return GroupForSeries(task.table, task.input.domains,
                        {&signatures, l_of_item, budgets, task.person_of_row, expected, names}, options);
}

}  // namespace pentimento
