#include "engine/published/published_cells.h"

#include <gtest/gtest.h>

namespace pentimento::published_cells_test {
namespace {

PublishedTable Table(std::string name, std::vector<std::string> cells) {
  ValueColumn column{std::move(name), CellType{"u"}, cells, std::nullopt, CodeColumn(cells.size(), cells.size())};
  for (std::size_t row = 0; row < cells.size(); ++row) column.codes.Set(row, static_cast<Code>(row));
  return {{"ss.csv"}, {cells.size()}, cells.size(), {std::move(column)}, {}};
}

TEST(ReadWholeNumbers, TheyAreAboveZero) {
  const auto counts = ReadWholeNumbers(Table("count", {"1", "17", "4294967295"}), 0);
  ASSERT_TRUE(counts.ok());
  EXPECT_EQ(*counts, (std::vector<std::uint32_t>{1, 17, 4294967295}));
}

TEST(ReadWholeNumbers, WhatIsNoneIsRefusedWithItsPlaceAndWithoutItsText) {
  for (const char* text :
       {"3abc", "0", "", "-1", "+3", "3.0", " 3", "3 ", "03", "4294967296", "99999999999999999999"}) {
    const auto counts = ReadWholeNumbers(Table("count", {"1", text}), 0);
    ASSERT_FALSE(counts.ok()) << text;
    EXPECT_EQ(counts.error().code, ErrorCode::kBadInput);
    EXPECT_EQ(
        counts.error().message,
        "ss.csv: row 2 (the header not counted), column 'count': the cell is no whole number above 0; the release "
        "was changed after it was published");
  }
}

TEST(FormOfId, ClassesAndGroupsAreNumbersAndCasesHaveNames) {
  for (const char* column : {"class_id", "group_id"}) {
    EXPECT_TRUE(FormOfId(column)->fits("17"));
    for (const char* text : {"", "0", "3abc", "-1", " 3", "+3", "03", "4294967296"})
      EXPECT_FALSE(FormOfId(column)->fits(text)) << text;
  }
  EXPECT_TRUE(FormOfId("case_id")->fits("53da6d542043231e"));
  EXPECT_FALSE(FormOfId("case_id")->fits(""));
  EXPECT_FALSE(FormOfId("person"));
}

TEST(ReadChanges, AreNewOrRefined) {
  const auto changes = ReadChanges(Table("change", {"new", "refined"}), 0);
  ASSERT_TRUE(changes.ok());
  EXPECT_EQ(*changes, (std::vector<std::uint8_t>{0, 1}));
  for (const char* text : {"", "New", "refined ", "gone"})
    EXPECT_FALSE(ReadChanges(Table("change", {"new", text}), 0).ok()) << text;
}

PublishedColumn JobColumn() {
  static const auto taxonomy = std::make_shared<const Taxonomy>(
      Taxonomy::Parse("Nurse;Care;*\nDoctor;Care;*\nClerk;Office;*\nLawyer;Office;*\n", "job.csv").value());
  return {"job", Role::kQuasiIdentifier, taxonomy, std::nullopt};
}
PublishedColumn AgeColumn() {
  return {"age", Role::kQuasiIdentifier, nullptr, std::pair(Decimal{0, 0}, Decimal{120, 0})};
}

TEST(ReadLabels, CategoriesSetsAndIntervalsMeanCodes) {
  const auto jobs =
      ReadLabels(Table("job", {"Care", "{Doctor|Clerk}", "*", ""}), 0, Domain(JobColumn().taxonomy, true));
  ASSERT_TRUE(jobs.ok());
  EXPECT_EQ(*jobs, (std::vector<Interval>{{0, 1}, {1, 2}, {0, 4}, {4, 4}}));
  const std::vector<std::string> ages = {"[20,40)", "[40,120]", "7"};
  const auto numbers = ReadLabels(Table("age", ages), 0, DomainOfLabels(AgeColumn(), {&ages}, false).value());
  ASSERT_TRUE(numbers.ok());
  EXPECT_EQ(*numbers, (std::vector<Interval>{{20, 39}, {40, 120}, {7, 7}}));
}

TEST(ReadLabels, WhatIsNoLabelIsRefusedWithItsPlace) {
  for (const char* text : {"", "x", "[20,x,40)", "[20,40", "20,40", "[40,20)", "[20,200)"}) {
    const std::vector<std::string> ages = {"7", text};
    const auto numbers = ReadLabels(Table("age", ages), 0, DomainOfLabels(AgeColumn(), {&ages}, false).value());
    ASSERT_FALSE(numbers.ok()) << text;
    EXPECT_EQ(
        numbers.error().message,
        "ss.csv: row 2 (the header not counted), column 'age': the cell holds a value that its taxonomy or domain "
        "does not know; the release was changed after it was published");
  }
}

bool IsJobCut(const std::vector<std::string>& labels) { return IsCut(JobColumn(), labels); }
bool IsAgeCut(const std::vector<std::string>& labels) { return IsCut(AgeColumn(), labels); }

TEST(IsCut, LabelsSideBySideAreACut) {
  EXPECT_TRUE(IsJobCut({"Care", "Clerk", "Lawyer"}));
  EXPECT_TRUE(IsJobCut({"*"}));
  EXPECT_TRUE(IsJobCut({"", "Care", "Office"}));
  EXPECT_TRUE(IsJobCut({"Nurse", "{Doctor|Clerk}"}));
  EXPECT_TRUE(IsJobCut({}));
}

TEST(IsCut, ALabelAboveAnotherIsNone) {
  EXPECT_FALSE(IsJobCut({"Care", "Clerk", "Nurse"}));
  EXPECT_FALSE(IsJobCut({"*", "Clerk"}));
  EXPECT_FALSE(IsJobCut({"Nurse", "{Nurse|Doctor|Clerk}"}));
}

// Whoever reads '*' cannot rule out a missing value.
TEST(IsCut, AnyValueStandsAboveAMissingOne) { EXPECT_FALSE(IsJobCut({"", "*"})); }

TEST(IsCut, SetsThatShareALeafAreNone) { EXPECT_FALSE(IsJobCut({"{Nurse|Doctor|Clerk}", "Office"})); }

TEST(IsCut, TwoSpellingsOfOneLabelAreACut) { EXPECT_TRUE(IsJobCut({"Care", "{Doctor|Nurse}", "Office"})); }

TEST(IsCut, IntervalsThatTouchAreACut) {
  EXPECT_TRUE(IsAgeCut({"[0,40)", "[40,60)", "[60,120]"}));
  EXPECT_TRUE(IsAgeCut({"40", "[0,40)", "[41,120]"}));
  EXPECT_TRUE(IsAgeCut({"39.5", "40", "[0,39.5)"}));
}

TEST(IsCut, IntervalsWithANumberInCommonAreNone) {
  EXPECT_FALSE(IsAgeCut({"[0,40]", "[40,60)"}));
  EXPECT_FALSE(IsAgeCut({"39", "[0,40)"}));
  EXPECT_FALSE(IsAgeCut({"39.5", "[0,40)"}));
  EXPECT_FALSE(IsAgeCut({"*", "[0,40)"}));
}

TEST(IsCut, WhatIsPublishedAsItCameIsACut) {
  EXPECT_TRUE(IsCut({"disease", Role::kSensitive, nullptr, std::nullopt}, {"*", "Flu"}));
}

TEST(IsCut, ALabelThatCannotBeReadMakesNone) {
  EXPECT_FALSE(IsJobCut({"Pilot"}));
  EXPECT_FALSE(IsAgeCut({"[0,200)"}));
}

}  // namespace
}  // namespace pentimento::published_cells_test
