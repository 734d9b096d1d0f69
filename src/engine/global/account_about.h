// What every later release must know of a series under the global guarantee, as JSON beside its budgets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pentimento {

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

}  // namespace pentimento
