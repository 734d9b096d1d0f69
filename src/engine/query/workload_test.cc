#include "engine/query/workload.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

namespace pentimento::workload_test {
namespace {

WorkloadColumn Column(const std::string& name, int values) {
  WorkloadColumn column{name, {}};
  for (int i = 0; i < values; ++i) column.values.push_back(name + std::to_string(i));
  return column;
}

// The first eight columns of the paper's table 8, and the ninth, Occupation.
const std::vector<WorkloadColumn> kAdult = {Column("age", 74),     Column("work", 7),  Column("education", 16),
                                            Column("marital", 7),  Column("race", 5),  Column("sex", 2),
                                            Column("country", 41), Column("salary", 2)};
const std::vector<WorkloadColumn> kOccupation = {Column("occupation", 14)};

TEST(MakeWorkload, PredicatesHaveAsManyValuesAsThePaperSays) {
  const std::map<std::string, std::size_t> values = {// ceil(|A| * 0.05^(1/5)), 0.05^(1/5) = 0.5493
                                                     {"age", 41},     {"work", 4},   {"education", 9},
                                                     {"marital", 4},  {"race", 3},   {"sex", 2},
                                                     {"country", 23}, {"salary", 2}, {"occupation", 8}};
  const std::vector<Query> queries = *MakeWorkload(kAdult, kOccupation, {1000, 4, 0.05, 1});
  ASSERT_EQ(queries.size(), 1000U);
  std::set<std::string> seen;
  for (const Query& query : queries) {
    ASSERT_EQ(query.predicates.size(), 5U);
    EXPECT_EQ(query.predicates.back().column.text, "occupation");
    std::set<std::string> columns;
    for (const Predicate& predicate : query.predicates) {
      columns.insert(predicate.column.text);
      EXPECT_EQ(predicate.values.size(), values.at(predicate.column.text));
      std::set<std::string> different;
      for (const QueryWord& value : predicate.values) different.insert(value.text);
      EXPECT_EQ(different.size(), predicate.values.size());
      seen.insert(different.begin(), different.end());
    }
    EXPECT_EQ(columns.size(), 5U);
  }
  EXPECT_EQ(seen.size(), 74U + 7 + 16 + 7 + 5 + 2 + 41 + 2 + 14);  // every value of every column is asked for
}

// In doubles 10 * 0.027^(1/3) is 3.0000000000000004.
TEST(MakeWorkload, ARootThatIsAWholeNumberIsNotRoundedUp) {
  const std::vector<WorkloadColumn> quasi = {Column("a", 10), Column("b", 10)}, sensitive = {Column("c", 10)};
  const std::vector<Query> queries = *MakeWorkload(quasi, sensitive, {1, 2, 0.027, 1});
  for (const Predicate& predicate : queries.front().predicates) EXPECT_EQ(predicate.values.size(), 3U);
}

TEST(MakeWorkload, TheSameSeedGivesTheSameQueriesAndAnotherOthers) {
  const auto text = [](std::uint64_t seed) {
    return MakeWorkload(kAdult, kOccupation, {3, 4, 0.05, seed})->at(2).text;
  };
  EXPECT_EQ(text(5), text(5));
  EXPECT_NE(text(5), text(6));
}

TEST(MakeWorkload, WithoutASensitiveColumnOnlyQuasiIdentifiersAreAsked) {
  const std::vector<Query> queries = *MakeWorkload(kAdult, {}, {5, 2, 0.25, 1});
  for (const Query& query : queries) EXPECT_EQ(query.predicates.size(), 2U);
  const std::vector<Query> ages = *MakeWorkload(std::span(kAdult).first(1), {}, {1, 1, 0.25, 1});
  EXPECT_EQ(ages[0].predicates[0].values.size(), 19U);  // ceil(74 / 4): the first root
}

TEST(MakeWorkload, APlanThatCannotBeIsRefused) {
  for (const WorkloadPlan& plan : {WorkloadPlan{1, 9, 0.05, 1}, {1, 4, 0, 1}, {1, 4, 1.5, 1}, {1, 4, NAN, 1}}) {
    const auto queries = MakeWorkload(kAdult, kOccupation, plan);
    ASSERT_FALSE(queries.ok());
    EXPECT_EQ(queries.error().code, ErrorCode::kUsage);
  }
  EXPECT_FALSE(MakeWorkload(kAdult, {}, {1, 0, 0.05, 1}).ok());
}

}  // namespace
}  // namespace pentimento::workload_test
