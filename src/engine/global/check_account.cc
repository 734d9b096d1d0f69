#include "engine/global/check_account.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "engine/alpha_k/bind_limits.h"
#include "engine/published/datapackage.h"
#include "engine/published/manifest.h"
#include "engine/published/published_table.h"
#include "engine/steps/people_on_record.h"

namespace pentimento {
namespace {

// Which codes of the column are the item.
std::vector<bool> CodesOf(const AccountItem& item, const ValueColumn& column) {
  std::vector<bool> is_item(column.values.size());
  if (item.is_missing) {
    if (column.null_code) is_item[*column.null_code] = true;
    return is_item;
  }
  std::vector<std::string> absent;
  for (const Code code : ValueTexts(column).Find(item.values, absent)) {
    if (code < is_item.size()) is_item[code] = true;
  }
  return is_item;
}

// One table, in which a row stands for `weight` rows of its group. Items of other columns are left alone.
void AddTable(const std::vector<ValueColumn>& sensitive, const RowClasses& groups,
              std::span<const std::uint32_t> weight, const AccountAbout& about, PublishedExposure& exposure) {
  std::vector<std::uint64_t> size(groups.count);
  for (std::size_t row = 0; row < weight.size(); ++row) size[groups.class_of_row[row]] += weight[row];
  exposure.rows = 0;
  for (const std::uint64_t rows : size) exposure.rows += rows;
  for (std::size_t i = 0; i < about.items.size(); ++i) {
    const auto column = std::ranges::find(sensitive, about.items[i].column, &ValueColumn::name);
    if (column == sensitive.end()) continue;
    const std::vector<bool> is_item = CodesOf(about.items[i], *column);
    std::vector<std::uint64_t> holders(size.size());
    for (std::size_t row = 0; row < weight.size(); ++row) {
      if (is_item[column->codes[row]]) holders[groups.class_of_row[row]] += weight[row];
    }
    for (std::size_t g = 0; g < size.size(); ++g) {
      exposure.holders[i] += holders[g];
      exposure.cost[i] += SumOfCosts{CostOfExposure(holders[g], size[g])} * size[g];
    }
  }
}

// 65535 stands for any number above as well.
bool HaveUncountedAppearances(std::span<const std::uint32_t> appearances) {
  return std::ranges::any_of(appearances, [](std::uint32_t count) { return count >= kAppearanceMask; });
}

}  // namespace

Result<PublishedExposure> CountExposure(const std::filesystem::path& folder, const AccountAbout& about) {
  PENTIMENTO_ASSIGN(const Manifest manifest, ReadManifest(folder));
  const std::size_t items = about.items.size();
  PublishedExposure exposure{0, std::vector<std::uint64_t>(items), std::vector<SumOfCosts>(items)};
  if (manifest.sensitive_tables.empty()) {
    WantedColumns wanted{{}, {}, kGroupIdColumn};
    for (const PublishedColumn& column : manifest.columns) {
      if (column.role == Role::kSensitive) wanted.sensitive.push_back(column.name);
    }
    PENTIMENTO_ASSIGN(const PublishedTable table, ReadPublishedTable(manifest, wanted));
    const std::vector<std::uint32_t> once(table.rows, 1);
    AddTable(table.columns, NumberClasses(table.id_of_row), once, about, exposure);
  }
  for (std::size_t t = 0; t < manifest.sensitive_tables.size(); ++t) {
    PENTIMENTO_ASSIGN(const SensitiveEntries ss,
                      ReadSensitiveEntries(manifest, t, {{}, manifest.sensitive_tables[t].columns, {}}));
    AddTable(ss.table.columns, NumberClasses(ss.table.id_of_row), ss.counts, about, exposure);
  }
  return exposure;
}

std::vector<std::string> FindAccountProblems(const Account& account, std::span<const PublishedExposure> releases) {
  const AccountAbout& about = account.about();
  std::vector<std::string> problems;
  const auto tell = [&](const std::string& problem) {
    problems.push_back(
        fmt::format("the account of the series '{}' does not fit its published tables: {}. Do not publish "
                    "in this series before it is known why",
                    about.series, problem));
  };
  std::uint64_t rows = 0;
  std::vector<SumOfCosts> cost(about.items.size()), spent(about.items.size());
  for (std::size_t r = 0; r < releases.size(); ++r) {
    const AccountedRelease& known = about.releases[r];
    std::vector<std::uint64_t> holders = known.holders;
    holders.resize(about.items.size());  // nobody had items that came later
    if (releases[r].rows != known.rows || releases[r].holders != holders)
      tell(fmt::format("the release '{}' has other numbers of rows, or of rows with a protected value", known.name));
    rows += releases[r].rows;
    for (std::size_t i = 0; i < cost.size(); ++i) cost[i] += releases[r].cost[i];
  }
  std::uint64_t appearances = 0;
  for (const std::uint32_t count : account.appearances()) appearances += count;
  if (appearances != rows && !HaveUncountedAppearances(account.appearances()))
    tell("it counts another number of appearances than there are rows");
  for (std::size_t at = 0; at < account.spent().size(); ++at) spent[at % spent.size()] += account.spent()[at];
  std::size_t below = 0;
  for (std::size_t i = 0; i < cost.size(); ++i) below += spent[i] < cost[i] ? 1 : 0;
  if (below > 0)
    tell(fmt::format("of {} of its {} values and sets less is spent than the tables tell", below, about.items.size()));
  return problems;
}

namespace {

// Of all releases of a series; nothing where one of them is not as it was published, or cannot be read: bytes that are
// no text can be written as CSV, and not be read again.
using Exposures = std::optional<std::vector<PublishedExposure>>;

Result<Exposures> CountExposures(const AccountAbout& about, const std::filesystem::path& out,
                                 std::span<const std::string> intact) {
  const auto is_intact = [&](const AccountedRelease& release) {
    return std::ranges::find(intact, release.name) != intact.end();
  };
  if (!std::ranges::all_of(about.releases, is_intact)) return Exposures();
  std::vector<PublishedExposure> exposures;
  for (const AccountedRelease& release : about.releases) {
    Result<PublishedExposure> exposure = CountExposure(out / release.name, about);
    if (!exposure.ok() && exposure.error().code == ErrorCode::kBadInput) return Exposures();
    if (!exposure.ok()) return std::move(exposure).error();
    exposures.push_back(std::move(exposure).value());
  }
  return Exposures(std::move(exposures));
}

}  // namespace

Result<AccountCheck> CheckAccounts(Ledger& ledger, const std::filesystem::path& out,
                                   std::span<const std::string> intact) {
  PENTIMENTO_ASSIGN(const std::vector<ReleaseRecord> records, ledger.Releases());
  std::set<std::string> names;
  for (const ReleaseRecord& record : records) names.insert(GlobalSeriesOf(record));
  names.erase("");
  AccountCheck check;
  for (const std::string& name : names) {
    PENTIMENTO_ASSIGN(const Account account, Account::Open(&ledger, name));
    PENTIMENTO_ASSIGN(const Exposures releases, CountExposures(account.about(), out, intact));
    if (!releases) {
      check.incomplete.push_back(name);
      continue;
    }
    const std::vector<std::string> problems = FindAccountProblems(account, *releases);
    if (problems.empty()) check.covered.push_back(name);
    check.problems.insert(check.problems.end(), problems.begin(), problems.end());
  }
  return check;
}

}  // namespace pentimento
