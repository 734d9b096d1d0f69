#include "engine/steps/shown_columns.h"

#include <gtest/gtest.h>

namespace pentimento::shown_columns_test {
namespace {

using Columns = std::vector<std::pair<std::string, Role>>;

constexpr auto kQuasi = Role::kQuasiIdentifier, kSensitive = Role::kSensitive, kClass = Role::kClass,
               kKeep = Role::kKeep;

ShownColumns TwoTables(Columns columns) { return ColumnsShownBy(ManifestHead{"r", {}, true, std::move(columns)}); }
ShownColumns OneTable(Columns columns) { return ColumnsShownBy(ManifestHead{"r", {}, false, std::move(columns)}); }

std::string Column(const ShownColumns& one, const ShownColumns& other) {
  const auto clash = FindClash(one, other);
  const auto turned = FindClash(other, one);
  EXPECT_EQ(clash.has_value(), turned.has_value()) << "the order does not matter";
  return clash ? clash->column : "none";
}

const Columns kHospital = {{"age", kQuasi}, {"ward", kKeep}, {"kind", kClass}, {"illness", kSensitive}};

TEST(ShownColumnsTest, AColumnOfTheSensitiveTableIsShownInNoRoleOnceMore) {
  for (const Role role : {kQuasi, kSensitive, kClass, kKeep}) {
    EXPECT_EQ(Column(TwoTables(kHospital), OneTable({{"illness", role}})), "illness") << static_cast<int>(role);
    EXPECT_EQ(Column(TwoTables(kHospital), TwoTables({{"sex", kQuasi}, {"illness", role}})), "illness");
  }
}

TEST(ShownColumnsTest, ACellOfThePlainTableIsShownAsACellNeverAgain) {
  for (const char* name : {"age", "ward", "kind"}) {
    for (const Role role : {kSensitive, kClass, kKeep})
      EXPECT_EQ(Column(TwoTables(kHospital), OneTable({{"sex", kQuasi}, {name, role}})), name);
    EXPECT_EQ(Column(TwoTables(kHospital), TwoTables({{name, kQuasi}, {"income", kSensitive}})), name)
        << "of two tables quasi-identifiers are cells";
  }
}

TEST(ShownColumnsTest, GeneralizedQuasiIdentifiersAreNoCells) {
  for (const char* name : {"age", "ward", "kind"})
    EXPECT_EQ(Column(TwoTables(kHospital), OneTable({{name, kQuasi}, {"income", kSensitive}, {"note", kKeep}})),
              "none");
}

TEST(ShownColumnsTest, NothingInCommonIsAllowedAndSoAreTwoGeneralizedTables) {
  EXPECT_EQ(Column(TwoTables(kHospital), TwoTables({{"sex", kQuasi}, {"income", kSensitive}})), "none");
  EXPECT_EQ(Column(OneTable(kHospital), OneTable(kHospital)), "none");
}

TEST(ShownColumnsTest, WhatNobodyKnowsMayBeAnything) {
  const ShownColumns unknown = ColumnsShownBy(ManifestHead{"r", {}, false, std::nullopt});
  EXPECT_EQ(Column(unknown, TwoTables(kHospital)), "");
  EXPECT_EQ(Column(unknown, OneTable({{"age", kQuasi}, {"note", kKeep}})), "");
  EXPECT_EQ(Column(unknown, OneTable({{"age", kQuasi}})), "none");
}

TEST(ShownColumnsTest, APolicyShowsWhatItsFolderShows) {
  const Result<Policy> policy = ParsePolicy(R"(version = 1
release = "hospital"
[input]
path = "people.csv"
[columns]
person = { role = "id" }
age = { role = "quasi-identifier", domain = [0, 120] }
ward = { role = "keep" }
kind = { role = "class" }
illness = { role = "sensitive" }
[[guarantee]]
type = "alpha-k-anonymity"
alpha = "1/2"
k = 2
[publish]
form = "two-tables"
)",
                                            "p.toml");
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  const ShownColumns shown = ColumnsShownBy(*policy), folder = TwoTables(kHospital);
  EXPECT_TRUE(shown.is_two_tables);
  EXPECT_EQ(shown.columns, folder.columns);
  EXPECT_EQ(shown.cells, folder.cells);
  EXPECT_EQ(shown.apart, folder.apart);
  EXPECT_FALSE(shown.columns.contains("person"));
}

}  // namespace
}  // namespace pentimento::shown_columns_test
