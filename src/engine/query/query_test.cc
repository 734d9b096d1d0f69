#include "engine/query/query.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace pentimento::query_test {
namespace {

std::vector<Predicate> PredicatesOf(const std::string& text) {
  Result<Query> query = ParseQuery(text, "");
  EXPECT_TRUE(query.ok()) << text << ": " << query.error().message;
  return query.ok() ? query->predicates : std::vector<Predicate>();
}

std::vector<std::string> Texts(const std::vector<QueryWord>& words) {
  std::vector<std::string> texts;
  for (const QueryWord& word : words) texts.push_back(word.text);
  return texts;
}

// `marked` is the query with a '^' before the place that the message must mark.
void ExpectMistake(const std::string& marked, const std::string& message) {
  const std::size_t position = marked.find('^');
  std::string text = marked;
  text.erase(position, 1);
  const Result<Query> query = ParseQuery(text, "");
  ASSERT_FALSE(query.ok()) << text;
  EXPECT_EQ(query.error().code, ErrorCode::kUsage);
  EXPECT_NE(query.error().message.find(message), std::string::npos) << query.error().message;
  EXPECT_TRUE(query.error().message.ends_with("\n  " + text + "\n  " + std::string(position, ' ') + "^"))
      << query.error().message;
}

TEST(ParseQuery, CountAloneHasNoPredicate) {
  EXPECT_TRUE(PredicatesOf("count").empty());
  EXPECT_TRUE(PredicatesOf("  COUNT ").empty());
}

TEST(ParseQuery, ReadsEveryKindOfPredicate) {
  const auto predicates = PredicatesOf(
      "Count WHERE age in [30,40) And sex = Female AND disease In (flu, fever) and job != 'night watch' and w >= -1.5");
  ASSERT_EQ(predicates.size(), 5U);
  EXPECT_EQ(predicates[0].column.text, "age");
  EXPECT_EQ(predicates[0].kind, Predicate::Kind::kInterval);
  EXPECT_EQ(predicates[0].lo->number.units, 30);
  EXPECT_TRUE(predicates[0].lo->included);
  EXPECT_EQ(predicates[0].hi->number.units, 40);
  EXPECT_FALSE(predicates[0].hi->included);
  EXPECT_EQ(predicates[1].kind, Predicate::Kind::kOneOf);
  EXPECT_EQ(Texts(predicates[1].values), (std::vector<std::string>{"Female"}));
  EXPECT_EQ(Texts(predicates[2].values), (std::vector<std::string>{"flu", "fever"}));
  EXPECT_EQ(predicates[3].kind, Predicate::Kind::kNot);
  EXPECT_EQ(Texts(predicates[3].values), (std::vector<std::string>{"night watch"}));
  EXPECT_EQ(predicates[4].lo->number.units, -15);
  EXPECT_EQ(predicates[4].lo->number.scale, 1);
  EXPECT_FALSE(predicates[4].hi.has_value());
}

TEST(ParseQuery, BracketsSayWhetherAnEndIsIncluded) {
  const auto predicates = PredicatesOf("count where a in [1,2] and b in (1,2] and c < 3 and d <= 3 and e > 3");
  ASSERT_EQ(predicates.size(), 5U);
  EXPECT_TRUE(predicates[0].lo->included && predicates[0].hi->included);
  EXPECT_TRUE(!predicates[1].lo->included && predicates[1].hi->included);
  EXPECT_FALSE(predicates[2].hi->included);
  EXPECT_TRUE(predicates[3].hi->included);
  EXPECT_FALSE(predicates[4].lo->included);
}

TEST(ParseQuery, RoundBracketsAreAListAsInSql) {
  const auto predicates = PredicatesOf("count where age in (30, 40)");
  EXPECT_EQ(predicates[0].kind, Predicate::Kind::kOneOf);
  EXPECT_EQ(Texts(predicates[0].values), (std::vector<std::string>{"30", "40"}));
}

TEST(ParseQuery, QuotesHoldAnythingAndTheirOwnKindDoubled) {
  const auto predicates = PredicatesOf(R"q(count where "in (x)" = 'it''s [1,2)' and 'and'="a ""b""" and c = O'Brien)q");
  ASSERT_EQ(predicates.size(), 3U);
  EXPECT_EQ(predicates[0].column.text, "in (x)");
  EXPECT_EQ(predicates[0].values[0].text, "it's [1,2)");
  EXPECT_EQ(predicates[1].column.text, "and");
  EXPECT_EQ(predicates[1].values[0].text, "a \"b\"");
  EXPECT_EQ(predicates[2].values[0].text, "O'Brien");
}

TEST(ParseQuery, WhatIsWrittenIsReadAgain) {
  for (const std::string text :
       {"count", "count where a = b", "count where a != \"b c\"", "count where \"in\" in (x, \"y,z\", \"\"\"q\")",
        "count where a in [1,2) and b in (1.5,2] and c < 3 and d >= -4 and e = \"\""}) {
    EXPECT_EQ(WriteQuery(PredicatesOf(text)), text);
  }
}

TEST(ParseQuery, EveryMistakeIsShownInItsPlace) {
  ExpectMistake("^", "begins with 'count'");
  ExpectMistake("^sum where a = 1", "begins with 'count'");
  ExpectMistake("^'count'", "begins with 'count'");
  ExpectMistake("count ^a = 1", "expected 'where'");
  ExpectMistake("count where^", "expected the name of a column");
  ExpectMistake("count where ^and a = 1", "expected the name of a column");
  ExpectMistake("count where ^= 1", "expected the name of a column");
  ExpectMistake("count where a^", "expected =, !=");
  ExpectMistake("count where a ^like b", "expected =, !=");
  ExpectMistake("count where a =^", "expected a value");
  ExpectMistake("count where a = ^= 1", "expected a value");
  ExpectMistake("count where a ^<> 1", "written '!='");
  ExpectMistake("count where a ^! 1", "'!' stands only");
  ExpectMistake("count where a < ^(", "expected a number");
  ExpectMistake("count where a < ^x", "expected a number");
  ExpectMistake("count where a in ^x", "expected a list");
  ExpectMistake("count where a in (^)", "expected a value");
  ExpectMistake("count where a in (x,^)", "expected a value");
  ExpectMistake("count where a in (x ^y)", "a value with blanks is written in quotes");
  ExpectMistake("count where a in (x^", "expected ',' or ')'");
  ExpectMistake("count where a in (1, 2, 3^]", "expected ',' or ')'");
  ExpectMistake("count where a in [^)", "expected a number");
  ExpectMistake("count where a in [1 ^2)", "expected ',' between");
  ExpectMistake("count where a in [1,^", "expected a number");
  ExpectMistake("count where a in [1,2^", "expected ')' or ']'");
  ExpectMistake("count where a in [1,2 ^and b = 1", "expected ')' or ']'");
  ExpectMistake("count where a in [^x,2)", "expected a number");
  ExpectMistake("count where a in (1,^x]", "expected a number");
  ExpectMistake("count where a in ^[2,1)", "ends before it begins");
  ExpectMistake("count where a = ^'b", "not closed");
  ExpectMistake("count where a = b ^c", "blanks is written in quotes");
  ExpectMistake("count where a = b ^or a = c", "'or' is not known");
  ExpectMistake("count where a = b ^)", "expected 'and'");
  ExpectMistake("count where a = b and^", "expected the name of a column");
}

TEST(ParseQuery, OfALongQueryWhatIsAroundTheMistakeIsShown) {
  std::string list;
  for (int i = 0; i < 100; ++i) list += "n\xC3\xA9" + std::to_string(100 + i) + ", ";
  const Result<Query> query = ParseQuery("count where a in (" + list + "x) und b in (" + list + "y)", "");
  ASSERT_FALSE(query.ok());
  std::istringstream lines(query.error().message);
  std::string message, shown, mark;
  std::getline(lines, message) && std::getline(lines, shown) && std::getline(lines, mark);
  EXPECT_TRUE(shown.starts_with("  ... ") && shown.ends_with(" ...") && shown.size() < 160) << shown;
  const std::string before = shown.substr(0, shown.find("und b in ("));
  const auto two_bytes = std::ranges::count(before, '\xC3');
  EXPECT_EQ(two_bytes, std::ranges::count(before, '\xA9'));
  EXPECT_EQ(mark, std::string(before.size() - static_cast<std::size_t>(two_bytes), ' ') + "^");
}

TEST(ParseQuery, TheMarkStandsRightBehindLettersOfSeveralBytesAndTabs) {
  const Result<Query> query = ParseQuery(
      "count\twhere n\xC3\xA9"
      "e ~ 1",
      "q.txt:4");
  ASSERT_FALSE(query.ok());
  EXPECT_TRUE(query.error().message.starts_with("q.txt:4: expected ="));
  EXPECT_TRUE(
      query.error().message.ends_with("\n  count where n\xC3\xA9"
                                      "e ~ 1\n  " +
                                      std::string(16, ' ') + "^"));
}

}  // namespace
}  // namespace pentimento::query_test
