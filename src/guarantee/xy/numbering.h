// Small numbers for combinations, in the order in which they are first met: the same for any number of threads.
#pragma once

#include <tsl/robin_map.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/interval.h"
#include "base/mix64.h"

namespace pentimento {

class Numbering {
 public:
  std::uint32_t Number(std::uint64_t key) {
    return number_.try_emplace(key, static_cast<std::uint32_t>(number_.size())).first->second;
  }
  std::uint32_t NumberPair(std::uint32_t first, std::uint32_t second) {
    return Number((std::uint64_t{first} << 32) | second);
  }
  std::uint32_t count() const { return static_cast<std::uint32_t>(number_.size()); }

 private:
  tsl::robin_map<std::uint64_t, std::uint32_t, Mix64> number_;
};

struct NumberedTuples {
  std::vector<std::uint32_t> number;  // by row
  std::uint32_t count = 0;
};

// A table of all combinations is faster than hashing while it fits into a near cache, or nearly.
inline constexpr std::uint64_t kLargestTable = 1 << 24;

// Tells rows apart by one more number: second_of(row) is below `limit`, number_of_row below `count`. Returns how many
// numbers there are then.
template <typename SecondOf>
std::uint32_t RefineNumbers(std::uint32_t count, std::uint64_t limit, const SecondOf& second_of,
                            std::vector<std::uint32_t>& number_of_row) {
  if (limit > kLargestTable || count * limit > kLargestTable) {
    Numbering pairs;
    for (std::size_t row = 0; row < number_of_row.size(); ++row)
      number_of_row[row] = pairs.NumberPair(number_of_row[row], second_of(row));
    return pairs.count();
  }
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> table(count * limit, kNone);
  std::uint32_t next = 0;
  for (std::size_t row = 0; row < number_of_row.size(); ++row) {
    std::uint32_t& known = table[number_of_row[row] * limit + second_of(row)];
    if (known == kNone) known = next++;
    number_of_row[row] = known;
  }
  return next;
}

// Equal tuples of `width` intervals have equal numbers; cell_at(row, place) is one interval. Without places all rows
// are one tuple.
template <typename CellAt>
NumberedTuples NumberTuples(std::size_t rows, std::size_t width, const CellAt& cell_at) {
  NumberedTuples tuples{std::vector<std::uint32_t>(rows, 0), rows > 0 ? 1u : 0u};
  std::vector<std::uint32_t> cell_of_row(rows);
  for (std::size_t place = 0; place < width; ++place) {
    Numbering cells;
    for (std::size_t row = 0; row < rows; ++row) {
      const Interval cell = cell_at(row, place);
      cell_of_row[row] = cells.NumberPair(cell.lo, cell.hi);
    }
    const auto cell_number = [&](std::size_t row) { return cell_of_row[row]; };
    tuples.count = RefineNumbers(tuples.count, cells.count(), cell_number, tuples.number);
  }
  return tuples;
}

}  // namespace pentimento
