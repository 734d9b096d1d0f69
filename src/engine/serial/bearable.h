// Whether a series can bear the releases that are planned, before anything is made of this one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "engine/serial/bind_items.h"
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

// kRefused where an item is too frequent for the number of releases that are planned: however people are grouped, the
// mean exposure is the frequency. Says the largest number of releases that is possible. `made`: releases so far.
Status RequireBearable(const GlobalGuaranteePolicy& guarantee, const GlobalClaim& claim,
                       const ItemFrequencies& frequencies, std::size_t made);

}  // namespace pentimento
