// Small numbers for combinations, in the order in which they are first met: the same for any number of threads.
#pragma once

#include <tsl/robin_map.h>

#include <cstddef>
#include <cstdint>
#include <utility>
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

// Equal tuples of `width` intervals have equal numbers; cell_at(row, place) is one interval. Without places all rows
// are one tuple.
template <typename CellAt>
NumberedTuples NumberTuples(std::size_t rows, std::size_t width, const CellAt& cell_at) {
  NumberedTuples tuples{std::vector<std::uint32_t>(rows, 0), rows > 0 ? 1u : 0u};
  for (std::size_t place = 0; place < width; ++place) {
    Numbering cells;
    Numbering pairs;
    for (std::size_t row = 0; row < rows; ++row) {
      const Interval cell = cell_at(row, place);
      tuples.number[row] = pairs.NumberPair(tuples.number[row], cells.NumberPair(cell.lo, cell.hi));
    }
    tuples.count = pairs.count();
  }
  return tuples;
}

}  // namespace pentimento
