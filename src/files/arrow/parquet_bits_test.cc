#include "files/arrow/parquet_bits.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace pentimento::parquet_bits_test {
namespace {

// Reads the hybrid as its specification tells, bit by bit.
std::vector<std::uint32_t> Decode(std::span<const std::uint8_t> bytes, unsigned width, std::size_t count) {
  std::vector<std::uint32_t> values;
  std::size_t at = 0;
  while (values.size() < count) {
    std::uint64_t header = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t byte = bytes[at++];
      header |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) break;
    }
    if ((header & 1) == 0) {
      std::uint32_t value = 0;
      for (unsigned bits = 0; bits < width; bits += 8) value |= std::uint32_t{bytes[at++]} << bits;
      values.insert(values.end(), header >> 1, value);
      continue;
    }
    const std::size_t packed = (header >> 1) * 8;
    for (std::size_t i = 0; i < packed; ++i) {
      std::uint32_t value = 0;
      for (unsigned bit = 0; bit < width; ++bit) {
        const std::size_t place = i * width + bit;
        value |= static_cast<std::uint32_t>(bytes[at + place / 8] >> place % 8 & 1) << bit;
      }
      values.push_back(value);
    }
    at += packed / 8 * width;
  }
  EXPECT_EQ(at, bytes.size()) << "nothing may follow the last run";
  EXPECT_LT(values.size() - count, 8U) << "only the last group is filled up";
  for (std::size_t i = count; i < values.size(); ++i) EXPECT_EQ(values[i], 0U);
  values.resize(count);
  return values;
}

std::uint32_t Largest(unsigned width) { return static_cast<std::uint32_t>((std::uint64_t{1} << width) - 1); }

TEST(ParquetBits, AnIndexIsAsWideAsTheLastEntryNeeds) {
  EXPECT_EQ(IndexWidth(0), 1U);
  EXPECT_EQ(IndexWidth(1), 1U);
  EXPECT_EQ(IndexWidth(2), 1U);
  EXPECT_EQ(IndexWidth(3), 2U);
  EXPECT_EQ(IndexWidth(256), 8U);
  EXPECT_EQ(IndexWidth(257), 9U);
}

TEST(ParquetBits, ValuesOfAnyWidthAndNumberComeBack) {
  std::mt19937 random(1);
  for (unsigned width = 1; width <= 32; ++width) {
    for (std::size_t count = 0; count < 100; ++count) {
      std::vector<std::uint32_t> values(count);
      for (std::uint32_t& value : values) value = static_cast<std::uint32_t>(random()) & Largest(width);
      PageBytes page;
      AppendHybrid(values, width, page);
      EXPECT_EQ(Decode(page, width, count), values) << width << " bits, " << count << " values";
    }
  }
}

TEST(ParquetBits, RepetitionsOfAnyLengthComeBackWhereverTheyBegin) {
  for (const unsigned width : {1U, 3U, 8U, 13U, 32U}) {
    for (std::size_t before = 0; before < 20; ++before) {
      for (std::size_t times = 60; times < 75; ++times) {
        std::vector<std::uint32_t> values;
        for (std::size_t i = 0; i < before; ++i) values.push_back(i % 2 == 0 ? Largest(width) : 0);
        values.insert(values.end(), times, 1);
        values.insert(values.end(), {0, 1, Largest(width)});
        values.insert(values.end(), times, Largest(width));
        PageBytes page;
        AppendHybrid(values, width, page);
        EXPECT_EQ(Decode(page, width, values.size()), values) << width << ' ' << before << ' ' << times;
      }
    }
  }
}

TEST(ParquetBits, OneValueAllAlongTakesAFewBytes) {
  PageBytes page;
  AppendIndices(std::vector<std::uint32_t>(100'000, 5), 3, page);
  EXPECT_LE(page.size(), 5U);
  EXPECT_EQ(page[0], 3);
}

TEST(ParquetBits, LevelsTellWhichRowsHoldAValue) {
  for (std::size_t rows = 1; rows < 40; ++rows) {
    std::vector<std::uint32_t> levels(rows);
    std::vector<std::uint8_t> valid((rows + 7) / 8);
    for (std::size_t row = 0; row < rows; ++row) {
      levels[row] = row % 3 == 0 ? 0 : 1;
      valid[row / 8] = static_cast<std::uint8_t>(valid[row / 8] | levels[row] << row % 8);
    }
    for (const bool has_nulls : {true, false}) {
      PageBytes page;
      AppendLevels(rows, has_nulls ? std::span<const std::uint8_t>(valid) : std::span<const std::uint8_t>(), page);
      std::uint32_t length = 0;
      std::memcpy(&length, page.data(), sizeof length);
      ASSERT_EQ(length + sizeof length, page.size());
      const std::vector<std::uint32_t> all(rows, 1);
      EXPECT_EQ(Decode(std::span(page).subspan(sizeof length), 1, rows), has_nulls ? levels : all) << rows;
    }
  }
}

}  // namespace
}  // namespace pentimento::parquet_bits_test
