// What the global guarantee protects, and the table's values, brought together: texts become codes, and every item has
// its place in the account of the series.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/bind/bind.h"
#include "engine/global/account.h"
#include "io/encode.h"
#include "release/global_claim.h"
#include "table/code_column.h"
#include "table/values.h"

namespace pentimento {

// Points into the input it was bound to, which must stay where it is.
struct BoundItems {
  std::vector<const ValueColumn*> columns;  // the sensitive ones, in the order of the policy
  std::vector<const CodeColumn*> codes;     // theirs
  std::vector<Code> value_counts;
  // In the order of the account: those that no row of this table has are left out of `values`, but not of the items.
  GlobalClaim claim;
  std::vector<std::string> notes;
};

// Adds what is new to the account. kRefused where an item is not transient, where this policy protects something that
// earlier releases of the series gave away without account, or where an earlier release promised something that this
// policy does not.
Result<BoundItems> BindItems(const BoundPolicy& bound, const GlobalGuaranteePolicy& guarantee,
                             const EncodedInput& input, Account& account);

// The values of a column by the items they belong to: values of the same items share a number.
struct ItemSets {
  std::vector<std::uint32_t> of_code;
  std::vector<std::vector<std::size_t>> items;  // by number, ascending

  const std::vector<std::size_t>& ItemsOf(Code code) const { return items[of_code[code]]; }
};

// `column` counts the sensitive ones.
ItemSets CollectItemSets(const GlobalClaim& claim, std::size_t column, Code value_count);

}  // namespace pentimento
