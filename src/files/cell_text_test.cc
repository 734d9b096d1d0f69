// The texts of cells, which io/ makes by itself, are those that a CSV file shows, which Arrow C++ makes.
#include <gtest/gtest.h>

#include <cstring>

#include "files/table_file.h"
#include "io/cells.h"

namespace pentimento::cell_text_test {
namespace {

template <typename T>
void ExpectSameTexts(const char* format, const std::vector<T>& numbers) {
  ValueColumn column{"x", {format, static_cast<int>(sizeof(T))}, {}, std::nullopt, {}};
  for (const T& number : numbers) column.values.emplace_back(reinterpret_cast<const char*>(&number), sizeof number);
  const std::vector<std::string> shown = CsvTexts(column);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    CellScratch scratch;
    ASSERT_EQ(CellText(column.values[i], column.type, scratch), shown[i]) << format << " " << i;
  }
}

TEST(CellTextTest, EveryDayOfTheCalendarIsTheSameText) {
  std::vector<std::int32_t> days;
  for (std::int32_t day = -719'528; day <= 2'932'896; day += 131) days.push_back(day);
  ExpectSameTexts("tdD", days);
  std::vector<std::int64_t> milliseconds;
  for (std::int64_t day = -200'000; day < 200'000; day += 97) milliseconds.push_back(day * 86'400'000);
  ExpectSameTexts("tdm", milliseconds);
}

TEST(CellTextTest, PointsInTimeAreTheSameText) {
  const std::vector<std::int64_t> seconds = {0, -1, 1, 86'399, 86'400, -86'400, 1'795'000'000, -3'000'000'001};
  for (const char* format : {"tss:", "tsm:", "tsu:", "tsn:", "tss:UTC", "tsm:Europe/Vienna"})
    ExpectSameTexts(format, seconds);
}

TEST(CellTextTest, DecimalsAreTheSameText) {
  __extension__ using Int128 = __int128;
  std::vector<Int128> numbers = {0, 1, -1, 10, 99, -100, 123'456'789, -5'000'000'000};
  for (const char* format : {"d:38,0", "d:38,1", "d:38,2", "d:38,5"}) ExpectSameTexts(format, numbers);
}

}  // namespace
}  // namespace pentimento::cell_text_test
