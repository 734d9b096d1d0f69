#include "engine/published/published_counts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pentimento::published_counts_test {
namespace {

ValueColumn Column(std::vector<std::string> values) {
  ValueColumn column{"count", CellType{"u"}, std::move(values), std::nullopt, {}};
  column.codes = CodeColumn(column.values.size(), column.values.size());
  for (std::size_t row = 0; row < column.values.size(); ++row) column.codes.Set(row, static_cast<Code>(row));
  return column;
}

TEST(PublishedCounts, AreWholeNumbersAboveZero) {
  const auto counts = ReadPublishedCounts(Column({"1", "17", "4294967295"}), "ss.csv");
  ASSERT_TRUE(counts.ok());
  EXPECT_EQ(*counts, (std::vector<std::uint64_t>{1, 17, 4294967295}));
}

TEST(PublishedCounts, WhatIsNoCountIsRefused) {
  for (const char* text : {"3abc", "0", "", "-1", "+1", "1.0", " 1", "4294967296"}) {
    const auto counts = ReadPublishedCounts(Column({"1", text}), "ss.csv");
    ASSERT_FALSE(counts.ok()) << text;
    EXPECT_EQ(counts.error().code, ErrorCode::kBadInput);
    EXPECT_NE(counts.error().message.find("ss.csv: a count is not a whole number above 0"), std::string::npos);
  }
}

}  // namespace
}  // namespace pentimento::published_counts_test
