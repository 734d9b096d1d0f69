#include "engine/report/budget_course.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/log_budget.h"
#include "engine/global/account.h"
#include "engine/global/chance_so_far.h"
#include "engine/steps/own_classes.h"
#include "ledger/kept_classes.h"
#include "policy/policy.h"
#include "release/global_horizon.h"

namespace pentimento {
namespace {

constexpr std::size_t kMostItems = 6;
constexpr std::size_t kTwentieths = 20;

double AsChance(LogCost cost) { return static_cast<double>(ChanceOfCost(cost)) / static_cast<double>(kWholeClass); }

LogCost Left(LogCost budget, LogCost spent) { return spent < budget ? budget - spent : 0; }

std::optional<std::uint64_t> AnyNumberIsNone(std::uint64_t releases) {
  if (releases == kAnyNumberOfReleases) return std::nullopt;
  return releases;
}

// How much of everybody's budget is left now, and for how many releases like the latest.
void ReadItem(const Account& account, const ChanceSoFar& so_far, std::size_t item, ReportedBudget::Item& told) {
  const AccountItem& about = account.about().items[item];
  const LogCost budget = BudgetOfLimit(about.l);
  told.people_by_left.assign(kTwentieths, 0);
  LogCost most = 0;
  double left_of_all = 0;
  for (std::size_t at = item; at < account.spent().size(); at += account.items()) {
    const LogCost spent = account.spent()[at];
    most = std::max(most, spent);
    const double left = static_cast<double>(Left(budget, spent)) / static_cast<double>(budget);
    left_of_all += left;
    ++told.people_by_left[std::min(kTwentieths - 1, static_cast<std::size_t>(left * kTwentieths))];
  }
  told.largest_chance = static_cast<double>(so_far.items[item].largest) / static_cast<double>(kWholeClass);
  told.people_near = so_far.items[item].near;
  const AccountedRelease& latest = account.about().releases.back();
  told.rows = latest.rows;
  told.holders = item < latest.holders.size() ? latest.holders[item] : 0;
  const double mean = account.people().empty() ? 1 : left_of_all / static_cast<double>(account.people().size());
  told.left_for_tightest = AnyNumberIsNone(ReleasesLeft(Left(budget, most), told.holders, told.rows));
  told.left_on_average =
      AnyNumberIsNone(ReleasesLeft(static_cast<LogCost>(mean * static_cast<double>(budget)), told.holders, told.rows));
}

// The classes of one release, as the ledger keeps them.
struct ClassesOnRecord {
  std::optional<KeptClasses> classes;
  std::optional<MappedStateFile> people_file;
  std::span<const IdentityHash> people;
};

Result<std::optional<ClassesOnRecord>> FindClasses(Ledger& ledger, const std::string& release) {
  PENTIMENTO_ASSIGN(const std::vector<StateFileRecord> files, ledger.StateFiles(release));
  ClassesOnRecord found;
  for (const StateFileRecord& file : files) {
    if (file.kind == StateKind::kClasses) {
      PENTIMENTO_ASSIGN(MappedStateFile mapped, ledger.MapState(file, StateCheck::kPayload));
      PENTIMENTO_ASSIGN(KeptClasses opened, KeptClasses::Open(std::move(mapped), file.name));
      found.classes.emplace(std::move(opened));
    } else if (file.kind == StateKind::kIdentities) {
      PENTIMENTO_ASSIGN(found.people_file, ledger.MapState(file, StateCheck::kPayload));
    }
  }
  if (!found.classes) return std::optional<ClassesOnRecord>();
  found.people = found.classes->view().people;
  if (found.people.empty() && found.people_file) {
    PENTIMENTO_ASSIGN(found.people, found.people_file->Elements<IdentityHash>());
  }
  if (found.people.size() != found.classes->view().class_of.size()) return std::optional<ClassesOnRecord>();
  return std::optional(std::move(found));
}

// By class: what it costs to be in it; nothing where the values of the column are not on record.
std::optional<std::vector<LogCost>> CostsOf(const KeptClassesView& classes, const AccountItem& item,
                                            const IdentityHasher& hasher) {
  const auto column = std::ranges::find(classes.columns, item.column, &ClassValuesView::name);
  if (column == classes.columns.end()) return std::nullopt;
  std::vector<IdentityHash> wanted;
  if (item.is_missing) wanted.push_back(hasher("no value:"));
  if (!item.is_missing) {
    for (const std::string& value : item.values) wanted.push_back(HashValue(value, hasher));
  }
  std::vector<bool> is_item;
  for (const IdentityHash& value : column->dictionary)
    is_item.push_back(std::ranges::find(wanted, value) != wanted.end());
  std::vector<LogCost> costs;
  CostTable table;
  for (std::size_t c = 0; c < classes.rows.size(); ++c) {
    std::uint32_t holders = 0;
    for (std::uint32_t at = column->begin[c]; at < column->begin[c + 1]; ++at)
      holders += is_item[column->value[at]] ? column->count[at] : 0;
    costs.push_back(table.Of(holders, classes.rows[c]));
  }
  return costs;
}

// Adds a release to what everybody has spent on these items. False where it cannot be told.
bool Charge(const ClassesOnRecord& release, const Account& account, std::span<const std::size_t> items,
            const IdentityHasher& hasher, std::vector<std::vector<LogCost>>& spent) {
  const KeptClassesView& classes = release.classes->view();
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto costs = CostsOf(classes, account.about().items[items[i]], hasher);
    if (!costs) return false;
    std::size_t person = 0;
    for (std::size_t at = 0; at < release.people.size(); ++at) {
      while (person < account.people().size() && account.people()[person] < release.people[at]) ++person;
      if (person == account.people().size() || account.people()[person] != release.people[at]) return false;
      spent[i][person] = AddCosts(spent[i][person], (*costs)[classes.class_of[at]]);
    }
  }
  return true;
}

void AddPoint(const std::vector<LogCost>& spent, ReportedBudget::Item& item) {
  const LogCost most = spent.empty() ? 0 : *std::max_element(spent.begin(), spent.end());
  double sum = 0;
  for (const LogCost cost : spent) sum += static_cast<double>(cost);
  item.largest_after.push_back(AsChance(most));
  item.mean_after.push_back(spent.empty() ? 0
                                          : AsChance(static_cast<LogCost>(sum / static_cast<double>(spent.size()))));
}

Status FollowCourse(Ledger& ledger, const Account& account, std::span<const std::size_t> items, ReportedBudget& told) {
  std::vector<std::vector<LogCost>> spent(items.size(), std::vector<LogCost>(account.people().size(), 0));
  const IdentityHasher hasher = ledger.identity_hasher();
  for (const std::string& release : told.releases) {
    PENTIMENTO_ASSIGN(const std::optional<ClassesOnRecord> found, FindClasses(ledger, release));
    if (!found || !Charge(*found, account, items, hasher, spent)) {
      told.why_no_course = "The ledger does not keep who was in which group of every release of this series.";
      for (ReportedBudget::Item& item : told.items) item.largest_after.clear(), item.mean_after.clear();
      return {};
    }
    for (std::size_t i = 0; i < items.size(); ++i) AddPoint(spent[i], told.items[i]);
  }
  return {};
}

// Of so many the ones that have come closest to their limits.
std::vector<std::size_t> ClosestItems(const Account& account) {
  std::vector<double> closeness(account.items(), 0);
  for (std::size_t at = 0; at < account.spent().size(); ++at) {
    const std::size_t item = at % account.items();
    const LogCost budget = BudgetOfLimit(account.about().items[item].l);
    closeness[item] = std::max(closeness[item], static_cast<double>(account.spent()[at]) / static_cast<double>(budget));
  }
  std::vector<std::size_t> items(account.items());
  std::iota(items.begin(), items.end(), std::size_t{0});
  std::stable_sort(items.begin(), items.end(),
                   [&](std::size_t a, std::size_t b) { return closeness[a] > closeness[b]; });
  items.resize(std::min(items.size(), kMostItems));
  return items;
}

// How many releases the latest policy plans; nothing where it does not say.
std::optional<std::uint64_t> PlannedReleases(Ledger& ledger, const std::string& release) {
  const Result<std::string> text = ledger.PolicyText(release);
  if (!text.ok()) return std::nullopt;
  const Result<Policy> policy = ParsePolicy(*text, "policy.toml", PolicyUse::kRecord);
  if (!policy.ok()) return std::nullopt;
  const auto* guarantee = FindGuarantee<GlobalGuaranteePolicy>(policy->guarantees);
  return guarantee == nullptr ? std::nullopt : guarantee->releases;
}

}  // namespace

ReportedBudget ReadBudgetCourse(Ledger& ledger, const std::string& series) {
  ReportedBudget told{.series = series};
  const Result<Account> account = Account::Open(&ledger, series);
  if (!account.ok()) {
    told.problem = account.error().message;
    return told;
  }
  told.people = account->people().size();
  for (const AccountedRelease& release : account->about().releases) told.releases.push_back(release.name);
  if (told.releases.empty()) return told;
  const Result<ChanceSoFar> so_far = ReadChanceSoFar(ledger, series);
  if (!so_far.ok()) {
    told.problem = so_far.error().message;
    return told;
  }
  told.planned = PlannedReleases(ledger, told.releases.back());
  const std::vector<std::size_t> items = ClosestItems(*account);
  told.more_items = account->items() - items.size();
  for (const std::size_t item : items) {
    const AccountItem& about = account->about().items[item];
    told.items.push_back({.column = about.column, .words = about.is_set ? "a set of values" : "a value", .l = about.l});
    ReadItem(*account, *so_far, item, told.items.back());
  }
  if (const Status followed = FollowCourse(ledger, *account, items, told); !followed.ok())
    told.why_no_course = followed.error().message;
  return told;
}

}  // namespace pentimento
