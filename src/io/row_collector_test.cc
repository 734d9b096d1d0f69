#include "io/row_collector.h"

#include <gtest/gtest.h>

#include <random>

namespace pentimento::row_collector_test {
namespace {

std::vector<std::uint8_t> Buckets(std::size_t rows, std::mt19937& random) {
  std::vector<std::uint8_t> buckets(rows);
  for (std::uint8_t& bucket : buckets) bucket = static_cast<std::uint8_t>(random());
  return buckets;
}

CodeColumn Codes(std::uint64_t domain, std::size_t rows, std::mt19937& random) {
  CodeColumn codes(domain, rows);
  for (std::size_t row = 0; row < rows; ++row) codes.Set(row, static_cast<Code>(random() % domain));
  return codes;
}

TEST(RowCollector, FindsWhatLookingRowsUpOneByOneFinds) {
  std::mt19937 random(3);
  for (const std::size_t rows : {0U, 1U, 255U, 16384U, 16385U, 300'000U}) {
    const RowOrder order(Seed{}, Buckets(rows, random));
    const CodeColumn columns[] = {Codes(200, rows, random), Codes(60'000, rows, random), Codes(1 << 20, rows, random)};
    std::vector<std::uint32_t> numbers(rows);
    for (std::uint32_t& number : numbers) number = static_cast<std::uint32_t>(random());
    RowCollector collector;
    for (const CodeColumn& codes : columns) collector.Add(codes);
    ASSERT_EQ(collector.Add(numbers), 3U);
    for (const auto& [first, last] : {std::pair<std::size_t, std::size_t>{0, 256}, {0, 1}, {3, 40}, {255, 256}}) {
      collector.Collect(order, first, last);
      for (std::size_t bucket = first; bucket < last; ++bucket) {
        const std::span<const std::uint32_t> rows_of_bucket = order.RowsOfBucket(bucket);
        for (std::size_t column = 0; column < 4; ++column) {
          collector.Visit(column, [&](auto cells) {
            for (std::size_t i = 0; i < rows_of_bucket.size(); ++i) {
              const std::uint32_t row = rows_of_bucket[i];
              const Code expected = column < 3 ? columns[column][row] : numbers[row];
              ASSERT_EQ(cells[collector.begin_of(bucket) + i], expected) << rows << " rows, bucket " << bucket;
            }
          });
        }
      }
    }
  }
}

}  // namespace
}  // namespace pentimento::row_collector_test
