// The global guarantee over a whole series, by its definition: what the accountant is measured by. For tests; no
// command has the whole history.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "guarantee/global/claim_form.h"
#include "guarantee/global/classes_of_release.h"
#include "guarantee/global/exposure.h"
#include "release/global_claim.h"

namespace pentimento {

inline Status CheckHistory(std::span<const ReleaseClasses> history, const GlobalClaim& claim) {
  PENTIMENTO_RETURN_IF_ERROR(CheckClaim(claim));
  for (std::size_t number = 0; number < history.size(); ++number) {
    if (const auto wrong = FindMalformedClasses(history[number], claim.items.size()))
      return Error{ErrorCode::kInternal, fmt::format("release {} of the series: {}", number + 1, *wrong)};
  }
  return {};
}

// Exact: for every person and item l * prod (n - s) >= (l - 1) * prod n over the releases that the person is in.
// Nothing where that holds; otherwise the person with the smallest number, and of its items the first. An error where
// the claim cannot be given (an item that is not transient), or claim and releases do not fit together.
inline Result<std::optional<GlobalViolation>> FindGlobalViolation(std::span<const ReleaseClasses> history,
                                                                  const GlobalClaim& claim) {
  PENTIMENTO_RETURN_IF_ERROR(CheckHistory(history, claim));
  std::size_t people = 0;
  std::vector<ChargedShares> shares;
  for (const ReleaseClasses& release : history) {
    people = std::max(people, release.class_of_person.size());
    shares.emplace_back(release, claim.items.size());
  }
  for (std::uint32_t person = 0; person < people; ++person) {
    for (std::uint32_t item = 0; item < claim.items.size(); ++item) {
      const std::uint64_t l = claim.items[item].l;
      std::vector<Exposure> exposures;
      for (std::uint32_t number = 0; number < shares.size(); ++number)
        shares[number].AddExposures(number, person, item, exposures);
      const std::vector<DrawsFromClass> draws = DrawsOf(exposures);
      if (ChanceOfEverIsAtMost(draws, {1, l})) continue;
      return std::optional(GlobalViolation{person, item, ChanceInWords(draws, l), std::move(exposures)});
    }
  }
  return std::optional<GlobalViolation>();
}

// For people, in one sentence. `who` is what the ledger knows the person by; releases are called by their names.
inline std::string DescribeViolation(const GlobalViolation& violation, const GlobalClaim& claim, std::string_view who,
                                     std::span<const std::string> release_names) {
  constexpr std::size_t kMostNamed = 6;
  std::vector<Exposure> named = violation.exposures;
  if (named.size() > kMostNamed) {
    // The largest shares first: a long series is told by what weighs most.
    std::stable_sort(named.begin(), named.end(),
                     [](const Exposure& a, const Exposure& b) { return a.holders * b.rows > b.holders * a.rows; });
    named.resize(kMostNamed - 1);
  }
  std::vector<std::string> parts;
  for (const Exposure& it : named) {
    const std::string own = it.own_rows == 1 ? "" : fmt::format(", {} of them this person's", it.own_rows);
    parts.push_back(fmt::format("'{}' ({} of {} rows{})", release_names[it.release], it.holders, it.rows, own));
  }
  const std::size_t more = violation.exposures.size() - named.size();
  return fmt::format("person {} was linked to {} with a chance of {}, more than 1/{}, by {}{}", who,
                     NameOfItem(claim, violation.item), violation.chance, claim.items[violation.item].l,
                     fmt::join(parts, ", "), more == 0 ? "" : fmt::format(" and {} more", more));
}

}  // namespace pentimento
