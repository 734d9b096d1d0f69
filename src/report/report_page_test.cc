#include "report/report_page.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace pentimento {
namespace report_page_test {

ReportedRelease Release(const std::string& name) {
  ReportedRelease release{.name = name, .state = "published", .engine = "pentimento", .rows = 40};
  release.promises = {"at least 5 people share every class"};
  ReportedTable table{.k = 5, .quasi_identifiers = {"age"}};
  table.metrics.rows = 40;
  table.metrics.classes = 4;
  table.metrics.smallest_class = table.metrics.largest_class = 10;
  table.metrics.ncp_percent_by_column = {12.5};
  table.class_sizes = {{10, 10, 4, 40}};
  table.columns = {{.name = "age", .is_numeric = true, .ncp_percent = 12.5, .labels = 2}};
  table.columns[0].bins = {{.label = "0 to 9", .after = 40}};
  release.table = std::move(table);
  return release;
}

TEST(ReportPage, ALedgerWithoutReleasesIsAPage) {
  const std::string page = ReportPage({});
  EXPECT_NE(page.find("There is nothing to tell."), std::string::npos);
  EXPECT_NE(page.find("Signature"), std::string::npos);
}

TEST(ReportPage, ThousandsOfReleasesStayWithinTheLimitAndSaySo) {
  ReportNumbers numbers;
  for (int i = 0; i < 5000; ++i) {
    numbers.releases.push_back(Release("release-" + std::to_string(i)));
    numbers.releases.back().files.assign(20, {"table.csv", 1, std::string(64, 'a')});
    if (i >= 4990)
      numbers.releases.back().record = ReportedRecord{.notes = std::vector<std::string>(50, std::string(5000, 'n'))};
    if (i >= 4990) numbers.releases.back().table->columns.assign(3000, numbers.releases.back().table->columns[0]);
  }
  const std::string page = ReportPage(numbers);
  EXPECT_LE(page.size(), kMostPageBytes);
  EXPECT_NE(page.find("Only the latest 12 of 5,000 releases are here"), std::string::npos);
  EXPECT_NE(page.find("Signature"), std::string::npos);
}

TEST(ReportPage, ASectionThatHasNoRoomIsNamed) {
  ReportNumbers numbers;
  for (const char letter : {'a', 'b', 'c', 'd', 'e'}) {
    numbers.releases.push_back(Release(std::string(1, letter)));
    numbers.releases.back().not_promised = std::string(100'000, letter);
  }
  const std::string page = ReportPage(numbers);
  EXPECT_LE(page.size(), kMostPageBytes);
  EXPECT_NE(page.find("There was no room for: what was not promised."), std::string::npos);
}

TEST(ReportPage, AReleaseWithoutATableSaysWhy) {
  ReportNumbers numbers;
  numbers.releases = {Release("one")};
  numbers.releases[0].table.reset();
  numbers.releases[0].why_no_table = "it is <gone>";
  const std::string page = ReportPage(numbers);
  EXPECT_NE(page.find("Its table is not drawn: <bdi>it is &lt;gone&gt;</bdi>"), std::string::npos);
  EXPECT_EQ(page.find("<gone>"), std::string::npos);
}

TEST(ReportPage, ThePublicEditionHasNoColumnsOfTheLedger) {
  ReportNumbers numbers{.edition = ReportEdition::kPublic};
  numbers.releases = {Release("one"), Release("two")};
  numbers.releases[1].composition = ReportedComposition{.with = {"one"}, .k = 5, .crowds = {3, 1, 1}};
  const std::string page = ReportPage(numbers);
  EXPECT_NE(page.find("Public edition"), std::string::npos);
  EXPECT_EQ(page.find("knowing who is in which"), std::string::npos);
  EXPECT_EQ(page.find("<th scope=\"col\">time</th>"), std::string::npos);
}

TEST(ReportJson, UnknownIsNull) {
  ReportNumbers numbers;
  numbers.releases = {Release("one"), Release("two")};
  numbers.releases[1].table.reset();
  numbers.releases[1].composition = ReportedComposition{.with = {"one"}, .k = 5};
  const auto json = nlohmann::json::parse(ReportJson(numbers));
  EXPECT_TRUE(json["releases"][0]["composition"].is_null());
  EXPECT_TRUE(json["releases"][0]["table"]["unique_before"].is_null());
  EXPECT_TRUE(json["releases"][1]["table"].is_null());
  EXPECT_TRUE(json["releases"][1]["composition"]["joint_classes"].is_null());
  EXPECT_EQ(json["releases"][0]["table"]["columns"][0]["values"][0]["label"], "0 to 9");
}

}  // namespace report_page_test
}  // namespace pentimento
