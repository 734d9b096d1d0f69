#include "engine/global/check_account.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/temporary_folder.h"
#include "engine/alpha_k/value_texts.h"
#include "engine/bind/bind.h"
#include "engine/published/datapackage.h"
#include "engine/published/manifest.h"
#include "engine/published/published_counts.h"
#include "engine/steps/people_on_record.h"

namespace pentimento {
namespace {

Result<EncodedInput> ReadColumns(const std::vector<std::filesystem::path>& files, const Manifest& manifest,
                                 const std::vector<std::string>& ours, const std::vector<std::string>& sensitive) {
  EncodePlan plan;
  plan.missing = manifest.missing;
  plan.unites_sensitive_values = true;
  for (const std::string& name : ours) plan.columns.push_back({name, Role::kClass, nullptr, std::nullopt});
  for (const std::string& name : sensitive) plan.columns.push_back({name, Role::kSensitive, nullptr, std::nullopt});
  EncodeOptions options;
  options.spill_folder = TemporaryFolder();
  return EncodeTable(OpenInputs(files, plan), plan, options);
}

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
void AddTable(const EncodedInput& table, std::size_t first_sensitive, std::span<const std::uint64_t> weight,
              const AccountAbout& about, PublishedExposure& exposure) {
  const ValueColumn& group = table.values.front();
  std::vector<std::uint64_t> size(group.values.size());
  for (std::size_t row = 0; row < weight.size(); ++row) size[group.codes[row]] += weight[row];
  exposure.rows = 0;
  for (const std::uint64_t rows : size) exposure.rows += rows;
  for (std::size_t i = 0; i < about.items.size(); ++i) {
    const auto column =
        std::find_if(table.values.begin() + static_cast<std::ptrdiff_t>(first_sensitive), table.values.end(),
                     [&](const auto& c) { return c.name == about.items[i].column; });
    if (column == table.values.end()) continue;
    const std::vector<bool> is_item = CodesOf(about.items[i], *column);
    std::vector<std::uint64_t> holders(size.size());
    for (std::size_t row = 0; row < weight.size(); ++row) {
      if (is_item[column->codes[row]]) holders[group.codes[row]] += weight[row];
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
    std::vector<std::string> sensitive;
    for (const PublishedColumn& field : manifest.columns) {
      if (field.role == Role::kSensitive) sensitive.push_back(field.name);
    }
    PENTIMENTO_ASSIGN(const EncodedInput table, ReadColumns(manifest.tables, manifest, {kGroupIdColumn}, sensitive));
    AddTable(table, 1, std::vector<std::uint64_t>(table.table.rows, 1), about, exposure);
  }
  for (const Manifest::SensitiveTable& ss : manifest.sensitive_tables) {
    PENTIMENTO_ASSIGN(const EncodedInput table,
                      ReadColumns({ss.path}, manifest, {kClassIdColumn, kCountColumn}, ss.columns));
    PENTIMENTO_ASSIGN(const std::vector<std::uint64_t> counts, ReadPublishedCounts(table.values[1], ss.path));
    AddTable(table, 2, counts, about, exposure);
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
