#include "anonymize/limits/dense_numbers.h"

#include <algorithm>
#include <functional>

#include "base/parallel.h"
#include "base/parallel_sort.h"

namespace pentimento {
std::vector<std::uint64_t> NumberDensely(std::span<const std::uint64_t> key_of_row, std::uint64_t keys,
                                         std::span<Code> number_of_row) {
  std::vector<std::uint64_t> seen;
  // Through a list of all keys where those are not much more than the rows, and otherwise by sorting.
  if (keys <= 4 * key_of_row.size() + 1024) {
    std::vector<Code> number(keys, 0);
    for (const std::uint64_t key : key_of_row) number[key] = 1;
    for (std::uint64_t key = 0; key < keys; ++key) {
      if (number[key] == 0) continue;
      number[key] = static_cast<Code>(seen.size());
      seen.push_back(key);
    }
    for (std::size_t row = 0; row < key_of_row.size(); ++row) number_of_row[row] = number[key_of_row[row]];
    return seen;
  }
  seen.assign(key_of_row.begin(), key_of_row.end());
  ParallelSort(seen.begin(), seen.end(), std::less<>());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  ParallelFor(key_of_row.size(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row)
      number_of_row[row] = static_cast<Code>(std::ranges::lower_bound(seen, key_of_row[row]) - seen.begin());
  });
  return seen;
}

}  // namespace pentimento
