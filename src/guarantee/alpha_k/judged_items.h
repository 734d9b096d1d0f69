// What of one sensitive column is limited, taken apart: single values and sets of values, each with one limit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/interval.h"
#include "base/ratio.h"
#include "release/alpha_k_claim.h"

namespace pentimento {

struct JudgedItem {
  Ratio at_most;
  std::uint32_t limit = 0;  // of the claim
  Code value = 0;           // where it is a single value
};

struct JudgedItems {
  std::vector<JudgedItem> items;
  std::vector<std::uint32_t> begin_of_value;  // in item_of_value, and one more for the end
  std::vector<std::uint32_t> item_of_value;

  Code value_count() const { return static_cast<Code>(begin_of_value.size() - 1); }
  std::span<const std::uint32_t> of(Code value) const {
    return std::span(item_of_value).subspan(begin_of_value[value], begin_of_value[value + 1] - begin_of_value[value]);
  }
};

// The items of one column for values below `value_count`; others are in no row. A value that several limits speak of
// by itself is one item with the strictest of them; limits of 1 and more cannot be broken and are left out.
JudgedItems CollectJudgedItems(const AlphaKClaim& claim, std::uint32_t column, Code value_count);

// How often each item occurs in one class, which is filled in by value. Made once for many classes.
class BagTally {
 public:
  explicit BagTally(const JudgedItems& items)
      : items_(items), count_of_value_(items.value_count()), count_(items.items.size()) {}

  void AddValue(Code value, std::uint32_t count) {
    if (count_of_value_[value] == 0) met_values_.push_back(value);
    count_of_value_[value] += count;
  }
  // From values to items, when all values are there.
  void CountItems() {
    for (const Code value : met_values_) {
      for (const std::uint32_t item : items_.of(value)) {
        if (count_[item] == 0) met_.push_back(item);
        count_[item] += count_of_value_[value];
      }
    }
  }
  void Clear() {
    for (const Code value : met_values_) count_of_value_[value] = 0;
    for (const std::uint32_t item : met_) count_[item] = 0;
    met_values_.clear();
    met_.clear();
  }

  std::uint32_t count_of_value(Code value) const { return value < count_of_value_.size() ? count_of_value_[value] : 0; }
  std::span<const std::uint32_t> met() const { return met_; }
  std::uint32_t count(std::uint32_t item) const { return count_[item]; }
  const JudgedItem& item(std::uint32_t item) const { return items_.items[item]; }

 private:
  const JudgedItems& items_;
  std::vector<std::uint32_t> count_of_value_;
  std::vector<Code> met_values_;
  std::vector<std::uint32_t> count_;
  std::vector<std::uint32_t> met_;
};

// Cross-multiplied on purpose: in doubles 0.29 * 100 is 28.999999999999996, and 29 of 100 would break 0.29.
inline bool IsMoreThan(std::uint64_t count, std::uint64_t of, Ratio limit) {
  __extension__ using Wide = unsigned __int128;
  return Wide{count} * limit.den > Wide{limit.num} * of;
}

}  // namespace pentimento
