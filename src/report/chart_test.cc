#include "report/chart.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pentimento {
namespace chart_test {

std::size_t Count(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

ChartWords Words() {
  return {"id", "a <title>", "a summary", "x & x", "y", {"t", "caption", {"h"}, {{NameCell("n")}}}};
}

TEST(Chart, AxesEndAtRoundNumbers) {
  EXPECT_EQ(AxisTicks(10), (std::vector<double>{0, 2.5, 5, 7.5, 10}));
  EXPECT_EQ(AxisTicks(7), (std::vector<double>{0, 2, 4, 6, 8}));
  EXPECT_EQ(AxisTicks(0), (std::vector<double>{0, 1}));
  EXPECT_EQ(AxisTicks(std::nan("")), (std::vector<double>{0, 1}));
  EXPECT_GE(AxisTicks(123456789).back(), 123456789);
}

TEST(Chart, ALabelIsTextWhereverItStands) {
  const ChartWords words = Words();
  const std::string harm = "<script>x</script>";
  for (const std::string& svg :
       {DrawColumns(words, {.columns = {{harm, 1, Paint::kFirst}}, .line_before = 0, .line_label = harm}),
        DrawBars(words,
                 {.bars = {{harm, harm, {1}}}, .parts = {{harm, Paint::kFirst}, {harm, Paint::kSecond}}, .full = 1}),
        DrawDots(words, {.rows = {{harm, {1}}}, .kinds = {{harm, Paint::kFirst}, {"b", Paint::kSecond}}, .full = 1}),
        DrawSteps(words, {.lines = {{harm, {0.1}, Paint::kFirst}, {"b", {0.2}, Paint::kSecond}},
                         .limit = 0.5,
                         .limit_label = harm,
                         .steps = 1})}) {
    EXPECT_EQ(svg.find("<script"), std::string::npos);
    EXPECT_NE(svg.find("&lt;script&gt;"), std::string::npos);
    EXPECT_NE(svg.find("a &lt;title&gt;"), std::string::npos);
    EXPECT_NE(svg.find("<table id=\"t\">"), std::string::npos);
  }
}

TEST(Chart, TheLimitStandsBeforeItsColumn) {
  const ColumnChart chart{
      .columns = {{"1", 3, Paint::kTooSmall}, {"2", 1, Paint::kFirst}}, .line_before = 1, .line_label = "k = 2"};
  const std::string svg = DrawColumns(Words(), chart);
  EXPECT_NE(svg.find("<line class=\"limit\" x1=\"50.00%\""), std::string::npos);
  EXPECT_EQ(Count(svg, "<rect class=\"bad\""), 1U);
}

TEST(Chart, PartsOfABarFollowEachOther) {
  const BarChart chart{.bars = {{"a", "3", {1, 0, 2}}},
                       .parts = {{"x", Paint::kFirst}, {"y", Paint::kSecond}, {"z", Paint::kThird}},
                       .full = 4};
  const std::string svg = DrawBars(Words(), chart);
  EXPECT_NE(svg.find("class=\"c1 part\" x=\"0.00%\" width=\"25.00%\""), std::string::npos);
  EXPECT_NE(svg.find("class=\"c3 part\" x=\"25.00%\" width=\"50.00%\""), std::string::npos);
  EXPECT_EQ(svg.find("class=\"c2 part\""), std::string::npos);
}

TEST(Chart, ADotThatIsNotKnownIsNotDrawn) {
  const DotChart chart{.rows = {{"a", {1, std::nullopt}}, {"b", {0, 2}}},
                       .kinds = {{"x", Paint::kFirst}, {"y", Paint::kSecond}},
                       .full = 2};
  EXPECT_EQ(Count(DrawDots(Words(), chart), " dot\""), 3U);
}

TEST(Chart, NothingIsDividedByNothing) {
  for (const std::string& svg : {DrawColumns(Words(), {.columns = {{"a", 0, Paint::kFirst}}, .line_label = ""}),
                                 DrawBars(Words(), {.bars = {{"a", "0", {0}}}, .parts = {{"x", Paint::kFirst}}}),
                                 DrawDots(Words(), {.rows = {{"a", {0}}}, .kinds = {{"x", Paint::kFirst}}})}) {
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.find("inf"), std::string::npos);
  }
}

}  // namespace chart_test
}  // namespace pentimento
