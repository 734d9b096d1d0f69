#include "engine/query/answer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "engine/query/query.h"
#include "fmt/core.h"

namespace pentimento::answer_test {
namespace {

namespace fs = std::filesystem;
using Row = std::vector<std::string>;

std::vector<Query> Ask(const std::vector<std::string>& texts) {
  std::vector<Query> queries;
  for (const std::string& text : texts) queries.push_back(*ParseQuery(text, ""));
  return queries;
}

// A folder with a release that was written by hand.
class AnswerTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / fmt::format("answer_test_{}_{}", getpid(), count_++);
    fs::create_directories(folder_ / "taxonomies");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void Write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  void WriteTable(const std::string& name, const std::vector<Row>& rows) const {
    std::string text;
    for (const Row& row : rows) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        const bool quote = row[i].find(',') != std::string::npos;
        text += (i == 0 ? "" : ",") + (quote ? "\"" + row[i] + "\"" : row[i]);
      }
      text += "\n";
    }
    Write(name, text);
  }

  static std::string Field(const std::string& name, const std::string& role, const std::string& more = "") {
    return fmt::format(R"({{"name": "{}", "type": "string", "pentimento:role": "{}"{}}})", name, role, more);
  }
  // `sensitive`: for each SS table its columns.
  void WritePackage(const std::string& form, const std::string& table, const std::string& fields,
                    const std::vector<std::vector<std::string>>& sensitive) const {
    std::string resources =
        fmt::format(R"({{"name": "{0}", "path": "{0}.csv", "schema": {{"fields": [{1}]}}}})", table, fields);
    for (const std::vector<std::string>& columns : sensitive) {
      std::string ss = Field("class_id", "class-id");
      for (const std::string& column : columns) ss += ", " + Field(column, "sensitive");
      const std::string name = sensitive.size() == 1 ? "ss" : "ss-" + columns.front();
      resources += fmt::format(R"(, {{"name": "{0}", "path": "{0}.csv", "schema": {{"fields": [{1}]}}}})", name,
                               ss + ", " + Field("count", "count"));
    }
    Write("datapackage.json", fmt::format(R"({{"resources": [{}], "pentimento": {{"release": "r", "form": "{}",
      "guarantees": [], "missing": ["", "?"]}}}})",
                                          resources, form));
  }

  // Tables 1, 5 and 6 of the paper.
  void WritePaper() const {
    Write("taxonomies/job.csv",
          "clerk;white-collar;*\nmanager;white-collar;*\nfactory worker;blue-collar;*\ntechnical "
          "supporter;blue-collar;*\n");
    WritePackage("two-tables", "nss",
                 Field("Job", "quasi-identifier", R"(, "pentimento:taxonomy": "taxonomies/job.csv")") + ", " +
                     Field("Birth", "quasi-identifier", R"(, "pentimento:domain": ["1900", "2000"])") + ", " +
                     Field("class_id", "class-id"),
                 {{"Illness"}});
    WriteTable("nss.csv", {{"Job", "Birth", "class_id"},
                           {"clerk", "1955", "2"},
                           {"technical supporter", "1940", "3"},
                           {"manager", "1955", "1"},
                           {"factory worker", "1955", "2"},
                           {"clerk", "1975", "1"},
                           {"factory worker", "1975", "3"}});
    WriteTable("ss.csv", {{"class_id", "Illness", "count"},
                          {"1", "HIV", "1"},
                          {"1", "flu", "1"},
                          {"2", "fever", "1"},
                          {"2", "flu", "1"},
                          {"3", "fever", "1"},
                          {"3", "flu", "1"}});
    WriteTable("original.csv", {{"Job", "Birth", "Illness"},
                                {"clerk", "1975", "HIV"},
                                {"manager", "1955", "flu"},
                                {"clerk", "1955", "flu"},
                                {"factory worker", "1955", "fever"},
                                {"factory worker", "1975", "flu"},
                                {"technical supporter", "1940", "fever"}});
  }

  fs::path folder_;

 private:
  static inline int count_ = 0;
};

TEST_F(AnswerTest, TheCountsOfThePaperComeOut) {
  WritePaper();
  const auto queries = Ask({"count where Job = clerk and Illness = HIV", "count where Job = clerk and Illness = flu",
                            "count where Birth = 1955 and Illness = flu"});
  const Answers answers = *AnswerQueries(folder_, queries, {folder_ / "original.csv"}, nullptr);
  const std::vector<std::array<double, 3>> expected = {{1, 0.5, 1}, {1, 1, 2}, {2, 1.5, 2}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(answers.answers[i].true_count, static_cast<std::uint64_t>(expected[i][0]));
    EXPECT_DOUBLE_EQ(answers.answers[i].count.estimate, expected[i][1]);
    EXPECT_DOUBLE_EQ(answers.answers[i].count.naive, expected[i][2]);
  }
  EXPECT_DOUBLE_EQ(answers.answers[0].count.variance, 0.25);  // one of two rows has one of two values
  EXPECT_DOUBLE_EQ(answers.answers[2].count.least, 1);        // both rows of class 2 were born in 1955
}

TEST_F(AnswerTest, WithoutASensitivePredicateTheCountIsExact) {
  WritePaper();
  const Answers answers = *AnswerQueries(
      folder_, Ask({"count", "count where Job = white-collar", "count where Illness = flu"}), {}, nullptr);
  EXPECT_EQ(answers.answers[0].count, KnownCount(6));
  EXPECT_EQ(answers.answers[1].count, KnownCount(3));
  EXPECT_EQ(answers.answers[2].count, KnownCount(3));
  EXPECT_EQ(answers.answers[0].true_count, std::nullopt);
}

TEST_F(AnswerTest, SeveralOriginalsAreOneTable) {
  WritePaper();
  const Answers answers = *AnswerQueries(folder_, Ask({"count", "count where Illness = flu"}),
                                         {folder_ / "original.csv", folder_ / "original.csv"}, nullptr);
  EXPECT_EQ(answers.answers[0].true_count, 12U);
  EXPECT_EQ(answers.answers[1].true_count, 6U);
}

TEST_F(AnswerTest, TablesThatDoNotFitTogetherAreRefused) {
  const std::vector<std::pair<Row, std::string>> tampered = {{{"3", "flu", "2"}, "do not add up"},
                                                             {{"4", "flu", "1"}, "not in the table"},
                                                             {{"3", "flu", "0"}, "whole number above 0"},
                                                             {{"3", "flu", "x"}, "whole number above 0"},
                                                             {{"3", "flu", "4000000000"}, "do not add up"}};
  for (const auto& [last, message] : tampered) {
    WritePaper();
    WriteTable("ss.csv", {{"class_id", "Illness", "count"},
                          {"1", "HIV", "1"},
                          {"1", "flu", "1"},
                          {"2", "fever", "1"},
                          {"2", "flu", "1"},
                          {"3", "fever", "1"},
                          last});
    const auto answers = AnswerQueries(folder_, Ask({"count where Illness = flu"}), {}, nullptr);
    ASSERT_FALSE(answers.ok());
    EXPECT_EQ(answers.error().code, ErrorCode::kBadInput);
    EXPECT_NE(answers.error().message.find(message), std::string::npos) << answers.error().message;
  }
}

TEST_F(AnswerTest, AValueThatNoRowHasIsNoted) {
  WritePaper();
  const Answers answers = *AnswerQueries(folder_, Ask({"count where Illness in (flu, Flu)"}), {}, nullptr);
  EXPECT_EQ(answers.notes, (std::vector<std::string>{"no row of the release has 'Flu' in column 'Illness'"}));
}

TEST_F(AnswerTest, RelativeErrorIsNotDefinedWhereNothingIsTrue) {
  EXPECT_EQ(RelativeError(3, std::nullopt), std::nullopt);
  EXPECT_EQ(RelativeError(3, 0), std::nullopt);
  EXPECT_DOUBLE_EQ(*RelativeError(3, 4), 0.25);
  EXPECT_DOUBLE_EQ(*RelativeError(6, 4), 0.5);
}

// One class of four; what goes together is known only where the tables are combined.
TEST_F(AnswerTest, SeveralSensitiveColumnsAreIndependentOrCombined) {
  const std::string fields = Field("sex", "class") + ", " + Field("class_id", "class-id");
  const std::vector<Row> nss = {{"sex", "class_id"}, {"f", "1"}, {"f", "1"}, {"m", "1"}, {"m", "1"}};
  const auto queries =
      Ask({"count where sex = f and illness = flu and drug = yes", "count where illness = flu and drug = yes"});
  WriteTable("nss.csv", nss);
  WritePackage("two-tables", "nss", fields, {{"illness"}, {"drug"}});
  WriteTable("ss-illness.csv", {{"class_id", "illness", "count"}, {"1", "flu", "2"}, {"1", "none", "2"}});
  WriteTable("ss-drug.csv", {{"class_id", "drug", "count"}, {"1", "no", "2"}, {"1", "yes", "2"}});
  const Answers apart = *AnswerQueries(folder_, queries, {}, nullptr);
  EXPECT_DOUBLE_EQ(apart.answers[0].count.estimate, 0.5);
  EXPECT_DOUBLE_EQ(apart.answers[1].count.estimate, 1);
  EXPECT_EQ(apart.answers[1].count.least, 0);
  EXPECT_EQ(apart.answers[1].count.most, 2);

  WritePackage("two-tables", "nss", fields, {{"illness", "drug"}});
  WriteTable("ss.csv", {{"class_id", "illness", "drug", "count"}, {"1", "flu", "yes", "2"}, {"1", "none", "no", "2"}});
  const Answers combined = *AnswerQueries(folder_, queries, {}, nullptr);
  EXPECT_DOUBLE_EQ(combined.answers[0].count.estimate, 1);
  EXPECT_EQ(combined.answers[1].count, KnownCount(2));
}

TEST_F(AnswerTest, AGeneralizedTableIsCountedByTheShareOfEachBox) {
  Write("taxonomies/job.csv", "clerk;office;*\nmanager;office;*\nwelder;works;*\n");
  WritePackage("generalized", "table",
               Field("job", "quasi-identifier", R"(, "pentimento:taxonomy": "taxonomies/job.csv")") + ", " +
                   Field("age", "quasi-identifier", R"(, "pentimento:domain": ["0", "99"])") + ", " +
                   Field("illness", "sensitive"),
               {});
  WriteTable("table.csv", {{"job", "age", "illness"},
                           {"office", "[20,40)", "flu"},
                           {"office", "[20,40)", "flu"},
                           {"office", "[20,40)", "fever"},
                           {"welder", "35", "flu"},
                           {"*", "[0,99]", "flu"}});
  const Answers answers = *AnswerQueries(
      folder_, Ask({"count where job = clerk and age in [30,40) and illness = flu", "count where illness = flu"}), {},
      nullptr);
  const CountEstimate& count = answers.answers[0].count;
  // Two rows of half the jobs and half the ages; one of a third and a tenth.
  EXPECT_DOUBLE_EQ(count.estimate, 2 * 0.25 + 1.0 / 30);
  EXPECT_DOUBLE_EQ(count.variance, 2 * 0.25 * 0.75 + 1.0 / 30 * 29 / 30);
  EXPECT_EQ(count.least, 0);
  EXPECT_EQ(count.most, 3);
  EXPECT_EQ(count.naive, 3);
  EXPECT_EQ(answers.answers[1].count, KnownCount(4));
}

// Random releases, asked in all ways that the grammar has, against a reader of the same files that knows no index.
TEST_F(AnswerTest, RandomReleasesAgreeWithARowByRowReader) {
  std::mt19937 random(11);
  const auto below = [&](unsigned bound) { return static_cast<unsigned>(random() % bound); };
  const std::vector<std::string> jobs = {"clerk", "manager", "welder"}, illnesses = {"flu", "fever", "HIV", "cold"};
  Write("taxonomies/job.csv", "clerk;office;*\nmanager;office;*\nwelder;works;*\n");
  WritePackage("two-tables", "nss",
               Field("job", "quasi-identifier", R"(, "pentimento:taxonomy": "taxonomies/job.csv")") + ", " +
                   Field("age", "quasi-identifier", R"(, "pentimento:domain": ["0", "99"])") + ", " +
                   Field("class_id", "class-id"),
               {{"illness"}});
  struct Person {
    std::string job;
    unsigned age;
    std::string illness;
    unsigned number;
  };
  for (int round = 0; round < 30; ++round) {
    std::vector<Person> people;
    const unsigned classes = 1 + below(6);
    for (unsigned i = 0; i < classes * 3; ++i)
      people.push_back({jobs[below(3)], below(8), illnesses[below(4)], i < classes ? i : below(classes)});
    std::vector<Row> nss = {{"job", "age", "class_id"}}, ss = {{"class_id", "illness", "count"}};
    std::map<std::pair<unsigned, std::string>, unsigned> counts;
    for (const Person& person : people) {
      nss.push_back({person.job, std::to_string(person.age), fmt::format("{}", person.number + 1)});
      ++counts[{person.number, person.illness}];
    }
    std::shuffle(nss.begin() + 1, nss.end(), random);
    for (const auto& [key, count] : counts)
      ss.push_back({fmt::format("{}", key.first + 1), key.second, std::to_string(count)});
    WriteTable("nss.csv", nss);
    WriteTable("ss.csv", ss);

    const unsigned lo = below(6), hi = lo + below(4);
    const std::string illness = illnesses[below(4)];
    const auto meets_quasi = [&](const Person& p) { return p.job != "welder" && p.age >= lo && p.age < hi; };
    double estimate = 0, naive = 0;
    for (unsigned number = 0; number < classes; ++number) {
      double n = 0, a = 0, b = 0;
      for (const Person& p : people) {
        if (p.number != number) continue;
        n += 1;
        a += meets_quasi(p) ? 1 : 0;
        b += p.illness != illness ? 1 : 0;
      }
      estimate += a * b / n;
      naive += a > 0 ? b : 0;
    }
    const auto query = fmt::format("count where job = office and age in [{},{}) and illness != {}", lo, hi, illness);
    const Answers answers = *AnswerQueries(folder_, Ask({query}), {}, nullptr);
    EXPECT_NEAR(answers.answers[0].count.estimate, estimate, 1e-9) << query;
    EXPECT_EQ(answers.answers[0].count.naive, naive) << query;
  }
}

}  // namespace
}  // namespace pentimento::answer_test
