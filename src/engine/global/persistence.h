// The persistence meter of a series under the global guarantee: who had what in the last release, beside who has it
// now. guarantee/global/persistence.h verifies; this counts, remembers, and finds the words.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/ratio.h"
#include "base/result.h"
#include "engine/global/account.h"
#include "engine/global/bearable.h"
#include "engine/global/bind_items.h"
#include "guarantee/global/persistence.h"
#include "release/global_claim.h"

namespace pentimento {

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

}  // namespace pentimento
