#include "table/combinations.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/mix64.h"
#include "base/parallel.h"

namespace pentimento {
namespace {

constexpr std::uint32_t kFree = std::numeric_limits<std::uint32_t>::max();

// Which value was first seen with a key. Never full: whoever makes it knows how many keys there are at most.
class KeyTable {
 public:
  explicit KeyTable(std::size_t most_keys) : slots_(std::bit_ceil(2 * most_keys + 2), Slot{0, kFree}) {}

  // The value that came first with this key, which may be this one.
  std::uint32_t FirstOf(std::uint64_t key, std::uint64_t hash, std::uint32_t value) {
    for (std::size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[at];
      if (slot.value == kFree) slot = {key, value};
      if (slot.key == key) return slot.value;
    }
  }

 private:
  struct Slot {
    std::uint64_t key;
    std::uint32_t value;
  };
  std::vector<Slot> slots_;
};

// Few different keys: one table that stays in the cache. False where there turn out to be more of them.
bool NumberFew(std::span<const std::uint64_t> keys, Combinations& numbers) {
  constexpr std::uint32_t kFew = 1U << 16;
  KeyTable table(kFew);
  std::uint32_t next = 0;
  for (std::size_t row = 0; row < keys.size(); ++row) {
    const std::uint32_t number = table.FirstOf(keys[row], Mix64{}(keys[row]), next);
    if (number == next && ++next == kFew) return false;
    numbers.of_row[row] = number;
  }
  numbers.count = next;
  return true;
}

// Many different keys: rows are dealt into parts by the hash of their key, so that equal keys come together and the
// table of each part stays in the cache. Every row learns the first row that has its key, and then its number.
void NumberMany(std::span<const std::uint64_t> keys, Combinations& numbers) {
  constexpr std::size_t kParts = 256;
  const auto part_of = [](std::uint64_t hash) { return hash >> 56; };
  std::array<std::size_t, kParts + 1> begin{};
  for (const std::uint64_t key : keys) ++begin[part_of(Mix64{}(key)) + 1];
  for (std::size_t part = 0; part < kParts; ++part) begin[part + 1] += begin[part];
  std::vector<std::uint64_t> dealt_keys(keys.size());
  std::vector<std::uint32_t> dealt_rows(keys.size());
  std::array<std::size_t, kParts + 1> next = begin;
  for (std::size_t row = 0; row < keys.size(); ++row) {
    const std::size_t at = next[part_of(Mix64{}(keys[row]))]++;
    dealt_keys[at] = keys[row];
    dealt_rows[at] = static_cast<std::uint32_t>(row);
  }
  std::vector<std::uint32_t>& first_row = numbers.of_row;
  ParallelFor(kParts, 1, [&](std::size_t from, std::size_t to) {
    for (std::size_t part = from; part < to; ++part) {
      KeyTable table(begin[part + 1] - begin[part]);
      for (std::size_t at = begin[part]; at < begin[part + 1]; ++at)
        first_row[dealt_rows[at]] = table.FirstOf(dealt_keys[at], Mix64{}(dealt_keys[at]), dealt_rows[at]);
    }
  });
  for (std::uint32_t row = 0; row < keys.size(); ++row)
    numbers.of_row[row] = first_row[row] == row ? numbers.count++ : numbers.of_row[first_row[row]];
}

Combinations NumberKeys(std::span<const std::uint64_t> keys) {
  Combinations numbers{std::vector<std::uint32_t>(keys.size()), 0};
  if (!NumberFew(keys, numbers)) NumberMany(keys, numbers);
  return numbers;
}

}  // namespace

void CombinationNumbering::Shorten() {
  const Combinations numbers = NumberKeys(keys_);
  std::ranges::copy(numbers.of_row, keys_.begin());
  keys_below_ = numbers.count;
}

Combinations CombinationNumbering::Finish() && {
  if (keys_.empty()) return {std::vector<std::uint32_t>(rows_), rows_ > 0 ? 1U : 0U};
  return NumberKeys(keys_);
}

std::vector<std::uint32_t> FirstRows(const Combinations& combinations) {
  std::vector<std::uint32_t> rows;
  rows.reserve(combinations.count);
  for (std::uint32_t row = 0; rows.size() < combinations.count; ++row) {
    if (combinations.of_row[row] == rows.size()) rows.push_back(row);
  }
  return rows;
}

Combinations NumberCombinations(std::size_t rows, std::span<const CodeColumn* const> columns) {
  CombinationNumbering numbering(rows);
  for (const CodeColumn* column : columns) {
    std::uint64_t most = 0;
    column->Visit([&](auto codes) {
      for (const auto code : codes) most = std::max<std::uint64_t>(most, code);
    });
    numbering.Refine(most + 1, *column);
  }
  return std::move(numbering).Finish();
}

}  // namespace pentimento
