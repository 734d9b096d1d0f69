#include "engine/init/suggest.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "fmt/core.h"

namespace pentimento::suggest_test {
namespace {

// A column whose cell in each row is what `cell` says.
ColumnSurvey ColumnOf(const std::string& name, const std::function<std::string(int)>& cell, int rows = 200) {
  static const std::vector<std::string> kMissing = {"?"};
  ColumnSurvey column{.name = name, .shape = TextShape(kMissing)};
  std::map<std::string, std::uint64_t> counts;
  for (int row = 0; row < rows; ++row)
    if (column.shape.Add(cell(row), 1)) ++counts[cell(row)];
  for (const auto& [text, count] : counts) {
    column.values.push_back({text, count});
    column.once += count == 1 ? 1 : 0;
  }
  column.distinct = counts.size();
  return column;
}

std::vector<Suggestion> SuggestFor(std::vector<ColumnSurvey> columns, const ColumnHints& hints = {}) {
  TableSurvey table;
  table.rows = 200;
  table.columns = std::move(columns);
  return SuggestRoles(table, hints);
}

TEST(Suggest, NothingIsEverSuggestedThatPublishesAColumnAsItIs) {
  for (const auto& cell : std::vector<std::function<std::string(int)>>{
           [](int i) { return fmt::format("{}", i % 7); }, [](int i) { return fmt::format("word {}", i); },
           [](int i) { return fmt::format("w{}", i % 3); }, [](int) { return std::string("?"); },
           [](int i) { return fmt::format("2020-01-{:02}", i % 28 + 1); }}) {
    const Suggestion made = SuggestFor({ColumnOf("a", cell)})[0];
    EXPECT_TRUE(made.role == SuggestedRole::kNone || made.role == SuggestedRole::kQuasiIdentifier);
  }
}

TEST(Suggest, OneColumnIsTheIdAndOtherNamesAreLeftOut) {
  const auto made = SuggestFor({ColumnOf("nr", [](int i) { return fmt::format("a{}", i); }),
                                ColumnOf("patient_id", [](int i) { return fmt::format("p{}", i); })});
  EXPECT_EQ(made[0].role, SuggestedRole::kNone);
  EXPECT_EQ(made[1].role, SuggestedRole::kId);
}

TEST(Suggest, APersonMayHaveSeveralRows) {
  const auto made = SuggestFor({ColumnOf("person", [](int i) { return fmt::format("p{}", i / 2); })});
  EXPECT_EQ(made[0].role, SuggestedRole::kId);
}

TEST(Suggest, ADomainDoesNotTellTheEndsOfTheTable) {
  EXPECT_EQ(RoundedOutwards(17, 90), (std::pair<std::int64_t, std::int64_t>(0, 100)));
  EXPECT_EQ(RoundedOutwards(0, 99999), (std::pair<std::int64_t, std::int64_t>(0, 100000)));
  EXPECT_EQ(RoundedOutwards(-3, 8), (std::pair<std::int64_t, std::int64_t>(-5, 10)));
  EXPECT_EQ(RoundedOutwards(1990, 2020), (std::pair<std::int64_t, std::int64_t>(1990, 2025)));
  for (std::int64_t lo = -60; lo < 60; ++lo)
    for (std::int64_t hi = lo + 1; hi < 70; ++hi) {
      const auto [from, to] = RoundedOutwards(lo, hi);
      EXPECT_LE(from, lo);
      EXPECT_GE(to, hi);
      EXPECT_LT(from, to);
    }
}

TEST(Suggest, FractionsAreWithinTheDomain) {
  const auto made = SuggestFor({ColumnOf("t", [](int i) { return fmt::format("-{}.{}", i % 7, i % 10); })});
  EXPECT_EQ(made[0].keys, ", domain = [-10, 1], decimals = 1");
}

TEST(Suggest, RemarksHoldNoCell) {
  const auto made = SuggestFor({ColumnOf("a", [](int i) { return fmt::format("SECRET{}", i % 9); }),
                                ColumnOf("b", [](int i) { return fmt::format("SECRET {}", i); })});
  for (const Suggestion& suggestion : made) {
    EXPECT_EQ(suggestion.keys.find("SECRET"), std::string::npos);
    for (const std::string& remark : suggestion.remarks) EXPECT_EQ(remark.find("SECRET"), std::string::npos) << remark;
  }
}

TEST(Suggest, WhatArxSaysOfAColumnCountsButItsInsensitiveOnesAreLeftOut) {
  const auto flu = [](int i) { return fmt::format("d{}", i % 3); };
  ColumnHints hints;
  hints["s"] = {.kind = ColumnHint::Kind::kSensitive, .taxonomy = {}, .from = "ARX", .fault = ""};
  hints["i"] = {.kind = ColumnHint::Kind::kInsensitive, .taxonomy = {}, .from = "ARX", .fault = ""};
  hints["n"] = {.kind = ColumnHint::Kind::kIdentifying, .taxonomy = {}, .from = "ARX", .fault = ""};
  const auto made = SuggestFor({ColumnOf("s", flu), ColumnOf("i", flu), ColumnOf("n", flu)}, hints);
  EXPECT_EQ(made[0].role, SuggestedRole::kSensitive);
  EXPECT_EQ(made[1].role, SuggestedRole::kNone);
  EXPECT_EQ(made[2].role, SuggestedRole::kNone);
}

TEST(Suggest, ACommaStandsBeforeDecimalsOnlyIfNoColumnHasAPoint) {
  const ColumnSurvey comma = ColumnOf("a", [](int i) { return fmt::format("{},5", i % 7); });
  const ColumnSurvey point = ColumnOf("b", [](int i) { return fmt::format("{}.5", i % 7); });
  TableSurvey table;
  table.columns = {comma};
  EXPECT_EQ(DecimalPointOf(table), ',');
  table.columns = {comma, point};
  EXPECT_EQ(DecimalPointOf(table), '.');
}

}  // namespace
}  // namespace pentimento::suggest_test
