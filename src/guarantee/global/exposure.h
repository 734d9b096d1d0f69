// What the releases of a series say about one person and one sensitive item, and how likely that makes it that the
// person ever had it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "guarantee/sensitive/chance_of_ever.h"
#include "release/global_claim.h"

namespace pentimento {

// The person has `own_rows` rows in a class of `rows`, of which `holders` have the item.
struct Exposure {
  std::uint32_t release = 0;  // by number, in the order of publication, from 0
  std::uint64_t holders = 0;
  std::uint64_t rows = 0;
  std::uint64_t own_rows = 1;
  friend bool operator==(const Exposure&, const Exposure&) = default;
};

// Why the guarantee does not hold. The person is a number: who knows the ledger's hash of it may tell people.
struct GlobalViolation {
  std::uint32_t person = 0;
  std::uint32_t item = 0;
  std::string chance;               // of the person ever having had the item; see ChanceInWords
  std::vector<Exposure> exposures;  // the releases that contributed
};

// Of one release, without those that say nothing because nobody in the class has the item.
void AddExposures(const ReleaseClasses& release, std::uint32_t number, std::size_t items, std::uint32_t person,
                  std::size_t item, std::vector<Exposure>& exposures);

// Of a single row in a single release: no product is needed. l is at most 2^32.
inline bool IsWithinLimit(std::uint64_t holders, std::uint64_t rows, std::uint64_t l) {
  __extension__ using Wide = unsigned __int128;
  return Wide{l} * (rows - holders) >= Wide{l - 1} * rows;
}

std::vector<DrawsFromClass> DrawsOf(std::span<const Exposure> exposures);

// The chance of ever having had the item: a fraction where it is short, otherwise six decimals, rounded up if the
// chance is above 1/l and down if not. A rounded number therefore never crosses the limit.
std::string ChanceInWords(std::span<const DrawsFromClass> draws, std::uint64_t l);

}  // namespace pentimento
