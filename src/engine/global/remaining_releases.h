// Whether budgets last for the releases that are planned, and whether the series has kept what this one promises: asked
// before anything is made of it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "anonymize/global/budget_levels.h"
#include "base/log_budget.h"
#include "base/result.h"
#include "engine/bind/bind.h"
#include "engine/global/account.h"
#include "engine/global/bind_items.h"
#include "policy/policy.h"
#include "release/global_claim.h"

namespace pentimento {

// What a release says of each item: `holders` of `rows` have it.
struct ItemFrequencies {
  std::uint64_t rows = 0;
  std::vector<std::uint64_t> holders;  // by item
};

// Of these rows.
ItemFrequencies CountItems(const BoundItems& items, std::span<const std::uint32_t> rows);

// However much anybody spent on an item so far, that it is within 1/l: the verifier's rule for somebody who is charged
// nothing more.
bool IsKeptSoFar(LogCost most_spent, std::uint64_t l);

// The most that anybody in the account spent on each item.
std::vector<LogCost> MostSpent(const Account& account);

// kRefused where this policy promises a larger l than earlier releases of the series kept. People who are not in this
// release count as well: the promise is about everybody who was ever in the series.
Status RequireKeptSoFar(const BoundPolicy& bound, const GlobalGuaranteePolicy& guarantee, const GlobalClaim& claim,
                        const Account& account);

// How many different values a group needs in which none has more than this share; 0: no number is enough.
inline std::uint64_t ValuesNeeded(const global::Cap& share) {
  return share.num == 0 ? 0 : (share.den + share.num - 1) / share.num;
}

// For a first release that is refused: which columns have too few different values, all of them being protected. Empty
// where that is not the reason.
std::string WordsOnEveryValue(const BoundPolicy& bound, const GlobalGuaranteePolicy& guarantee, const BoundItems& items,
                              const ItemFrequencies& frequencies);

// kRefused where an item is too frequent for the number of releases that are planned: however people are grouped, the
// mean exposure is the frequency. Says the largest number of releases that is possible. `made`: releases so far.
Status RequirePlannedReleases(const GlobalGuaranteePolicy& guarantee, const GlobalClaim& claim,
                              const ItemFrequencies& frequencies, std::size_t made);

}  // namespace pentimento
