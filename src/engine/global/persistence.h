// The persistence meter of a series under the global guarantee: who had what in the last release, beside who has it
// now. guarantee/global/persistence.h verifies; this counts, remembers, and finds the words.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ratio.h"
#include "base/result.h"
#include "engine/global/account.h"
#include "engine/global/bind_items.h"
#include "engine/global/remaining_releases.h"
#include "guarantee/global/persistence.h"
#include "policy/policy.h"
#include "release/global_claim.h"

namespace pentimento {

// Of the items that share a name, because no policy names them, the one to tell of: where every value of a column is
// protected there may be thousands.
struct WorstOfName {
  std::size_t item = 0;
  std::size_t alike = 0;  // items of that name
};
// In the order in which names first come. `name_of`: of an item; `is_worse(a, b)`: whether a is to be told of, not b.
template <typename NameOf, typename IsWorse>
std::vector<WorstOfName> WorstByName(std::size_t items, const NameOf& name_of, const IsWorse& is_worse) {
  std::vector<WorstOfName> worst;
  std::map<std::string_view, std::size_t> place;
  for (std::size_t item = 0; item < items; ++item) {
    const auto [at, is_new] = place.try_emplace(name_of(item), worst.size());
    if (is_new) worst.push_back({item, 0});
    WorstOfName& one = worst[at->second];
    ++one.alike;
    if (is_worse(item, one.item)) one.item = item;
  }
  return worst;
}

// The rows that would be published, and whose they are in the account.
struct PublishedPeople {
  std::span<const std::uint32_t> rows;           // of the input
  std::span<const std::uint32_t> person_of_row;  // in their order, each person once
};

// By item of the account, which is as the releases before left it. Items of columns that are not published are unknown.
std::vector<MeasuredPersistence> MeasurePersistence(const BoundItems& items, const PublishedPeople& people,
                                                    const ItemFrequencies& frequencies, const Account& account,
                                                    Ratio most);

// For the next release. People and columns that are not published stay as they were.
void RememberHeld(const BoundItems& items, const PublishedPeople& people, Account& account);

// What stays more than is remarkable and less than is refused, for people to read. Values that no policy names are one
// warning.
std::vector<std::string> WarnOfPersistence(const GlobalClaim& claim, std::span<const MeasuredPersistence> measured,
                                           Ratio most);

// The item that stays most of those that do so more than `most` allows, and by how much; empty where there is none.
std::string WordsOnRefused(const GlobalClaim& claim, std::span<const MeasuredPersistence> measured, Ratio most);

// kRefused where an item stays more than `most` allows. `items`: those of the account.
Status RequireComingAndGoing(const GlobalClaim& claim, std::span<const AccountItem> items,
                             std::span<const MeasuredPersistence> measured, Ratio most);

// What the global guarantee assumes of columns that are published as they came, and nobody can check.
// For the steward of a series with more than one release; nothing where no column has the role keep or class.
std::optional<std::string> NoteOnCellsThatStay(const Policy& policy, const GlobalGuaranteePolicy& guarantee);

}  // namespace pentimento
