// What a maker of (alpha,k)-anonymous groups needs to know of a row: its signature. Rows with equal signatures count
// alike for every limit, so a set of rows is described by how many of each signature it holds. With one sensitive
// column a signature is a value; values that no limit speaks of share one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/interval.h"
#include "base/ratio.h"
#include "release/alpha_k_claim.h"
#include "table/code_column.h"

namespace pentimento {

// One thing that is limited: a value by itself, or a set of values.
struct LimitedItem {
  std::vector<Code> signatures;  // ascending: rows with these count
  Ratio at_most{1, 1};
};

struct Signatures {
  CodeColumn of_row;  // below `count`
  Code count = 1;
  std::vector<LimitedItem> items;  // no two alike; those that no row has are left out

  // Rows by signature.
  std::vector<std::uint32_t> CountRows() const;
};

// By signature: which items its rows count for, as places among the items, ascending.
class ItemsOfSignatures {
 public:
  // Signatures of the items are below `count`.
  ItemsOfSignatures(std::span<const LimitedItem> items, Code count);

  Code signature_count() const { return static_cast<Code>(first_.size() - 1); }
  std::span<const std::uint32_t> Of(Code signature) const {
    return std::span(items_).subspan(first_[signature], first_[signature + 1] - first_[signature]);
  }

 private:
  std::vector<std::uint32_t> first_;  // by signature, into items_; one more at the end
  std::vector<std::uint32_t> items_;
};

// `value_counts`: how many codes each sensitive column has.
Signatures CollectSignatures(std::size_t rows, std::span<const CodeColumn* const> sensitive,
                             std::span<const Code> value_counts, const AlphaKClaim& claim);

}  // namespace pentimento
