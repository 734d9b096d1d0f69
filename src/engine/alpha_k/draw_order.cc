#include "engine/alpha_k/draw_order.h"

#include <atomic>
#include <cstring>
#include <string>
#include <string_view>

#include "base/parallel.h"
#include "base/parallel_sort.h"

namespace pentimento {
namespace {

constexpr std::size_t kHashGrain = 1 << 12;

// Calls body(row, its cells as bytes).
template <typename Body>
void ForEachRow(const EncodedInput& input, Body body) {
  std::vector<const CodeColumn*> columns;
  for (const CodeColumn& column : input.table.quasi_identifiers) columns.push_back(&column);
  for (const ValueColumn& column : input.values) columns.push_back(&column.codes);
  ParallelFor(input.table.rows, kHashGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<Code> cells(columns.size());
    for (std::size_t row = begin; row < end; ++row) {
      for (std::size_t c = 0; c < columns.size(); ++c) cells[c] = (*columns[c])[row];
      body(row, std::string_view(reinterpret_cast<const char*>(cells.data()), cells.size() * sizeof(Code)));
    }
  });
}

std::string_view BytesOf(const IdentityHash& hash) { return {reinterpret_cast<const char*>(&hash), sizeof hash}; }

// A key of this very table: a sum does not depend on the order of what is added.
SecretKey KeyOfTable(const EncodedInput& input, const IdentityHasher& keyed) {
  std::atomic<std::uint64_t> high = 0;
  std::atomic<std::uint64_t> low = 0;
  ForEachRow(input, [&](std::size_t, std::string_view cells) {
    const IdentityHash hash = keyed(cells);
    high += hash.high;
    low += hash.low;
  });
  const IdentityHash sum{high, low};
  SecretKey key;
  for (std::size_t half = 0; half < 2; ++half) {
    const std::string purpose = "order of recoding " + std::to_string(half) + " ";
    const IdentityHash part = keyed(purpose + std::string(BytesOf(sum)));
    std::memcpy(&key[half * sizeof part], &part, sizeof part);
  }
  return key;
}

}  // namespace

std::vector<std::uint32_t> DrawOrder(const EncodedInput& input, const IdentityHasher& keyed) {
  struct Drawn {
    IdentityHash hash;
    std::uint32_t row;
  };
  const IdentityHasher of_table(KeyOfTable(input, keyed));
  std::vector<Drawn> drawn(input.table.rows);
  ForEachRow(input, [&](std::size_t row, std::string_view cells) {
    drawn[row] = {of_table(cells), static_cast<std::uint32_t>(row)};
  });
  ParallelSort(drawn.begin(), drawn.end(),
               [](const Drawn& a, const Drawn& b) { return a.hash != b.hash ? a.hash < b.hash : a.row < b.row; });
  std::vector<std::uint32_t> order(drawn.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = drawn[i].row;
  return order;
}

}  // namespace pentimento
