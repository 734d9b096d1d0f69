// The boundaries and the traps. All small sets of releases are held against the definition in tests/property.
#include "guarantee/history/history.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "guarantee/history/history_testing.h"
#include "guarantee/history/joint_classes.h"

namespace pentimento::history_test {
namespace {

using history_testing::AddBags;
using history_testing::HistoryOf;
using history_testing::kAway;

std::optional<HistoryWitness> Find(const CommonReleases& common, const HistoryClaim& claim) {
  EXPECT_EQ(FindMalformedReleases(common), std::nullopt);
  return FindHistoryViolation(common, AllReleases(common), claim);
}

TEST(History, CrossingClassesOfTwoPeopleLeaveEverybodyAlone) {
  const CommonReleases common = HistoryOf({{0, 0, 1, 1}, {0, 1, 0, 1}});
  for (const Membership membership : {Membership::kUnknown, Membership::kKnown}) {
    const auto violation = Find(common, {2, membership});
    ASSERT_TRUE(violation);
    EXPECT_EQ(violation->count, 1U);
    EXPECT_EQ(violation->of, 2U);
    EXPECT_EQ(violation->person, 0U);
    EXPECT_EQ(violation->releases, (std::vector<std::uint32_t>{0, 1}));
    EXPECT_FALSE(Find(common, {1, membership}));
  }
}

TEST(History, EqualClassesAndAChainOfRefinementsHold) {
  EXPECT_FALSE(Find(HistoryOf({{0, 0, 1, 1}, {1, 1, 0, 0}}), {2, Membership::kKnown}));
  EXPECT_FALSE(Find(HistoryOf({{0, 0, 0, 0}, {0, 0, 1, 1}, {0, 0, 1, 1}}), {2, Membership::kKnown}));
}

TEST(History, AGrowingSeriesHoldsForWhoeverDoesNotKnowWhoIsNew) {
  // Newcomers join one by one, and classes are cut where k people are on either side.
  CommonReleases series = HistoryOf({{0, 0, 0, kAway, kAway}, {0, 0, 0, 0, kAway}, {0, 0, 1, 1, 1}});
  series.releases[0].covering = {kAway, kAway, kAway, 0, 0};
  series.releases[1].covering = {kAway, kAway, kAway, kAway, 0};
  EXPECT_FALSE(Find(series, {2, Membership::kUnknown}));
  EXPECT_TRUE(Find(series, {2, Membership::kKnown}));
  EXPECT_TRUE(Find(series, {3, Membership::kUnknown}));
  // Where nobody knows that the earlier boxes cover the newcomers it cannot be proved.
  series.releases[0].covering.clear();
  EXPECT_TRUE(Find(series, {2, Membership::kUnknown}));
}

TEST(History, LaterReleasesDoNotHideThatOneAloneHasASmallClass) {
  // Over both the newcomers are in the crowd of the first; over the first alone nobody is.
  const CommonReleases common = HistoryOf({{0, kAway, kAway}, {0, 0, 0}});
  const auto violation = Find(common, {2, Membership::kUnknown});
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->releases, (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(Describe(*violation, common), "in 'r1' somebody has a crowd of 1 person, 2 are required");
}

TEST(History, TooManyChoicesCannotBeProved) {
  const CommonReleases common = HistoryOf({{0, 0, kAway}, {0, kAway, 0}, {kAway, 0, 0}});
  const auto violation = FindHistoryViolation(common, AllReleases(common), {2, Membership::kUnknown}, WorkLimit{3});
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->breach, HistoryBreach::kTooManyChoices);
}

TEST(History, AlphaIsThatOfTheReleaseThatRefinesAllOthers) {
  CommonReleases common = HistoryOf({{0, 0, 0, 0}, {0, 0, 1, 1}});
  AddBags(common.releases[0], "disease", {0, 1, 0, 1});
  AddBags(common.releases[1], "disease", {0, 1, 0, 1});
  EXPECT_FALSE(Find(common, {2, Membership::kKnown, Ratio{1, 2}}));
  const auto violation = Find(common, {2, Membership::kKnown, Ratio{49, 100}});
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->breach, HistoryBreach::kTooFrequent);
  EXPECT_EQ(violation->releases, std::vector<std::uint32_t>{1});
  EXPECT_EQ(violation->count, 1U);
  EXPECT_EQ(violation->of, 2U);
}

TEST(History, AlphaOfAnotherReleaseIsNotEnough) {
  CommonReleases common = HistoryOf({{0, 0, 0, 0}, {0, 0, 1, 1}});
  AddBags(common.releases[0], "disease", {0, 0, 1, 1});
  AddBags(common.releases[1], "disease", {0, 0, 1, 1});
  EXPECT_TRUE(Find(common, {2, Membership::kKnown, Ratio{1, 2}}));
  EXPECT_FALSE(Find(common, {2, Membership::kKnown, Ratio{1, 1}}));
}

TEST(History, WithoutOneReleaseThatRefinesAllOthersAlphaCannotBeProved) {
  CommonReleases common = HistoryOf({{0, 0, 1, 1, 0, 0, 1, 1}, {0, 1, 0, 1, 0, 1, 0, 1}});
  AddBags(common.releases[0], "disease", {0, 1, 0, 1, 0, 1, 0, 1});
  AddBags(common.releases[1], "disease", {0, 1, 0, 1, 0, 1, 0, 1});
  const auto violation = Find(common, {2, Membership::kKnown, Ratio{1, 1}});
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->breach, HistoryBreach::kNotRefined);
  EXPECT_NE(Describe(*violation, common).find("cannot be proved"), std::string::npos);
  // A release of other columns tells nothing of this one; a release without values may.
  common.releases[0].values.front().column = "income";
  EXPECT_FALSE(Find(common, {2, Membership::kKnown, Ratio{1, 1}}));
  common.releases[0].values.clear();
  EXPECT_TRUE(Find(common, {2, Membership::kKnown, Ratio{1, 1}}));
}

TEST(History, SomebodyInOneReleaseOnlyGivesTheOthersAway) {
  // The third has the value that the bag of the first has more.
  CommonReleases common = HistoryOf({{0, 0, 0}, {0, 0, kAway}});
  AddBags(common.releases[0], "disease", {0, 1, 2});
  AddBags(common.releases[1], "disease", {0, 1});
  EXPECT_TRUE(Find(common, {1, Membership::kKnown, Ratio{1, 2}}));
}

TEST(History, StrangersLeaveAlphaUnprovenOverSeveralReleases) {
  CommonReleases common = HistoryOf({{0, 0}, {0, 0}});
  common.releases[0].rows = {3};
  AddBags(common.releases[0], "disease", {0, 1, 2});
  AddBags(common.releases[1], "disease", {0, 1});
  EXPECT_TRUE(Find(common, {2, Membership::kKnown, Ratio{1, 2}}));
}

TEST(History, TwentyNineOfAHundredKeepTheLimit) {
  CommonReleases common = HistoryOf({std::vector<ClassNumber>(100, 0)});
  std::vector<std::uint32_t> values(29, 0);
  for (std::uint32_t i = 29; i < 100; ++i) values.push_back(i);
  AddBags(common.releases[0], "disease", values);
  EXPECT_FALSE(Find(common, {2, Membership::kKnown, Ratio{29, 100}}));
  EXPECT_TRUE(Find(common, {2, Membership::kKnown, Ratio{28, 100}}));
}

TEST(History, OfNobodyNothingIsViolated) {
  EXPECT_FALSE(Find(HistoryOf({{kAway}, {kAway}}), {5, Membership::kUnknown, Ratio{1, 2}}));
  EXPECT_FALSE(Find({}, {5, Membership::kKnown}));
}

TEST(History, AMalformedReleaseIsSeen) {
  const CommonReleases common = HistoryOf({{0, 0, 1}});
  CommonReleases broken = common;
  broken.releases[0].class_of[0] = 7;
  EXPECT_TRUE(FindMalformedReleases(broken));
  broken = common;
  broken.releases[0].rows[0] = 1;
  EXPECT_TRUE(FindMalformedReleases(broken));
  broken = common;
  broken.releases[0].class_of.pop_back();
  EXPECT_TRUE(FindMalformedReleases(broken));
  broken = common;
  broken.releases[0].covering = {0, 0, 2};
  EXPECT_TRUE(FindMalformedReleases(broken));
  broken = common;
  AddBags(broken.releases[0], "disease", {0, 1, 0});
  EXPECT_FALSE(FindMalformedReleases(broken));
  ++broken.releases[0].values.front().count.front();
  EXPECT_TRUE(FindMalformedReleases(broken));
}

}  // namespace
}  // namespace pentimento::history_test
