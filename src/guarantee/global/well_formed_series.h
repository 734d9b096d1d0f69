// Whether a claim and releases are what global_claim.h says: the verifier counts again what it can count, and relies on
// nothing else.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/result.h"
#include "release/global_claim.h"

namespace pentimento {

// Refuses items that are not transient: the closed form is wrong for them, in both directions.
Status CheckClaim(const GlobalClaim& claim);

// What is wrong with the release, or nothing. Afterwards each class has as many rows as it says.
std::optional<std::string> FindMalformedClasses(const ReleaseClasses& release, std::size_t items);

// How messages call an item.
std::string NameOfItem(const GlobalClaim& claim, std::size_t item);

}  // namespace pentimento
