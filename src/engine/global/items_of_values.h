// Which items a value of a sensitive column belongs to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "release/global_claim.h"

namespace pentimento {

// The values of a column by the items they belong to: values of the same items share a number.
struct ItemSets {
  std::vector<std::uint32_t> of_code;
  std::vector<std::vector<std::size_t>> items;  // by number, ascending

  const std::vector<std::size_t>& ItemsOf(Code code) const { return items[of_code[code]]; }
};

// `column` counts the sensitive ones.
ItemSets CollectItemSets(const GlobalClaim& claim, std::size_t column, Code value_count);

}  // namespace pentimento
