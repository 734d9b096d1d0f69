// Records that are moved, against the definition of a stable move.
#include "anonymize/partition/packed_rows.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "base/random.h"

namespace pentimento::packed_rows_test {
namespace {

using partition::Buffer;

constexpr Code kCodes = 200;

EncodedTable RandomTable(std::size_t rows, std::size_t columns) {
  Random random(SeedFromNumber(1), "packed");
  EncodedTable table;
  table.rows = rows;
  for (std::size_t c = 0; c < columns; ++c) {
    CodeColumn column(kCodes, rows);
    for (std::size_t row = 0; row < rows; ++row) column.Set(row, 3 + random.Below(kCodes - 9));
    table.quasi_identifiers.push_back(std::move(column));
  }
  return table;
}

template <typename Packed>
void ExpectMoved(const EncodedTable& table, const Packed& rows, std::size_t begin, std::size_t end,
                 const std::vector<std::vector<std::size_t>>& parts, std::span<const Interval> bounds) {
  const auto records = rows.records(Buffer::kBack);
  std::size_t record = begin;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    Box wanted(rows.columns(), Interval{kCodes, 0});
    for (const std::size_t row : parts[p]) {
      ASSERT_EQ(records.row(record), row);
      for (std::size_t c = 0; c < rows.columns(); ++c) {
        const Code code = table.quasi_identifiers[c][row];
        ASSERT_EQ(records.codes(record)[c], code);
        wanted[c] = {std::min(wanted[c].lo, code), std::max(wanted[c].hi, code)};
      }
      if constexpr (Packed::kHasSignatures) {
        ASSERT_EQ(records.signature(record), table.quasi_identifiers[1][row]);
      }
      ++record;
    }
    const auto found = bounds.subspan(p * rows.columns(), rows.columns());
    EXPECT_TRUE(std::ranges::equal(found, wanted));
  }
  EXPECT_EQ(record, end);
}

template <typename Packed>
void ExpectStableMoves(std::size_t size) {
  const EncodedTable table = RandomTable(size, 3);
  const CodeColumn* const signatures = Packed::kHasSignatures ? &table.quasi_identifiers[1] : nullptr;
  Packed rows(table, signatures);
  // Not from the first record to the last, and no whole number of blocks.
  const std::size_t begin = 5;
  const std::size_t end = size - 3;
  Box bounds(3);
  rows.Bounds(Buffer::kFront, begin, end, bounds);
  EXPECT_EQ(bounds, Box(3, Interval{3, kCodes - 7}));

  const std::size_t column = 2;
  for (const Code at : {Code{40}, Code{3}, kCodes}) {  // some on both sides, none below, none above
    std::vector<std::vector<std::size_t>> two(2);
    for (std::size_t row = begin; row < end; ++row)
      two[table.quasi_identifiers[column][row] < at ? 0 : 1].push_back(row);
    const std::size_t below = rows.CountBelow(Buffer::kFront, begin, end, column, at);
    ASSERT_EQ(below, two[0].size());
    Box of_two(6);
    rows.MoveTwoParts(Buffer::kFront, begin, end, column, at, below, std::span(of_two).first(3),
                      std::span(of_two).last(3));
    for (std::size_t part = 0; part < 2; ++part) {
      if (two[part].empty())
        std::fill_n(of_two.begin() + 3 * static_cast<std::ptrdiff_t>(part), 3, Interval{kCodes, 0});
    }
    ExpectMoved(table, rows, begin, end, two, of_two);
  }

  const auto is_between = [](Code code) { return code - 20 <= 10; };
  std::vector<std::vector<std::size_t>> between(2);
  for (std::size_t row = begin; row < end; ++row)
    between[is_between(table.quasi_identifiers[column][row]) ? 0 : 1].push_back(row);
  Box of_between(6);
  rows.MoveTwoParts(Buffer::kFront, begin, end, column, is_between, between[0].size(), std::span(of_between).first(3),
                    std::span(of_between).last(3));
  ExpectMoved(table, rows, begin, end, between, of_between);

  for (const std::size_t count : {std::size_t{5}, std::size_t{41}}) {
    const auto part_of = [count](Code code) { return code % count; };
    std::vector<std::vector<std::size_t>> parts(count);
    for (std::size_t row = begin; row < end; ++row) parts[part_of(table.quasi_identifiers[column][row])].push_back(row);
    std::vector<std::size_t> next = {begin};
    for (std::size_t p = 0; p + 1 < count; ++p) next.push_back(next.back() + parts[p].size());
    Box of_parts(3 * count);
    rows.MoveParts(Buffer::kFront, begin, end, column, part_of, next, of_parts);
    ExpectMoved(table, rows, begin, end, parts, of_parts);
  }
}

TEST(PackedRows, AreMovedStably) {
  for (const std::size_t size : {300, 3'000}) {
    ExpectStableMoves<partition::PackedRows<std::uint16_t, 8, false, true>>(size);
    ExpectStableMoves<partition::PackedRows<std::uint16_t, 16, false>>(size);
    ExpectStableMoves<partition::PackedRows<std::uint32_t, 0, false, true>>(size);
  }
}

}  // namespace
}  // namespace pentimento::packed_rows_test
