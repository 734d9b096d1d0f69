#include "engine/query/label_meanings.h"

#include <gtest/gtest.h>

#include "engine/query/query.h"

namespace pentimento::label_meanings_test {
namespace {

using Shares = std::vector<double>;

const Day kFirst = ParseDay("2023-01-01").value(), kLast = ParseDay("2024-12-31").value();

std::shared_ptr<const Taxonomy> Jobs() {
  return std::make_shared<const Taxonomy>(
      *Taxonomy::Parse("clerk;office;*\nmanager;office;*\nwelder;works;*\n", "jobs"));
}

std::vector<QueryColumn> Columns() {
  const auto years = std::make_shared<const Taxonomy>(*Taxonomy::Parse("1950;50s;*\n1951;50s;*\n1960;60s;*\n", "y"));
  return {{{.name = "job", .taxonomy = Jobs()}, 0},
          {{.name = "age", .range = std::pair(Decimal{0, 0}, Decimal{99, 0})}, 0},
          {{.name = "illness"}, 0},
          {{.name = "year", .taxonomy = years}, 0},
          {{.name = "born",
            .taxonomy = std::make_shared<const Taxonomy>(MakeCalendarTaxonomy({kFirst, kLast})),
            .date_form = DateForm::Parse("%d/%m/%Y").value()},
           0}};
}

// What each label of the first column that the query asks for meets.
Result<std::vector<CellMatch>> MatchesOf(const std::string& text, CellStyle style, std::vector<std::string> labels) {
  const Query query = *ParseQuery(text, "");
  const std::vector<QueryColumn> columns = Columns();
  PENTIMENTO_ASSIGN(const BoundQuery bound, BindQuery(query, columns));
  const std::vector<std::string> missing = {"", "?"};
  const ColumnCondition& condition = bound.conditions.front();
  PENTIMENTO_ASSIGN(const LabelMeanings meanings,
                    LabelMeanings::Read(columns[condition.column], style, std::move(labels), missing, "t.csv"));
  return meanings.Match(bound, condition);
}

Result<Shares> SharesOf(const std::string& text, CellStyle style, std::vector<std::string> labels) {
  PENTIMENTO_ASSIGN(const std::vector<CellMatch> matches, MatchesOf(text, style, std::move(labels)));
  Shares shares;
  for (const CellMatch& match : matches) shares.push_back(match.share);
  return shares;
}

Shares Collected(const std::string& text, std::vector<std::string> labels) {
  return *SharesOf(text, CellStyle::kAsCollected, std::move(labels));
}
Shares Boxes(const std::string& text, std::vector<std::string> labels) {
  return *SharesOf(text, CellStyle::kGeneralized, std::move(labels));
}

TEST(LabelMeanings, ALabelOfTheTaxonomyMeansTheLeavesBelow) {
  const std::vector<std::string> cells = {"clerk", "manager", "welder", "?", ""};
  EXPECT_EQ(Collected("count where job = office", cells), (Shares{1, 1, 0, 0, 0}));
  EXPECT_EQ(Collected("count where job in (welder, clerk)", cells), (Shares{1, 0, 1, 0, 0}));
  EXPECT_EQ(Collected("count where job = '*'", cells), (Shares{1, 1, 1, 0, 0}));
}

TEST(LabelMeanings, AMissingValueMeetsNothingButTheEmptyText) {
  const std::vector<std::string> cells = {"clerk", "welder", "?", ""};
  EXPECT_EQ(Collected("count where job != clerk", cells), (Shares{0, 1, 0, 0}));
  EXPECT_EQ(Collected("count where job = ''", cells), (Shares{0, 0, 1, 1}));
  EXPECT_EQ(Collected("count where job != ''", cells), (Shares{1, 1, 0, 0}));
  EXPECT_EQ(Collected("count where job in (clerk, '')", cells), (Shares{1, 0, 1, 1}));
  EXPECT_EQ(Collected("count where age < 50", {"", "30"}), (Shares{0, 1}));
}

TEST(LabelMeanings, TheSameColumnTwiceIsAConjunction) {
  EXPECT_EQ(Collected("count where age >= 30 and age < 40 and age != 35", {"29", "30", "35", "39.5", "40"}),
            (Shares{0, 1, 0, 1, 0}));
  EXPECT_EQ(Collected("count where illness != flu and illness != fever", {"flu", "fever", "HIV", ""}),
            (Shares{0, 0, 1, 0}));
}

TEST(LabelMeanings, EndsOfIntervalsAreIncludedAsTheirBracketsSay) {
  const std::vector<std::string> ages = {"30", "30.5", "40"};
  EXPECT_EQ(Collected("count where age in [30,40)", ages), (Shares{1, 1, 0}));
  EXPECT_EQ(Collected("count where age in [30,40]", ages), (Shares{1, 1, 1}));
  EXPECT_EQ(Collected("count where age in (30,40]", ages), (Shares{0, 1, 1}));
  EXPECT_EQ(Collected("count where age <= 30", ages), (Shares{1, 0, 0}));
  EXPECT_EQ(Collected("count where age < 30", ages), (Shares{0, 0, 0}));
  EXPECT_EQ(Collected("count where age > 30.5", ages), (Shares{0, 0, 1}));
  EXPECT_EQ(Collected("count where age = 30.0", ages), (Shares{1, 0, 0}));
}

TEST(LabelMeanings, ABoxMeetsThePartOfItsValuesThatThePredicateLeaves) {
  EXPECT_EQ(Boxes("count where age in [30,40)", {"[20,40)", "[35,45)", "30", "[40,50)", "[0,99]"}),
            (Shares{0.5, 0.5, 1, 0, 0.1}));
  EXPECT_EQ(Boxes("count where age in (20, 22, 50)", {"[20,24)"}), (Shares{0.5}));
  EXPECT_EQ(Boxes("count where age >= 30 and age < 35", {"[20,40)"}), (Shares{0.25}));
  EXPECT_EQ(Boxes("count where job = clerk", {"office", "clerk", "works", "{manager|welder}", ""}),
            (Shares{0.5, 1, 0, 0, 0}));
}

TEST(LabelMeanings, TheRootStandsForAllValues) {
  EXPECT_DOUBLE_EQ(Boxes("count where job = office", {"*"})[0], 2.0 / 3);
  EXPECT_EQ(Boxes("count where job = '*'", {"*", "office"}), (Shares{1, 1}));
  EXPECT_EQ(Boxes("count where job = ''", {"*", "clerk"}), (Shares{0, 0}));
  EXPECT_DOUBLE_EQ(Boxes("count where age < 50", {"*", "[0,99]"})[0], 0.5);
}

TEST(LabelMeanings, TheRootAlsoStandsForAMissingValueWhereTheColumnShowsOne) {
  EXPECT_EQ(Boxes("count where job = office", {"*", ""}),
            (Shares{0.5, 0}));  // two of three leaves and the missing value
  EXPECT_EQ(Boxes("count where job = ''", {"*", ""}), (Shares{0.25, 1}));
  EXPECT_DOUBLE_EQ(Boxes("count where age < 50", {"*", ""})[0], 50.0 / 101);
}

TEST(LabelMeanings, WhoeverReadsTheRootCannotRuleOutAMissingValue) {
  const auto root = [](const std::string& text) { return (*MatchesOf(text, CellStyle::kGeneralized, {"*"}))[0]; };
  EXPECT_EQ(root("count where job = '*'"), (CellMatch{1, true, false}));
  EXPECT_EQ(root("count where job in ('*', '')"), (CellMatch{1, true, true}));
  EXPECT_EQ(root("count where job = ''"), (CellMatch{0, true, false}));
  const auto office = [](const std::string& text) {
    return (*MatchesOf(text, CellStyle::kGeneralized, {"office"}))[0];
  };
  EXPECT_EQ(office("count where job = '*'"), (CellMatch{1, true, true}));
  EXPECT_EQ(office("count where job = ''"), (CellMatch{0, false, false}));
}

TEST(LabelMeanings, ABoxOfDecimalsIsCountedInItsOwnUnit) {
  EXPECT_DOUBLE_EQ(Boxes("count where age < 1.5", {"[1,2.5)", "0.5"})[0], 5.0 / 15);
}

TEST(LabelMeanings, AColumnAsItCameHasAnOrderWhereAllOfItIsNumbers) {
  EXPECT_EQ(Collected("count where illness > 5", {"5", "5.5", "", "10"}), (Shares{0, 1, 0, 1}));
  EXPECT_EQ(Collected("count where illness = 5", {"5", "5.0", "05", "x"}), (Shares{1, 1, 1, 0}));
  const Result<Shares> shares = SharesOf("count where illness > 5", CellStyle::kAsCollected, {"5", "secret"});
  ASSERT_FALSE(shares.ok());
  EXPECT_EQ(shares.error().code, ErrorCode::kUsage);
  EXPECT_TRUE(shares.error().message.ends_with("\n  count where illness > 5\n                        ^"));
  EXPECT_EQ(shares.error().message.find("secret"), std::string::npos);
}

TEST(LabelMeanings, LeavesThatAreNumbersHaveAnOrder) {
  EXPECT_EQ(Collected("count where year < 1955", {"1950", "1951", "1960"}), (Shares{1, 1, 0}));
  EXPECT_EQ(Boxes("count where year > 1950", {"50s", "60s"}), (Shares{0.5, 1}));
}

TEST(LabelMeanings, ACellThatTheTaxonomyDoesNotKnowIsNamedByItsColumnAlone) {
  for (const auto& [query, cell] : {std::pair("count where job = clerk", "spy"), {"count where age = 1", "x1"}}) {
    for (const CellStyle style : {CellStyle::kAsCollected, CellStyle::kGeneralized}) {
      const Result<Shares> shares = SharesOf(query, style, {cell});
      ASSERT_FALSE(shares.ok());
      EXPECT_EQ(shares.error().code, ErrorCode::kBadInput);
      EXPECT_EQ(shares.error().message.find(cell), std::string::npos);
    }
  }
}

// `marked` has a '^' before the place that the message must mark.
void ExpectMistake(const std::string& marked, const std::string& message) {
  const std::size_t position = marked.find('^');
  std::string text = marked;
  text.erase(position, 1);
  const Query query = *ParseQuery(text, "");
  const std::vector<QueryColumn> columns = Columns();
  const Result<BoundQuery> bound = BindQuery(query, columns);
  ASSERT_FALSE(bound.ok()) << text;
  EXPECT_EQ(bound.error().code, ErrorCode::kUsage);
  EXPECT_NE(bound.error().message.find(message), std::string::npos) << bound.error().message;
  EXPECT_TRUE(bound.error().message.ends_with("\n  " + std::string(position, ' ') + "^")) << bound.error().message;
}

TEST(BindQuery, EveryMistakeIsShownInItsPlace) {
  ExpectMistake("count where ^ages = 1", "Did you mean 'age'?");
  ExpectMistake("count where job = clerk and ^wage < 3", "no column 'wage'");
  ExpectMistake("count where job = ^clark", "Did you mean 'clerk'?");
  ExpectMistake("count where job in (office, ^offices)", "Did you mean 'office'?");
  ExpectMistake("count where job in ^[1,2)", "has no order");
  ExpectMistake("count where job < ^2", "has no order");
  ExpectMistake("count where age = ^old", "holds numbers");
  ExpectMistake("count where age in (30, ^'31,5')", "holds numbers");
}

TEST(IntervalSet, ComplementAndIntersectionAreThoseOfSets) {
  const IntervalSet set({{5, 6}, {1, 2}, {3, 3}, {9, 8}});
  EXPECT_EQ(set.spans(), (std::vector<IntervalSet::Span>{{1, 3}, {5, 6}}));
  EXPECT_EQ(set.Complement().Intersect(IntervalSet({{-1, 8}})).spans(),
            (std::vector<IntervalSet::Span>{{-1, 0}, {4, 4}, {7, 8}}));
  EXPECT_EQ(set.Complement().Complement().spans(), set.spans());
  EXPECT_TRUE(IntervalSet::All().Complement().spans().empty());
}

TEST(IntervalSet, OnlyMultiplesOfTheUnitAreCounted) {
  const IntervalSet set({{-25, -5}, {10, 30}});
  EXPECT_EQ(static_cast<int>(set.CountIn({-100, 100}, 10)), 5);  // -20, -10, 10, 20, 30
  EXPECT_EQ(static_cast<int>(set.CountIn({-10, 10}, 10)), 2);
  EXPECT_EQ(static_cast<int>(set.CountIn({0, 9}, 1)), 0);
}

TEST(LabelMeanings, OfDatesAreSharesOfDays) {
  const std::vector<std::string> labels = {"2024-02", "2024-02-29", "2024", "2023..2024", "2024-01..2024-02", "*", ""};
  const auto shares = [&](const std::string& predicate) {
    return SharesOf("count where born " + predicate, CellStyle::kGeneralized, labels).value();
  };
  EXPECT_EQ(shares("= 2024-02"), (Shares{1, 1, 29.0 / 366, 29.0 / 731, 29.0 / 60, 29.0 / 732, 0}));
  EXPECT_EQ(shares("in [2024-02-01,2024-03-01)"), shares("= 2024-02"));
  EXPECT_EQ(shares("in (2024-01-31,2024-02-29]"), shares("= 2024-02"));
  EXPECT_EQ(shares(">= 2024-01-01"), shares("= 2024"));
  EXPECT_EQ(shares("< 2024-01-01"), shares("= 2023"));
  EXPECT_EQ(shares("in (2024-01, 2024-02)"), shares("= 2024-01..2024-02"));
}

TEST(LabelMeanings, OfDatesAsCollectedHaveTheFormOfTheTable) {
  const std::vector<std::string> labels = {"29/02/2024", "2024-02-29", "01/03/2024 10:00", "?"};
  EXPECT_EQ(SharesOf("count where born = 2024-02-29", CellStyle::kAsCollected, labels).value(), (Shares{1, 1, 0, 0}));
  EXPECT_FALSE(SharesOf("count where born = 2024", CellStyle::kAsCollected, {"30/02/2024"}).ok());
}

TEST(LabelMeanings, DatesAndNumbersAreNotCompared) {
  for (const char* predicate : {"born > 2024", "born in [2023,2024]", "age > 2024-01-01", "year > 1950-01-01",
                                "illness > 2024-01-01", "born = 2025", "born = 2024-13", "born in [2024-01-01,7]"}) {
    const Result<Query> query = ParseQuery(std::string("count where ") + predicate, "");
    const bool is_read = query.ok() && SharesOf(query->text, CellStyle::kGeneralized, {}).ok();
    EXPECT_FALSE(is_read) << predicate;
  }
}

}  // namespace
}  // namespace pentimento::label_meanings_test
