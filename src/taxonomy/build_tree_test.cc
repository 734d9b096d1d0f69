#include "taxonomy/build_tree.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pentimento::build_tree_test {
namespace {

const std::vector<std::string> kLevels = {"city", "region", "country"};

TEST(BuildTree, RowsBecomeLinesAndMissingLevelsArePadded) {
  const std::vector<TreeRow> rows = {{{"Bonn", "NRW", "Germany"}, 1},
                                     {{"Köln", "NRW", "Germany"}, 2},
                                     {{"Bonn", "NRW", "Germany"}, 3},
                                     {{"Monaco", "", "Monaco"}, 4},
                                     {{"", "NRW", "Germany"}, 5}};
  EXPECT_EQ(*BuildTreeTaxonomy(rows, kLevels), "Bonn;NRW;Germany;*\nKöln;NRW;Germany;*\nMonaco;Monaco;Monaco;*\n");
}

TEST(BuildTree, AValueHasOnePlaceAndTheMessageNamesRowsAndNoValue) {
  const std::vector<TreeRow> rows = {{{"Springfield", "Ohio", "USA"}, 7}, {{"Springfield", "Iowa", "USA"}, 9}};
  const auto built = BuildTreeTaxonomy(rows, kLevels);
  ASSERT_FALSE(built.ok());
  EXPECT_EQ(built.error().code, ErrorCode::kBadInput);
  EXPECT_NE(built.error().message.find("rows 7 and 9"), std::string::npos);
  EXPECT_EQ(built.error().message.find("Springfield"), std::string::npos);
}

TEST(BuildTree, ALeafIsNoInnerValue) {
  EXPECT_FALSE(BuildTreeTaxonomy(std::vector<TreeRow>{{{"a", "b", ""}, 1}, {{"b", "c", ""}, 2}}, kLevels).ok());
  EXPECT_FALSE(BuildTreeTaxonomy(std::vector<TreeRow>{{{"a", "b", "a"}, 1}}, kLevels).ok());
  EXPECT_FALSE(BuildTreeTaxonomy(std::vector<TreeRow>{{{"*", "b", "c"}, 1}}, kLevels).ok());
  EXPECT_FALSE(BuildTreeTaxonomy(std::vector<TreeRow>{{{"", "b", "c"}, 1}}, kLevels).ok());
}

TEST(WithLeaves, NewValuesStandRightBelowTheRoot) {
  const auto before = Taxonomy::Parse("a;X;*\nb;X;*\n", "t");
  const auto after = WithLeaves(*before, std::vector<std::string>{"c"});
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(after->ToText(), "a;X;*\nb;X;*\nc;*\n");
  EXPECT_FALSE(WithLeaves(*before, std::vector<std::string>{"X"}).ok());
  EXPECT_FALSE(WithLeaves(*before, std::vector<std::string>{"*"}).ok());
}

TEST(AllCodesLike, HasEveryCodeOfTheForm) {
  EXPECT_EQ(*AllCodesLike(std::vector<std::string>{"7-a"}, 1000).value().begin(), "0-a");
  EXPECT_EQ(AllCodesLike(std::vector<std::string>{"7-a"}, 1000).value().size(), 260U);
  EXPECT_EQ(AllCodesLike(std::vector<std::string>{"12", "99"}, 100).value().size(), 100U);
  EXPECT_FALSE(AllCodesLike(std::vector<std::string>{"12", "99"}, 99).ok());
  EXPECT_FALSE(AllCodesLike(std::vector<std::string>{"1", "99"}, 1000).ok());
  EXPECT_FALSE(AllCodesLike(std::vector<std::string>{"é"}, 1000).ok());
}

TEST(BuildDates, DaysStandBelowTheStepsOfTheCalendar) {
  EXPECT_EQ(*BuildDateTaxonomy("2024-02-29", "2024-03-01", std::vector<std::string>{"month", "quarter", "year"}),
            "2024-02-29;2024-02;2024-Q1;2024;*\n2024-03-01;2024-03;2024-Q1;2024;*\n");
  EXPECT_EQ(*BuildDateTaxonomy("1999-12-31", "2000-01-01", std::vector<std::string>{"decade"}),
            "1999-12-31;1990s;*\n2000-01-01;2000s;*\n");
  EXPECT_FALSE(BuildDateTaxonomy("2023-02-29", "2024-01-01", std::vector<std::string>{"year"}).ok());
  EXPECT_FALSE(BuildDateTaxonomy("2024-01-02", "2024-01-01", std::vector<std::string>{"year"}).ok());
  EXPECT_FALSE(BuildDateTaxonomy("2024-01-01", "2024-01-02", std::vector<std::string>{"year", "month"}).ok());
  EXPECT_FALSE(BuildDateTaxonomy("2024-01-01", "2024-01-02", std::vector<std::string>{"week"}).ok());
}

}  // namespace
}  // namespace pentimento::build_tree_test
