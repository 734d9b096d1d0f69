// Boundaries, traps and words. Examples of the paper and random joins are held against the definition in
// tests/property/xy_property_test.cc.
#include "guarantee/xy/xy_anonymity.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "guarantee/xy/fold.h"
#include "guarantee/xy/small_join_testing.h"

namespace pentimento::xy_anonymity_test {
namespace {

constexpr auto kC = SmallJoin::kC, kD1 = SmallJoin::kD1, kD2 = SmallJoin::kD2, kY = SmallJoin::kY;
constexpr auto kPerson = SmallJoin::kPerson, kRecord = SmallJoin::kRecord, kLabel = SmallJoin::kLabel;
constexpr Interval kAnyD = {0, 1};

std::string Text(const SmallJoin& join, const XyAnonymityClaim& claim) {
  const XyViolation holds{XyFault::kInJoin, "holds"};
  return FindXyAnonymityViolation(join.view(), join.releases, claim).value_or(holds).words;
}

std::uint64_t Least(const SmallJoin& join, const XyAnonymityClaim& claim) {
  const auto result = FindLeastAnonymity(join.view(), join.releases, claim);
  return static_cast<std::uint64_t>(result.value().value().values);
}

// Row 1 is in no match, which is allowed; the value on x of rows 2 and 3 meets y = 0 and y = 1.
SmallJoin::NewRow Row(Code c, Interval d, Code label = 0) { return {{c, c}, d, label}; }

TEST(XyAnonymity, KValuesAreEnoughAndOneFewerIsNot) {
  const SmallJoin join({Row(0, {2, 2}), Row(1, {0, 0}), Row(1, {0, 0})}, {{{0, 0}, {0, 0}, 3}, {kAnyD, {1, 1}, 2}});
  EXPECT_EQ(Text(join, {{1}, {kC}, {kY}, 2, true}), "holds");
  EXPECT_EQ(
      Text(join, {{1}, {kC}, {kY}, 3, true}),
      "a value on x meets 2 values on y, 3 are required (row 2 of the input has it, with records like record 1 of "
      "'immigration-2025')");
}

TEST(XyAnonymity, WhoIsCountedInItsOwnWords) {
  SmallJoin join({Row(0, {0, 0}), Row(0, {0, 0})}, {{{1, 1}, {0, 0}, 4}, {kAnyD, {1, 1}, 1}});
  EXPECT_EQ(Text(join, {{1}, {kC}, {kPerson}, 3}),
            "a value on x meets 2 people, 3 are required (row 1 of the input has it, with records like record 5 of "
            "'immigration-2025')");
  EXPECT_NE(Text(join, {{1}, {kC}, {kRecord}, 2}).find("meets 1 record of 'immigration-2025', 2 are required"),
            std::string::npos);
  join.persons = Persons{{7, 7}, 8};
  EXPECT_NE(Text(join, {{1}, {kC}, {kPerson}, 2}).find("meets 1 person, 2 are required"), std::string::npos);
}

TEST(XyAnonymity, TheNewReleaseAloneNeedsNoEarlierOne) {
  const SmallJoin join({Row(0, {0, 0}), Row(0, {0, 0}, 1), Row(1, {0, 0})}, {});
  EXPECT_EQ(Least(join, {{}, {kD1}, {kPerson}, 0}), 3u);
  EXPECT_EQ(Text(join, {{}, {kC}, {kLabel}, 2}),
            "a value on x meets 1 value on y, 2 are required (row 3 of the input has it)");
}

TEST(XyAnonymity, ColumnsWithMoreCodesThanFitATableAreToldApart) {
  SmallJoin join({Row(0, {0, 0}), Row(0, {0, 0}), Row(0, {0, 0}), Row(1, {0, 0})}, {});
  join.label = CodeColumn(std::uint64_t{1} << 30, 4);
  join.label.Set(0, 1'000'000'000);
  join.label.Set(1, 1'000'000'000);
  join.label.Set(2, 999'999'998);
  join.label.Set(3, 1'000'000'000);
  EXPECT_EQ(Least(join, {{}, {kD1}, {kLabel}, 0}), 2u);
  EXPECT_EQ(Least(join, {{}, {kLabel}, {kPerson}, 0}), 1u);
  EXPECT_EQ(Text(join, {{}, {kC, kD1}, {kLabel}, 2}),
            "a value on x meets 1 value on y, 2 are required (row 4 of the input has it)");
}

TEST(XyAnonymity, APersonWhoIsNotCountedIsNoPerson) {
  SmallJoin join({Row(0, {0, 0}), Row(0, {0, 0})}, {{{0, 0}, {0, 0}, 1}});
  join.persons = Persons{{0, 2}, 2};
  EXPECT_NE(Text(join, {{1}, {kC}, {kPerson}, 2}).find("a person who is not counted"), std::string::npos);
}

TEST(XyAnonymity, AnEmptyJoinPromisesNothingAndIsRefused) {
  const std::string refused =
      "no row of this table matches a record of 'immigration-2025', so it would promise nothing";
  const SmallJoin apart({Row(0, {0, 0})}, {{{1, 1}, {0, 0}, 1}});
  for (const bool allows_dangling : {false, true})
    EXPECT_EQ(Text(apart, {{1}, {kC}, {kPerson}, 1, allows_dangling}), refused);
  const SmallJoin nothing_earlier({Row(0, {0, 0})}, {});
  EXPECT_EQ(Text(nothing_earlier, {{1}, {kC}, {kY}, 5}), refused);
  EXPECT_EQ(Text(nothing_earlier, {{}, {kC}, {kPerson}, 1}), "holds");
}

TEST(XyAnonymity, RowsThatMatchNothingAreHeldToTheSameKByThemselves) {
  SmallJoin join({Row(0, {0, 0}), Row(0, {0, 0}), Row(0, {2, 2}), Row(0, {2, 2})}, {{{0, 0}, {0, 0}, 9}});
  const XyAnonymityClaim claim{{1}, {kC}, {kPerson}, 2};
  EXPECT_EQ(Text(join, claim), "holds");
  join.persons = Persons{{0, 1, 2, 2}, 3};
  EXPECT_EQ(Text(join, claim),
            "a value on x meets 1 person, 2 are required (row 3 of the input has it), and matches no record of "
            "'immigration-2025'");
  EXPECT_EQ(Text(join, {{1}, {kC}, {kPerson}, 2, true}), "holds");
  EXPECT_EQ(Text(join, {{1}, {kC}, {kRecord}, 9}),
            "a value on x meets no value on y, 9 are required (row 3 of the input has it), and matches no record of "
            "'immigration-2025'");
}

// T1 = {d1 Ann, d2 Bob}, T2 = {d1 e1, d2 e2}, T3 = {d1 e2, d2 e1}: with both at once nobody matches anything.
TEST(XyAnonymity, ASelectionOfTheReleasesIsVerifiedAsWell) {
  SmallJoin join({Row(0, {0, 0}), Row(1, {1, 1}), Row(2, {2, 2}), Row(2, {2, 2})},
                 {{{0, 0}, {0, 0}}, {{1, 1}, {1, 1}}, {{2, 2}, {2, 2}}});
  join.AddEarlier("other", {{{0, 0}, {1, 1}}, {{1, 1}, {0, 0}}, {{2, 2}, {2, 2}}});
  join.releases.common[0].columns.push_back({2, 0});
  join.releases.common.push_back({{kY, {2, 1}}, false});
  EXPECT_EQ(Text(join, {{1, 2}, {kC}, {kPerson}, 2, true}),
            "a value on x meets 1 person, 2 are required (row 1 of the input has it, with records like record 1 of "
            "'immigration-2025')");
}

TEST(XyAnonymity, ReleasesThatTakeNoPartAndWhatTheyHaveInCommonAreIgnored) {
  SmallJoin join({Row(0, {0, 0})}, {{kAnyD, {0, 0}, 1}, {kAnyD, {1, 1}, 1}});
  join.AddEarlier("other", {{{1, 1}, {0, 0}, 1}});
  join.releases.common[0].columns.push_back({2, 0});
  join.releases.impossible.push_back({kC, {0, 9}, {2, 0}, {0, 9}});
  EXPECT_EQ(Least(join, {{1}, {kC}, {kY}, 0}), 2u);
  EXPECT_EQ(Text(join, {{1, 2}, {kC}, {kY}, 2}),
            "no row of this table matches a record of 'immigration-2025' and 'other' at once, so it would promise "
            "nothing");
}

TEST(XyAnonymity, AWitnessNamesARecordOfEveryRelease) {
  SmallJoin join({Row(0, kAnyD)}, {{{0, 0}, {0, 0}, 6}, {{1, 1}, {1, 1}, 1}});
  join.AddEarlier("other", {{{0, 0}, {0, 0}, 2}, {{1, 1}, {0, 0}, 1}});
  join.releases.common[0].columns.push_back({2, 0});
  EXPECT_EQ(Text(join, {{1, 2}, {kC, {2, 0}}, {kY}, 2}),
            "a value on x meets 1 value on y, 2 are required (row 1 of the input has it, with records like record 1 of "
            "'immigration-2025' and record 1 of 'other')");
}

TEST(XyAnonymity, ImpossiblePairsAreInheritedAndNothingMoreGeneralIsExcluded) {
  SmallJoin join({Row(0, {0, 0})}, {{kAnyD, {0, 0}, 1}, {kAnyD, {1, 1}, 1}, {kAnyD, {0, 2}, 1}});
  EXPECT_EQ(Least(join, {{1}, {kC}, {kY}, 0}), 3u);
  join.releases.impossible.push_back({kY, {0, 1}, kC, {0, 5}});
  EXPECT_EQ(Least(join, {{1}, {kC}, {kY}, 0}), 1u);
}

TEST(XyAnonymity, NumbersAreJoinedWhereTheyOverlapIfSaidSo) {
  SmallJoin join({Row(0, {0, 3})}, {{{3, 5}, {0, 0}, 1}, {{1, 2}, {1, 1}, 1}, {{4, 5}, {2, 2}, 1}});
  EXPECT_EQ(Least(join, {{1}, {kC}, {kY}, 0}), 1u);
  join.releases.common[0].by_overlap = true;
  EXPECT_EQ(Least(join, {{1}, {kC}, {kY}, 0}), 2u);
}

TEST(XyAnonymity, CountsBeyondSixtyFourBitsAreExact) {
  const std::uint64_t many = std::uint64_t{1} << 62;
  SmallJoin join({Row(0, {0, 0})}, {{{0, 0}, {0, 0}, many}});
  join.AddEarlier("other", {{{0, 0}, {0, 0}, many}});
  const auto least =
      FindLeastAnonymity(join.view(), join.releases, {{1, 2}, {kC}, {kRecord, {2, ReleaseColumn::kWho}}, 0});
  EXPECT_TRUE(least.value().value().values == WideCount{many} * many);
}

TEST(XyAnonymity, MoreValuesThanCanBeCountedAreEnoughForEveryK) {
  const std::uint64_t many = std::uint64_t{1} << 62;
  SmallJoin join({Row(0, {0, 0})}, {{{0, 0}, {0, 0}, many}});
  join.AddEarlier("second", {{{0, 0}, {0, 0}, many}});
  join.AddEarlier("third", {{{0, 0}, {0, 0}, many}});
  const std::vector<ReleaseColumn> keys = {kRecord, {2, ReleaseColumn::kWho}, {3, ReleaseColumn::kWho}};
  const XyAnonymityClaim claim{{1, 2, 3}, {kC}, keys, std::numeric_limits<std::uint64_t>::max()};
  EXPECT_EQ(Text(join, claim), "holds");
  EXPECT_TRUE(FindLeastAnonymity(join.view(), join.releases, claim).value().value().values == kUncountable);
}

TEST(XyAnonymity, WhatDoesNotFitTogetherIsNeverAccepted) {
  SmallJoin join({Row(0, {0, 0})}, {{{0, 0}, {0, 0}, 1}});
  EXPECT_EQ(Text(join, {{1}, {kC}, {}, 0}), "y names no column, so there is nothing to count");
  EXPECT_EQ(Text(join, {{}, {kC}, {kY}, 0}), "y names a column that is not in the join");
  EXPECT_EQ(Text(join, {{1}, {kC}, {{1, 2}}, 0}), "y names a column that is not in the join");
  EXPECT_EQ(Text(join, {{}, {kD2}, {kPerson}, 0}), "x names a column that is not in the join");
  EXPECT_EQ(Text(join, {{1}, {kPerson}, {kY}, 0}), "x names a column that is not in the join");
  EXPECT_EQ(Text(join, {{2}, {kC}, {kPerson}, 0}),
            "a requirement is about earlier releases that are not there, or not in order");
  EXPECT_EQ(Text(join, {{1, 1}, {kC}, {kPerson}, 0}),
            "a requirement is about earlier releases that are not there, or not in order");
}

TEST(XyAnonymity, ReleasesThatAreNotInOrderAreNeverAccepted) {
  const XyAnonymityClaim claim{{1}, {kC}, {kY}, 0};
  SmallJoin no_records({Row(0, {0, 0})}, {{{0, 0}, {0, 0}, 0}});
  EXPECT_NE(Text(no_records, claim).find("stand for no records"), std::string::npos);
  SmallJoin reversed({Row(0, {0, 0})}, {{{1, 0}, {0, 0}, 1}});
  EXPECT_NE(Text(reversed, claim).find("ends before it begins"), std::string::npos);
  SmallJoin short_of_cells({Row(0, {0, 0})}, {{{0, 0}, {0, 0}, 1}});
  short_of_cells.releases.earlier[0].cells.pop_back();
  EXPECT_NE(Text(short_of_cells, claim).find("have not one cell per column"), std::string::npos);
  SmallJoin short_column({Row(0, {0, 0})}, {{{0, 0}, {0, 0}, 1}});
  short_column.label = CodeColumn(100, 0);
  EXPECT_NE(Text(short_column, claim).find("has 0 codes for 1 rows"), std::string::npos);
  SmallJoin strange_link({Row(0, {0, 0})}, {{{0, 0}, {0, 0}, 1}});
  strange_link.releases.common[0].columns.push_back({0, 9});
  EXPECT_NE(Text(strange_link, claim).find("names a column that is not there"), std::string::npos);
}

TEST(XyAnonymity, AJoinOfEarlierReleasesThatIsTooLargeIsNotBuilt) {
  const SmallJoin join({Row(0, {0, 0})}, {{{0, 0}, {0, 0}, 1}, {{0, 0}, {1, 1}, 1}});
  const std::vector<ReleaseColumn> y = {kY};
  const Relation relation = MakeRelation(1, join.view(), join.releases, {}, {.x = {}, .y = y, .y_values = {}});
  EXPECT_EQ(Fold(relation, relation, {}, 4).value().rows.size(), 4u);
  EXPECT_FALSE(Fold(relation, relation, {}, 3));
}

}  // namespace
}  // namespace pentimento::xy_anonymity_test
