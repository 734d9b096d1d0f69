// Why a cell does not fit its column, in words that name no value. Asked only once something is wrong: it takes longer
// than reading.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "io/encode.h"
#include "taxonomy/taxonomy.h"

namespace pentimento {

// Of texts that are no leaf.
class LeafFaults {
 public:
  LeafFaults(const Taxonomy& taxonomy, const CellReading& reading);
  const char* operator()(std::string_view text) const;

 private:
  const char* WouldBeLeaf(std::string_view text) const;

  const Taxonomy* taxonomy_;
  CellReading reading_;
  std::unordered_set<std::string> folded_;    // leaves without their case
  std::unordered_set<std::string> plain_;     // ... and without accents
  std::unordered_set<std::string> no_zeros_;  // leaves without zeros in front
};

// Of texts that are no number.
const char* NumberFault(std::string_view text, const CellReading& reading);

inline constexpr const char* kOutsideDomain =
    "lies outside the declared domain; correct the row, or widen the domain in the policy (a series that has begun "
    "keeps its domain)";
inline constexpr const char* kTooManyDecimals =
    "has more decimals than 64 bits can hold; say with decimals = N, in the policy, to how many its column is rounded";
inline constexpr const char* kMissingNotAllowed =
    "is empty, and [input] missing does not list \"\"; correct the row, or list it";

}  // namespace pentimento
