#include "engine/global/form_groups.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/alpha_k/bind_limits.h"
#include "engine/alpha_k/make_groups.h"
#include "engine/global/item_signatures.h"
#include "engine/global/plan_alternatives.h"
#include "utility/metrics.h"

namespace pentimento {
namespace {

// Frequencies go up and down: the largest of two years of quarters is hardly ever exceeded by a quarter of it.
constexpr std::size_t kRecentReleases = 8;

// Which published table shows an item. One generalized table shows all of them, row by row.
std::vector<std::uint32_t> TablesOfItems(const GroupTask& task, const GlobalClaim& held) {
  std::vector<std::uint32_t> table_of_item;
  if (task.bound.policy.form == PublishForm::kGeneralized) return table_of_item;
  const auto tables = SensitiveTablesOf(task.bound.policy, task.items.columns.size());
  std::vector<std::uint32_t> table_of_column(task.items.columns.size());
  for (std::uint32_t table = 0; table < tables.size(); ++table) {
    for (const std::uint32_t column : tables[table]) table_of_column[column] = table;
  }
  for (const SensitiveItem& item : held.items) table_of_item.push_back(table_of_column[item.column]);
  return table_of_item;
}

}  // namespace

std::vector<Ratio> ExpectedOf(const Account& account, const Schedule& schedule) {
  const std::span<const AccountedRelease> all = account.about().releases;
  const std::span<const AccountedRelease> recent =
      all.last(std::min(all.size(), schedule.horizon == Horizon::kKnown ? std::size_t{1} : kRecentReleases));
  std::vector<Ratio> expected;
  if (recent.empty()) return expected;
  expected.assign(account.items(), Ratio{0, 1});
  for (const AccountedRelease& release : recent) {
    for (std::size_t item = 0; item < release.holders.size() && release.rows > 0; ++item)
      expected[item] = std::max(expected[item], Ratio{release.holders[item], release.rows});
  }
  return expected;
}

std::vector<Ratio> AddClassLimits(const BoundPolicy& bound, const EncodedInput& input, const BoundItems& items,
                                  GlobalClaim& held) {
  std::vector<Ratio> limits;
  const std::optional<BoundAlphaK> sensitive = BindLimits(bound, input);
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

Result<GlobalGroups> FormGlobalGroups(const GroupTask& task) {
  // Limits in each class come after what the account knows, without a budget.
  GlobalClaim held = task.items.claim;
  const std::vector<Ratio> limits = AddClassLimits(task.bound, task.input, task.items, held);
  const std::size_t items = task.account.items(), all = held.items.size();
  Signatures signatures = SignaturesOfItems(held, task.table.rows, task.sensitive, task.items.value_counts);
  for (std::size_t i = 0; i < limits.size(); ++i) signatures.items[items + i].at_most = limits[i];
  std::vector<std::uint64_t> l_of_item;
  for (const SensitiveItem& item : task.items.claim.items) l_of_item.push_back(item.l);
  l_of_item.resize(all, 0);
  GlobalOptions options;
  options.k = std::max<std::uint64_t>(task.bound.k, 1);
  const std::uint64_t made = task.account.about().releases.size();
  options.schedule = ScheduleOf(task.guarantee.releases, task.guarantee.spend, made, task.guarantee.room).spending;
  std::vector<Ratio> expected = ExpectedOf(task.account, options.schedule);
  if (!expected.empty()) expected.resize(all);
  options.blind = task.guarantee.blind;
  options.wants_boxes = task.bound.policy.form == PublishForm::kGeneralized;
  // Two tables publish no labels, so nothing keeps cuts to a taxonomy.
  options.form = options.wants_boxes ? task.bound.policy.categories : CategoryForm::kSets;
  options.seed = task.seed;
  std::vector<std::string> names;
  for (const SensitiveItem& item : held.items)
    names.push_back(item.name.empty() ? "a value that (alpha,k)-anonymity limits" : item.name);
  const global::PeopleBudgets budgets{items, task.account.spent(), task.account.appearances()};
  const std::vector<std::uint32_t> table_of_item = TablesOfItems(task, held);
  return GroupWithinBudgets(task.table, task.input.domains,
                            {&signatures, l_of_item, budgets, task.person_of_row, expected, names, table_of_item},
                            options);
}

double LossOfGroups(const GlobalGroups& groups, std::span<const Domain> domains) {
  Classes draft = groups.classes;
  std::erase(draft.of_row, kWithheldClass);
  return MeasureNumbered(draft, domains, 0).ncp_percent;
}

bool LosesTooMuch(const GlobalGuaranteePolicy& guarantee, double ncp_percent) {
  const Ratio most = guarantee.most_loss;
  return ncp_percent > 100.0 * static_cast<double>(most.num) / static_cast<double>(most.den);
}

}  // namespace pentimento
