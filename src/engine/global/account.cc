#include "engine/global/account.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/check.h"
#include "base/json_text.h"
#include "base/parallel.h"
#include "engine/steps/people_on_record.h"

namespace pentimento {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kVersion = 1;
constexpr std::uint64_t kLargestL = std::uint64_t{1} << 32;

// Texts that are read may be anything; what nobody could have written is damage.
bool IsSound(const AccountAbout& about) {
  return std::ranges::all_of(about.items,
                             [](const AccountItem& item) {
                               const bool has_values = item.is_missing ? item.values.empty() : !item.values.empty();
                               return has_values && item.l >= 2 && item.l <= kLargestL;
                             }) &&
         std::ranges::all_of(about.releases, [&](const AccountedRelease& release) {
           return release.holders.size() <= about.items.size();
         });
}

// Cells may be any bytes, and an item must be found again: what is no UTF-8 is a list of its bytes.
Json TextAsJson(const std::string& text) {
  try {
    (void)Json(text).dump();
    return text;
  } catch (const Json::exception&) {
    return std::vector<unsigned char>(text.begin(), text.end());
  }
}

std::vector<std::uint64_t> WholeNumbers(const Json& json) {
  std::vector<std::uint64_t> numbers;
  for (const Json& number : json) numbers.push_back(WholeNumber(number));
  return numbers;
}

std::string TextOf(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  std::string bytes;
  for (const std::uint64_t byte : WholeNumbers(json)) bytes += static_cast<char>(byte);
  return bytes;
}

Json AsJson(const AccountItem& item) {
  Json values = Json::array();
  for (const std::string& value : item.values) values.push_back(TextAsJson(value));
  Json json = {{"column", item.column}, {"values", std::move(values)}, {"l", item.l}};
  if (item.is_missing) json["missing"] = true;
  if (item.is_set) json["set"] = true;
  return json;
}

AccountItem ItemOf(const Json& json) {
  AccountItem item;
  item.column = json.at("column").get<std::string>();
  for (const Json& value : json.at("values")) item.values.push_back(TextOf(value));
  item.l = WholeNumber(json.at("l"));
  item.is_missing = json.value("missing", false);
  item.is_set = json.value("set", false);
  return item;
}

constexpr std::size_t kPeopleGrain = std::size_t{1} << 14;

Error Damaged(const std::string& what) {
  return {ErrorCode::kCorruptLedger, what + "; restore the ledger from a backup"};
}

// Version 1 has nothing but zeros there.
HeldLast HeldLastIn(LogCost stored) {
  const LogCost bits = stored >> kHeldLastBit;
  return bits == 3 ? HeldLast::kYes : bits == 2 ? HeldLast::kNo : HeldLast::kUnknown;
}

constexpr std::uint32_t kNoPlace = std::numeric_limits<std::uint32_t>::max();

// What belongs to people, `each` to one, in their new order; `fresh` for those who had no place before.
template <typename T>
std::vector<T> Moved(const std::vector<T>& before, std::span<const std::uint32_t> place_before, std::size_t each,
                     T fresh) {
  std::vector<T> moved(place_before.size() * each, fresh);
  ParallelFor(place_before.size(), kPeopleGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t person = begin; person < end; ++person) {
      if (place_before[person] == kNoPlace) continue;
      std::copy_n(before.begin() + static_cast<std::ptrdiff_t>(place_before[person] * each), each,
                  moved.begin() + static_cast<std::ptrdiff_t>(person * each));
    }
  });
  return moved;
}

// Puts `added` of the same value behind each `each` of them.
template <typename T>
std::vector<T> Widened(const std::vector<T>& narrow, std::size_t each, std::size_t added, T value) {
  std::vector<T> wide;
  wide.reserve(each == 0 ? 0 : narrow.size() / each * (each + added));
  for (std::size_t begin = 0; begin < narrow.size(); begin += each) {
    const auto own = narrow.begin() + static_cast<std::ptrdiff_t>(begin);
    wide.insert(wide.end(), own, own + static_cast<std::ptrdiff_t>(each));
    wide.insert(wide.end(), added, value);
  }
  return wide;
}

}  // namespace

std::string AccountAboutText(const AccountAbout& about) {
  Json releases = Json::array();
  for (const AccountedRelease& release : about.releases)
    releases.push_back(
        {{"name", release.name}, {"input", release.input}, {"rows", release.rows}, {"holders", release.holders}});
  Json items = Json::array();
  for (const AccountItem& item : about.items) items.push_back(AsJson(item));
  return Json{{"version", kVersion},       {"series", about.series},           {"releases", std::move(releases)},
              {"items", std::move(items)}, {"every_value", about.every_value}, {"missing", about.missing}}
      .dump();
}

std::optional<AccountAbout> ParseAccountAbout(std::string_view text) {
  if (IsNestedDeeply(text)) return std::nullopt;
  try {
    const Json json = Json::parse(text);
    if (WholeNumber(json.at("version")) != kVersion) return std::nullopt;
    AccountAbout about;
    about.series = json.at("series").get<std::string>();
    for (const Json& release : json.at("releases")) {
      about.releases.push_back({release.at("name").get<std::string>(), release.at("input").get<std::string>(),
                                WholeNumber(release.at("rows")), WholeNumbers(release.at("holders"))});
    }
    for (const Json& item : json.at("items")) about.items.push_back(ItemOf(item));
    about.every_value = json.at("every_value").get<std::vector<std::string>>();
    if (const auto missing = json.find("missing"); missing != json.end())
      about.missing = missing->get<std::vector<std::string>>();
    return IsSound(about) ? std::optional(std::move(about)) : std::nullopt;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

bool IsNewerAccountAbout(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto version = json.is_object() ? json.find("version") : json.end();
  return version != json.end() && version->is_number_unsigned() && WholeNumber(*version) > kVersion;
}

Result<Account> Account::Open(Ledger* ledger, const std::string& series) {
  Account account;
  account.about_.series = series;
  if (ledger == nullptr) return account;
  PENTIMENTO_ASSIGN(const std::vector<ReleaseRecord> releases, ledger->Releases());
  const auto latest = std::ranges::find_if(releases.rbegin(), releases.rend(),
                                           [&](const auto& r) { return GlobalSeriesOf(r) == series; });
  if (latest == releases.rend()) return account;
  PENTIMENTO_ASSIGN(const std::vector<StateFileRecord> files, ledger->StateFiles(latest->name));
  const auto file = std::ranges::find(files, StateKind::kBudgets, &StateFileRecord::kind);
  if (file == files.end())
    return Damaged(fmt::format("release '{}' of the series '{}' has no budgets on record", latest->name, series));
  PENTIMENTO_ASSIGN(MappedStateFile mapped, ledger->MapState(*file, StateCheck::kPayload));
  PENTIMENTO_ASSIGN(const Budgets budgets, Budgets::Open(std::move(mapped), file->name));
  if (IsNewerAccountAbout(budgets.view().about))
    return Error{ErrorCode::kStorage, fmt::format("{}: a newer version of this program wrote the account of the series "
                                                  "'{}'; use that one",
                                                  file->name, series)};
  std::optional<AccountAbout> about = ParseAccountAbout(budgets.view().about);
  if (!about || about->series != series || about->items.size() != budgets.view().items || about->releases.empty() ||
      about->releases.back().name != latest->name)
    return Damaged(fmt::format("{}: what is said about the series '{}' cannot be read", file->name, series));
  account.about_ = *std::move(about);
  account.file_ = file->name;
  const BudgetsView& view = budgets.view();
  account.people_.assign(view.people.begin(), view.people.end());
  account.spent_.assign(view.spent.begin(), view.spent.end());
  account.Unpack();
  return account;
}

// One release may use up a whole limit, which costs a little more than the budget, and rounding adds to it. Everything
// in an account was accepted under the l of its items, so more than the budget is exactly that, and the verifier must
// know it by its cost: otherwise nothing could follow, even without these people.
void Account::Unpack() {
  struct Limit {
    LogCost budget;
    LogCost whole;
  };
  std::vector<Limit> limits;
  for (const AccountItem& item : about_.items) limits.push_back({BudgetOfLimit(item.l), CostOfExposure(1, item.l)});
  appearances_.resize(people_.size());
  held_last_.resize(spent_.size());
  ParallelFor(people_.size(), kPeopleGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t person = begin; person < end; ++person) {
      LogCost* const own = &spent_[person * limits.size()];
      appearances_[person] = static_cast<std::uint32_t>(own[0] & kAppearanceMask);
      own[0] &= ~kAppearanceMask;
      for (std::size_t item = 0; item < limits.size(); ++item) {
        held_last_[person * limits.size() + item] = HeldLastIn(own[item]);
        own[item] &= kSpentMask;
        if (own[item] > limits[item].budget) own[item] = limits[item].whole;
      }
    }
  });
}

std::vector<std::uint32_t> Account::Join(std::span<const IdentityHash> people) {
  std::vector<std::uint32_t> numbers(people.size());
  if (people_.empty()) {
    people_.assign(people.begin(), people.end());
    spent_.assign(people.size() * items(), 0);
    appearances_.assign(people.size(), 0);
    held_last_.assign(people.size() * items(), HeldLast::kUnknown);
    std::iota(numbers.begin(), numbers.end(), 0U);
    return numbers;
  }
  if (FindAll(people, numbers)) return numbers;
  std::vector<IdentityHash> all;
  std::vector<std::uint32_t> place_before;
  all.reserve(people_.size() + people.size());
  place_before.reserve(people_.size() + people.size());
  std::uint32_t known = 0;
  const auto take_known = [&] {
    all.push_back(people_[known]);
    place_before.push_back(known++);
  };
  for (std::size_t p = 0; p < people.size(); ++p) {
    while (known < people_.size() && people_[known] < people[p]) take_known();
    numbers[p] = static_cast<std::uint32_t>(all.size());
    if (known < people_.size() && people_[known] == people[p]) {
      take_known();
      continue;
    }
    all.push_back(people[p]);
    place_before.push_back(kNoPlace);
  }
  while (known < people_.size()) take_known();
  people_ = std::move(all);
  spent_ = Moved(spent_, place_before, items(), LogCost{0});
  appearances_ = Moved(appearances_, place_before, 1, 0U);
  held_last_ = Moved(held_last_, place_before, items(), HeldLast::kUnknown);
  return numbers;
}

bool Account::FindAll(std::span<const IdentityHash> people, std::span<std::uint32_t> numbers) const {
  std::atomic<bool> all_found = true;
  ParallelFor(people.size(), kPeopleGrain, [&](std::size_t begin, std::size_t end) {
    auto known = std::lower_bound(people_.begin(), people_.end(), people[begin]);
    for (std::size_t p = begin; p < end; ++p) {
      while (known != people_.end() && *known < people[p]) ++known;
      if (known == people_.end() || *known != people[p]) {
        all_found = false;
        return;
      }
      numbers[p] = static_cast<std::uint32_t>(known - people_.begin());
    }
  });
  return all_found;
}

void Account::AddItems(std::vector<AccountItem> items) {
  if (items.empty()) return;
  const std::size_t before = this->items(), after = before + items.size();
  if (before == 0) {
    spent_.assign(people_.size() * after, 0);
    held_last_.assign(people_.size() * after, HeldLast::kUnknown);
  } else {
    spent_ = Widened(spent_, before, items.size(), LogCost{0});
    held_last_ = Widened(held_last_, before, items.size(), HeldLast::kUnknown);
  }
  for (std::size_t item = before; item < after; ++item) {
    const std::optional<std::size_t> neighbour = NeighbourOf(items[item - before]);
    if (!neighbour) continue;
    for (std::size_t person = 0; person < people_.size(); ++person) {
      if (held_last_[person * after + *neighbour] != HeldLast::kUnknown)
        held_last_[person * after + item] = HeldLast::kNo;
    }
  }
  for (AccountItem& item : items) about_.items.push_back(std::move(item));
}

// A value that nobody had so far is an item now because every value of its column is one. So whoever is known to have
// had another one, or none of these, did not have it.
std::optional<std::size_t> Account::NeighbourOf(const AccountItem& added) const {
  if (added.is_set) return std::nullopt;
  const auto found = std::ranges::find_if(
      about_.items, [&](const AccountItem& item) { return !item.is_set && item.column == added.column; });
  if (found == about_.items.end()) return std::nullopt;
  return static_cast<std::size_t>(found - about_.items.begin());
}

void Account::ProtectEveryValueOf(const std::string& column) {
  // Later on it would be too late: values that earlier releases gave away have no account.
  if (!about_.releases.empty() || std::ranges::find(about_.every_value, column) != about_.every_value.end()) return;
  about_.every_value.push_back(column);
}

void Account::Promise(std::size_t item, std::uint64_t l) { about_.items[item].l = std::max(about_.items[item].l, l); }

std::vector<LogCost> Account::MeanLeft(std::span<const std::uint32_t> people) const {
  __extension__ using Wide = unsigned __int128;
  std::vector<LogCost> budgets;
  for (const AccountItem& item : about_.items) budgets.push_back(BudgetOfLimit(item.l));
  std::vector<Wide> sums(items());
  std::mutex mutex;
  ParallelFor(people.size(), kPeopleGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<Wide> here(sums.size());
    for (std::size_t i = begin; i < end; ++i) {
      const LogCost* const own = &spent_[PersonAt(people, i) * here.size()];
      for (std::size_t item = 0; item < here.size(); ++item)
        here[item] += budgets[item] > own[item] ? budgets[item] - own[item] : 0;
    }
    const std::scoped_lock lock(mutex);
    for (std::size_t item = 0; item < here.size(); ++item) sums[item] += here[item];
  });
  std::vector<LogCost> means;
  for (const Wide sum : sums) means.push_back(people.empty() ? 0 : static_cast<LogCost>(sum / people.size()));
  return means;
}

void Account::Charge(std::span<const std::uint32_t> people, std::vector<LogCost> spent, AccountedRelease release) {
  Check(spent.size() == people_.size() * items(), "everybody is charged for every item");
  spent_ = std::move(spent);
  ParallelFor(people.size(), kPeopleGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t person = PersonAt(people, i);
      // Whoever was there more often than can be counted is charged as if it had been so often.
      if (appearances_[person] < kAppearanceMask) ++appearances_[person];
      LogCost* const own = &spent_[person * items()];
      for (std::size_t item = 0; item < items(); ++item) own[item] = RoundedForAccount(own[item]);
    }
  });
  about_.releases.push_back(std::move(release));
}

Result<StateFileRecord> Account::Write(const std::filesystem::path& state_folder, const std::string& name) const {
  const std::string about = AccountAboutText(about_);
  return WriteBudgets(state_folder, name, {static_cast<std::uint32_t>(items()), people_, {}, about},
                      [this](std::size_t first, std::span<LogCost> stored) {
                        for (std::size_t i = 0; i < stored.size(); ++i) {
                          const std::size_t at = first * items() + i;
                          stored[i] = RoundedForAccount(spent_[at]);
                          Check(stored[i] <= kSpentMask, "more is spent than any budget has");
                          stored[i] |= LogCost{static_cast<std::uint8_t>(held_last_[at])} << kHeldLastBit;
                        }
                        for (std::size_t i = 0; i < stored.size(); i += items())
                          stored[i] |= appearances_[first + i / items()];
                      });
}

}  // namespace pentimento
