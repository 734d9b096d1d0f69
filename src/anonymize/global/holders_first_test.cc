#include "anonymize/global/holders_first.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "anonymize/partition/packed_rows.h"
#include "base/random.h"

namespace pentimento::global::holders_first_test {
namespace {

// Where a row belongs: those of holders first, then by level.
std::pair<bool, std::size_t> PlaceOf(Code key) {
  return {CappedItems::SignatureOf(key) == 0, CappedItems::LevelOf(key)};
}

struct Numbered {
  EncodedTable table;  // one column, in which every row has another code
  CodeColumn keys;
};

Numbered RandomKeys(Random& random, std::size_t rows, std::uint32_t key_count) {
  Numbered made{{}, CodeColumn(key_count, rows)};
  made.table.rows = rows;
  CodeColumn& codes = made.table.quasi_identifiers.emplace_back(std::uint64_t{1} << 16, rows);
  for (std::size_t row = 0; row < rows; ++row) {
    made.keys.Set(row, random.Below(key_count));
    codes.Set(row, static_cast<Code>(rows - row));
  }
  return made;
}

// With keys of one byte and of two.
TEST(HoldersFirstTest, EveryRowIsPackedOnceInTheOrderOfHoldersAndLevels) {
  Random random(SeedFromNumber(1), "holders first");
  for (const std::uint32_t key_count : {16u, 64u, 1000u}) {
    for (const std::size_t rows : {std::size_t{1}, std::size_t{1023}, std::size_t{1024}, std::size_t{5000}}) {
      const Numbered made = RandomKeys(random, rows, key_count);
      const HoldersFirst order(made.keys);
      const KeyOfRow key_of_row(made.keys);
      const partition::PackedRows<std::uint16_t, 8, false> packed(made.table, order);
      const auto records = packed.records(partition::Buffer::kFront);
      std::vector<bool> is_there(rows);
      std::size_t holders = 0;
      for (std::size_t i = 0; i < rows; ++i) {
        const std::uint32_t row = records.row(i);
        EXPECT_FALSE(is_there.at(row));
        is_there[row] = true;
        EXPECT_EQ(records.codes(i)[0], rows - row);
        EXPECT_EQ(records.codes(i)[1], 0) << "keys without a column";
        EXPECT_EQ(key_of_row(row), made.keys[row]);
        holders += CappedItems::SignatureOf(made.keys[row]) == 0 ? 0 : 1;
        if (i > 0) {
          const std::uint32_t before = records.row(i - 1);
          EXPECT_LE(PlaceOf(made.keys[before]), PlaceOf(made.keys[row]));
          // Rows that belong together stay in their order.
          EXPECT_TRUE(PlaceOf(made.keys[before]) < PlaceOf(made.keys[row]) || before < row);
        }
      }
      EXPECT_EQ(order.holders(), holders);
    }
  }
}

}  // namespace
}  // namespace pentimento::global::holders_first_test
