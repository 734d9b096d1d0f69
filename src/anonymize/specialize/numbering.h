// Numbers combinations: rows that have equal codes in several columns get equal numbers, in the order in which the
// combinations first occur.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/mix64.h"
#include "table/code_column.h"

namespace pentimento {

class CombinationNumbering {
 public:
  explicit CombinationNumbering(std::size_t rows) : number_of_row_(rows, 0), count_(rows > 0 ? 1 : 0) {}

  // Tells rows apart that differ in code_of(row), which is below `codes`.
  template <typename CodeOf>
  void Refine(std::uint64_t codes, const CodeOf& code_of) {
    if (codes <= 1 || number_of_row_.empty()) return;
    std::uint32_t next = 0;
    const std::uint64_t pairs = count_ * codes;
    if (pairs <= kLargestTable) {
      constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();
      std::vector<std::uint32_t> known(pairs, kUnknown);
      for (std::size_t row = 0; row < number_of_row_.size(); ++row) {
        std::uint32_t& number = known[number_of_row_[row] * codes + code_of(row)];
        if (number == kUnknown) number = next++;
        number_of_row_[row] = number;
      }
    } else {
      tsl::robin_map<std::uint64_t, std::uint32_t, Mix64> known;
      known.reserve(count_);
      for (std::size_t row = 0; row < number_of_row_.size(); ++row) {
        const auto [place, is_new] = known.try_emplace(number_of_row_[row] * codes + code_of(row), next);
        if (is_new) ++next;
        number_of_row_[row] = place->second;
      }
    }
    count_ = next;
  }
  void Refine(std::uint64_t codes, const CodeColumn& column) {
    column.Visit([&](auto values) { Refine(codes, [&](std::size_t row) { return std::uint64_t{values[row]}; }); });
  }

  std::span<const std::uint32_t> number_of_row() const { return number_of_row_; }
  std::vector<std::uint32_t> TakeNumbers() { return std::move(number_of_row_); }
  std::uint32_t count() const { return static_cast<std::uint32_t>(count_); }

 private:
  // A table that stays in the cache, more or less; beyond that a hash table is no slower.
  static constexpr std::uint64_t kLargestTable = std::uint64_t{1} << 22;

  std::vector<std::uint32_t> number_of_row_;
  std::uint64_t count_;
};

}  // namespace pentimento
