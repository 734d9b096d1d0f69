#include "engine/global/check_account.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace pentimento::check_account_test {
namespace {

using People = std::vector<IdentityHash>;
using Numbers = std::vector<std::uint32_t>;

AccountItem Item(const std::string& value) { return {"disease", {value}, false, false, 2}; }

// Two people in one group of which one has HIV, twice.
Account Charged(LogCost spent_by_each) {
  Account account;
  account.AddItems({Item("HIV"), Item("flu")});
  account.Join(People{{1, 0}, {2, 0}});
  account.Charge(Numbers{0, 1}, {0, 0, 0, 0}, {"q1", "", 2, {1}});
  account.Charge(Numbers{0, 1}, {spent_by_each, 0, spent_by_each, 0}, {"q2", "", 2, {1, 0}});
  return account;
}
PublishedExposure Published() { return {2, {1, 0}, {2 * SumOfCosts{CostOfExposure(1, 2)}, 0}}; }

TEST(CheckAccount, WhatIsSpentCoversWhatTheTablesTell) {
  const std::vector<PublishedExposure> tables(2, Published());
  EXPECT_TRUE(FindAccountProblems(Charged(2 * CostOfExposure(1, 2)), tables).empty());
  EXPECT_TRUE(FindAccountProblems(Charged(2 * CostOfExposure(1, 2) + 9), tables).empty()) << "more is no harm";
}

TEST(CheckAccount, AChargeThatIsMissingIsFound) {
  const std::vector<PublishedExposure> tables(2, Published());
  const auto problems = FindAccountProblems(Charged(CostOfExposure(1, 2)), tables);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(
      problems[0],
      "the account of the series '' does not fit its published tables: of 1 of its 2 values and sets less is spent "
      "than the tables tell. Do not publish in this series before it is known why");
}

TEST(CheckAccount, OtherRowsOrHoldersAreFound) {
  const Account account = Charged(2 * CostOfExposure(1, 2));
  std::vector<PublishedExposure> tables(2, Published());
  tables[1].holders = {1, 1};
  ASSERT_EQ(FindAccountProblems(account, tables).size(), 1U);
  EXPECT_NE(FindAccountProblems(account, tables)[0].find("the release 'q2' has other numbers of rows"),
            std::string::npos);
  tables[1] = Published();
  tables[0].rows = 3;
  EXPECT_EQ(FindAccountProblems(account, tables).size(), 2U) << "of the release, and of appearances";
}

// A release in two tables, with this as the count of the one class.
std::filesystem::path InTwoTables(const std::string& count) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "check_account_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "datapackage.json")
      << R"({"pentimento": {"release": "q1", "guarantees": [], "missing": [""], "form": "two-tables"}, "resources": [
            {"name": "nss", "path": "nss.csv", "schema": {"fields": []}},
            {"name": "ss", "path": "ss.csv", "schema": {"fields": [{"name": "class_id", "pentimento:role": "class_id"},
              {"name": "disease", "pentimento:role": "sensitive"}, {"name": "count", "pentimento:role": "count"}]}}]})";
  std::ofstream(folder / "ss.csv") << "class_id,disease,count\n1,HIV," << count << "\n1,flu,1\n";
  return folder;
}

TEST(CheckAccount, ACountIsReadAsStrictlyAsEverywhere) {
  AccountAbout about;
  about.items = {Item("HIV")};
  const Result<PublishedExposure> exposure = CountExposure(InTwoTables("3"), about);
  ASSERT_TRUE(exposure.ok()) << exposure.error().message;
  EXPECT_EQ(exposure->rows, 4U);
  for (const char* count : {"3abc", "0", "-1", " 3", "+3", "03", "3.0", "", "4294967296"}) {
    const Result<PublishedExposure> wrong = CountExposure(InTwoTables(count), about);
    ASSERT_FALSE(wrong.ok()) << count;
    EXPECT_EQ(wrong.error().code, ErrorCode::kBadInput);
  }
}

}  // namespace
}  // namespace pentimento::check_account_test
