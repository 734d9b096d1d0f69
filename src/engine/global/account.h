// The account of a series under the global guarantee: who was in it so far, how often, what is spent of everybody's
// budgets, and what everybody had last. Read from the ledger, widened by the people and items of a release, and written
// anew once it is charged.
//
// 1. People and items are only ever added; people are in the order of their identities, items in that in which they
// came.
// 2. What is spent only grows, and so does the promise of an item.
// 3. Costs are rounded up on their way into the file, so that nobody has more left than is so.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/log_budget.h"
#include "base/result.h"
#include "ledger/budgets.h"
#include "ledger/ledger.h"

namespace pentimento {

// What every later release must know of a series under the global guarantee, as JSON beside its budgets.

// A thing that nobody may be linked to, by the texts of the policy or of the data. The ledger is private.
struct AccountItem {
  std::string column;
  std::vector<std::string> values;  // ascending; one for a value by itself
  bool is_missing = false;          // the missing value, and no text
  bool is_set = false;              // several values as one thing
  std::uint64_t l = 2;              // the largest that a release of the series promised

  // The same thing, whatever was promised of it.
  bool Matches(const AccountItem& other) const {
    return column == other.column && values == other.values && is_missing == other.is_missing && is_set == other.is_set;
  }
};

struct AccountedRelease {
  std::string name;
  std::string input;  // a keyed hash of what it was made from: the same again is a mistake
  // What its tables show to everybody: rows, and by item how many of them have it.
  std::uint64_t rows = 0;
  std::vector<std::uint64_t> holders;
};

struct AccountAbout {
  std::string series;
  std::vector<AccountedRelease> releases;  // in their order
  std::vector<AccountItem> items;          // in the order of the budgets
  std::vector<std::string> every_value;    // sensitive columns of which every value is an item
  std::vector<std::string> missing;        // texts that count as missing, and are one value
};

std::string AccountAboutText(const AccountAbout& about);
// Nothing where it is no such text.
std::optional<AccountAbout> ParseAccountAbout(std::string_view text);
// Whether a later version of this program wrote it, which may say what this one does not understand.
bool IsNewerAccountAbout(std::string_view text);

// An account holds how often somebody was in the series in the low bits of the first budget: so what is spent is
// rounded up to what is left of the number, by less than 2^-46 for each release.
inline constexpr int kAppearanceBits = 16;
inline constexpr LogCost kAppearanceMask = (LogCost{1} << kAppearanceBits) - 1;

// Whether somebody had an item in the last release that published this person and the item's column. Rows that were
// withheld leave it as it was: what nobody was shown cannot be compared with what is shown next. What is not known is
// not "no": people who are new, and accounts of version 1.
enum class HeldLast : std::uint8_t { kUnknown = 0, kNo = 2, kYes = 3 };

// Where it is in a stored budget: everything that is spent is below 2^62.
inline constexpr int kHeldLastBit = 62;
inline constexpr LogCost kSpentMask = (LogCost{1} << kHeldLastBit) - 1;

inline LogCost RoundedForAccount(LogCost spent) { return (spent + kAppearanceMask) & ~kAppearanceMask; }

// One row per person and release.
class Account {
 public:
  Account() = default;
  // What the latest release of the series left; an empty account where there is none. `ledger` may be null.
  static Result<Account> Open(Ledger* ledger, const std::string& series);

  const AccountAbout& about() const { return about_; }
  std::size_t items() const { return about_.items.size(); }
  std::span<const IdentityHash> people() const { return people_; }
  // By person and item.
  std::span<const LogCost> spent() const { return spent_; }
  std::span<const std::uint32_t> appearances() const { return appearances_; }
  // By person and item.
  std::span<const HeldLast> held_last() const { return held_last_; }
  // The state file that the next one replaces; empty for a new series.
  const std::string& file() const { return file_; }

  // Makes room for people, ascending, each once. Returns the number of each of them.
  std::vector<std::uint32_t> Join(std::span<const IdentityHash> people);
  // Makes room for items that no release of the series had: nothing is spent on them, and nobody had them whose other
  // values of the column are known.
  void AddItems(std::vector<AccountItem> items);
  // What is spent goes to whoever charges a release, and comes back with Charge.
  std::vector<LogCost> TakeSpent() { return std::move(spent_); }
  void ProtectEveryValueOf(const std::string& column);
  void CountAsMissing(std::vector<std::string> texts) { about_.missing = std::move(texts); }
  // The promise of an item only grows.
  void Promise(std::size_t item, std::uint64_t l);
  // What these people have left of each item's budget, on average and rounded down; each of them once.
  std::vector<LogCost> MeanLeft(std::span<const std::uint32_t> people) const;
  // What is spent after a release with these people in it, each once, and the release's name and input.
  void Charge(std::span<const std::uint32_t> people, std::vector<LogCost> spent, AccountedRelease release);

  // For what the people of a release have, by person and item.
  std::span<HeldLast> mutable_held_last() { return held_last_; }

  Result<StateFileRecord> Write(const std::filesystem::path& state_folder, const std::string& name) const;

 private:
  // From the form of the file: takes appearances and what was held last out of the budgets, and recognises whole
  // limits.
  void Unpack();
  // An item of the same column that was there before these; nothing where there is none.
  std::optional<std::size_t> NeighbourOf(const AccountItem& added) const;
  // The numbers of people, ascending; false where one of them is not known yet.
  bool FindAll(std::span<const IdentityHash> people, std::span<std::uint32_t> numbers) const;
  // So many people, each once, are everybody: then their order is that of the account, which is read in one go.
  std::size_t PersonAt(std::span<const std::uint32_t> people, std::size_t i) const {
    return people.size() == people_.size() ? i : people[i];
  }

  AccountAbout about_;
  std::vector<IdentityHash> people_;
  std::vector<LogCost> spent_;
  std::vector<std::uint32_t> appearances_;
  std::vector<HeldLast> held_last_;
  std::string file_;
};

}  // namespace pentimento
