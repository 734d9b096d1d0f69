#include "engine/global/account.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <numeric>

#include "base/check.h"
#include "base/parallel.h"
#include "engine/steps/people_on_record.h"

namespace pentimento {
namespace {

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
