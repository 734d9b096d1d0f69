#include <gtest/gtest.h>

#include <cstring>

#include "files/table_file.h"

namespace pentimento::csv_rows_test {
namespace {

template <typename T>
std::string Bytes(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

using Texts = std::vector<std::string>;

TEST(CsvTexts, ATextIsShownAsItIs) {
  EXPECT_EQ(CsvTexts({"disease", {}, {"Flu", "a \"b\", c"}, std::nullopt, {}}), (Texts{"Flu", "a \"b\", c"}));
}

TEST(CsvTexts, ANumberIsShownAsInTheTable) {
  EXPECT_EQ(CsvTexts({"n", {"l", 8}, {Bytes<std::int64_t>(-7), Bytes<std::int64_t>(42)}, std::nullopt, {}}),
            (Texts{"-7", "42"}));
  EXPECT_EQ(CsvTexts({"x", {"g", 8}, {Bytes(0.1), Bytes(2.0), Bytes(1e300)}, std::nullopt, {}}),
            (Texts{"0.1", "2", "1e+300"}));
}

TEST(CsvTexts, ABooleanIsAWordWhereverItStands) {
  std::vector<std::string> values;
  Texts shown;
  for (int i = 0; i < 11; ++i) {
    values.emplace_back(1, i % 3 == 0 ? '\1' : '\0');
    shown.emplace_back(i % 3 == 0 ? "true" : "false");
  }
  EXPECT_EQ(CsvTexts({"b", {"b", 1}, values, std::nullopt, {}}), shown);
}

TEST(CsvTexts, ADayIsShownAsADate) {
  EXPECT_EQ(CsvTexts({"day", {"tdD", 4}, {Bytes<std::int32_t>(18262)}, std::nullopt, {}}), (Texts{"2020-01-01"}));
}

TEST(CsvTexts, NoValueIsNoText) {
  EXPECT_EQ(CsvTexts({"n", {"i", 4}, {Bytes<std::int32_t>(5), ""}, 1, {}}), (Texts{"5", ""}));
  EXPECT_EQ(CsvTexts({"n", {"i", 4}, {}, std::nullopt, {}}), Texts{});
}

}  // namespace
}  // namespace pentimento::csv_rows_test
