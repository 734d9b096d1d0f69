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
};

// `value_counts`: how many codes each sensitive column has.
Signatures CollectSignatures(std::size_t rows, std::span<const CodeColumn* const> sensitive,
                             std::span<const Code> value_counts, const AlphaKClaim& claim);

// Whether a set of rows may be a class. Stricter than the promise where somebody has several rows: the chance that one
// of r rows has a value is at most r times the chance of one row, so limits are divided by the most rows that anybody
// in the set has in the whole table, and the share is taken of people. A maker may be too strict; the verifier is
// exact.
class SensitiveRule {
 public:
  struct Item {
    std::uint32_t first;  // in the signatures of all items
    std::uint32_t past;
    std::uint64_t num;  // count * den <= num * persons, with num and den below 2^32
    std::uint64_t den;
  };

  SensitiveRule(const Signatures& signatures, std::uint64_t k);

  std::uint64_t k() const { return k_; }
  // No class has fewer people than this: k, or more where every row has something that is limited.
  std::uint64_t fewest_persons() const { return fewest_persons_; }
  std::span<const Item> items() const { return items_; }
  // Ascending: rows with these count for the item.
  std::span<const Code> signatures_of(const Item& item) const {
    return std::span(signatures_).subspan(item.first, item.past - item.first);
  }
  Code signature_count() const { return signature_count_; }
  // `counts`: rows by signature.
  bool Holds(std::span<const std::uint32_t> counts, std::uint64_t persons, std::uint64_t most_rows = 1) const {
    return persons >= k_ && KeepsLimits(counts, persons, most_rows);
  }
  // The limits alone, whatever the number of people.
  bool KeepsLimits(std::span<const std::uint32_t> counts, std::uint64_t persons, std::uint64_t most_rows = 1) const;

 private:
  std::uint64_t FewestPersons() const;

  std::uint64_t k_;
  std::uint64_t fewest_persons_ = 0;
  Code signature_count_;
  std::vector<Item> items_;
  std::vector<Code> signatures_;
};

}  // namespace pentimento
