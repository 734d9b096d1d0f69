// The paper's figures, boundaries, traps and words. Random series are held against possible worlds in
// tests/property/possible_worlds_test.cc.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "guarantee/global/small_series_testing.h"
#include "guarantee/global/whole_series_testing.h"

namespace pentimento::global_guarantee_test {
namespace {

constexpr Code kFlu = 0, kChlamydia = 1, kFever = 2;
constexpr std::uint32_t kO1 = 0, kO2 = 1, kO3 = 2, kO4 = 3, kO5 = 4;

std::string Text(const std::vector<ReleaseClasses>& history, const GlobalClaim& claim) {
  const auto found = FindGlobalViolation(history, claim);
  if (!found) return found.error().message;
  if (!*found) return "holds";
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= history.size(); ++i) names.push_back("T" + std::to_string(i));
  return DescribeViolation(**found, claim, std::to_string((*found)->person), names);
}

// A series of releases that are one class each: (holders, size).
std::string Text(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& classes, std::uint64_t l) {
  std::vector<ReleaseClasses> history;
  for (const auto& [holders, size] : classes) history.push_back(OneClass(holders, size));
  return Text(history, OneItem(l));
}

bool Holds(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& classes, std::uint64_t l) {
  return Text(classes, l) == "holds";
}

TEST(GlobalGuarantee, TheClassesOfFigureTwoLinkPeopleWithThreeQuarters) {
  const GlobalClaim claim{{{0, {kChlamydia}, 2, true, "disease = chlamydia"}}};
  const std::vector<ReleaseClasses> history{
      SmallRelease({{kO1, 0, kFlu}, {kO2, 0, kChlamydia}, {kO3, 1, kFlu}, {kO4, 1, kFever}}, claim),
      SmallRelease({{kO1, 0, kChlamydia}, {kO2, 0, kFlu}, {kO3, 1, kFever}, {kO5, 1, kFlu}}, claim)};
  EXPECT_EQ(Text(history, claim),
            "person 0 was linked to disease = chlamydia with a chance of 3/4, more than 1/2, by 'T1' (1 of 2 rows), "
            "'T2' (1 of 2 rows)");
  EXPECT_EQ(Text({history[0]}, claim), "holds") << "each release by itself is within the limit";
  EXPECT_EQ(Text({history[1]}, claim), "holds");
}

TEST(GlobalGuarantee, FluIsNoBetterInFigureTwo) {
  const GlobalClaim claim = OneItem(2, kFlu);
  const auto found = FindGlobalViolation(
      std::vector{SmallRelease({{kO1, 0, kFlu}, {kO2, 0, kChlamydia}, {kO3, 1, kFlu}, {kO4, 1, kFever}}, claim),
                  SmallRelease({{kO1, 0, kChlamydia}, {kO2, 0, kFlu}, {kO3, 1, kFever}, {kO5, 1, kFlu}}, claim)},
      claim);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->chance, "3/4");
  EXPECT_EQ((*found)->exposures, (std::vector<Exposure>{{0, 1, 2, 1}, {1, 1, 2, 1}}));
}

TEST(GlobalGuarantee, TheClassesOfFigureFourLinkPeopleWithSevenSixteenths) {
  GlobalClaim claim = OneItem(2, kChlamydia);
  const std::vector<ReleaseClasses> history{
      SmallRelease({{kO1, 0, kFlu}, {kO2, 0, kChlamydia}, {kO3, 0, kFlu}, {kO4, 0, kFever}}, claim),
      SmallRelease({{kO1, 0, kChlamydia}, {kO2, 0, kFlu}, {kO3, 0, kFever}, {kO5, 0, kFlu}}, claim)};
  EXPECT_EQ(Text(history, claim), "holds");
  claim.items[0].l = 3;  // 1/3 is less than 7/16
  EXPECT_EQ(Text(history, claim),
            "person 0 was linked to sensitive item 1 with a chance of 7/16, more than 1/3, by 'T1' (1 of 4 rows), 'T2' "
            "(1 of 4 rows)");
  EXPECT_EQ(ChanceInWords(DrawsOf(std::vector<Exposure>{{0, 1, 4, 1}, {1, 1, 4, 1}}), 2), "7/16");
}

TEST(GlobalGuarantee, WhoIsInOneOfTheReleasesIsChargedForThatOneOnly) {
  // o4 and o5 of the figures: 1/2 and nothing more, though the series is out of bounds for o1 to o3.
  const GlobalClaim claim = OneItem(2, kFlu);
  const ReleaseClasses first = SmallRelease({{kO3, 0, kFlu}, {kO4, 0, kFever}}, claim);
  const ReleaseClasses second = SmallRelease({{kO2, 0, kFever}, {kO5, 0, kFlu}}, claim);
  EXPECT_EQ(Text({first, second}, claim), "holds");
  const ReleaseClasses third = SmallRelease({{kO4, 0, kFever}, {kO5, 0, kFlu}}, claim);
  EXPECT_EQ(Text({first, second, third}, claim),
            "person 3 was linked to sensitive item 1 with a chance of 3/4, more than 1/2, by 'T1' (1 of 2 rows), 'T3' "
            "(1 of 2 rows)");
}

TEST(GlobalGuarantee, ExactlyTheLimitIsAllowedAndNothingMore) {
  for (std::uint32_t l = 2; l < 50; ++l) {
    EXPECT_TRUE(Holds({{1, l}}, l)) << l;
    EXPECT_FALSE(Holds({{1, l - 1}}, l)) << l;
    EXPECT_TRUE(Holds({{1, l + 1}}, l)) << l;
  }
  // Over two releases: 9/10 * 5/6 = 3/4, and 14/15 * 45/56 = 3/4.
  EXPECT_TRUE(Holds({{1, 10}, {1, 6}}, 4));
  EXPECT_FALSE(Holds({{1, 10}, {1, 5}}, 4));
  EXPECT_FALSE(Holds({{1, 9}, {1, 6}}, 4));
  EXPECT_TRUE(Holds({{1, 15}, {11, 56}}, 4));
  EXPECT_FALSE(Holds({{1, 15}, {11, 55}}, 4));
}

TEST(GlobalGuarantee, ARatioOfExactlyLUsesUpTheWholeSeries) {
  EXPECT_TRUE(Holds({{1, 2}, {0, 2}, {0, 5}}, 2));
  EXPECT_FALSE(Holds({{1, 2}, {0, 2}, {1, 1'000'000}}, 2));
}

TEST(GlobalGuarantee, AHundredReleasesAreComparedInFull) {
  // (m-1)/m * m/(m+1) * ... * (m+98)/(m+99) = (m-1)/(m+99): with l = 2 exactly the limit at m = 101.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> telescope;
  for (std::uint32_t size = 101; size <= 200; ++size) telescope.push_back({1, size});
  EXPECT_TRUE(Holds(telescope, 2));
  EXPECT_FALSE(Holds(telescope, 3));
  for (auto& [holders, size] : telescope) --size;
  EXPECT_FALSE(Holds(telescope, 2)) << "99/199";
  EXPECT_EQ(Text(telescope, 2),
            "person 0 was linked to sensitive item 1 with a chance of 100/199, more than 1/2, by 'T1' (1 of 100 rows), "
            "'T2' (1 of 101 rows), 'T3' (1 of 102 rows), 'T4' (1 of 103 rows), 'T5' (1 of 104 rows) and 95 more");
}

TEST(GlobalGuarantee, AHundredReleasesThatMissTheLimitByAlmostNothingAreStillTold) {
  // The telescope again, its last factor 199/200 = 199000/200000 made smaller by one row of a larger class.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> series;
  for (std::uint32_t size = 101; size < 200; ++size) series.push_back({1, size});
  series.push_back({1'000, 200'000});
  EXPECT_TRUE(Holds(series, 2));
  series.back() = {1'001, 200'000};
  EXPECT_NE(Text(series, 2).find("with a chance of 0.500003, more than 1/2"), std::string::npos) << Text(series, 2);
  series.back() = {1'000, 200'001};
  EXPECT_TRUE(Holds(series, 2));
  series.back() = {1'000, 199'999};
  EXPECT_NE(Text(series, 2).find("with a chance of 0.500001, more than 1/2"), std::string::npos) << Text(series, 2);
}

TEST(GlobalGuarantee, ProductsThatMissTheLimitByOneAreTold) {
  // Solutions of x^2 - 2 y^2 = 1 and -1 in factors: 2 * prod (n-s) is prod n - 1 here, one part in 2^64, ...
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> above{
      {1, 66'923}, {19'600, 66'921}, {1, 66'923}, {19'600, 66'921}};
  EXPECT_EQ(Text(above, 2),
            "person 0 was linked to sensitive item 1 with a chance of 0.500001, more than 1/2, by 'T1' (1 of 66923 "
            "rows), 'T2' (19600 of 66921 rows), 'T3' (1 of 66923 rows), 'T4' (19600 of 66921 rows)");
  // ... and prod n + 1 here.
  EXPECT_TRUE(Holds({{2, 228'487}, {70, 239}, {2, 228'487}, {70, 239}}, 2));
}

TEST(GlobalGuarantee, ConservationIsMetToTheRelease) {
  // A population in one class, release after release: 5 % are borne 13 times, 2 % 34 times, 0.5 % 138 times.
  for (const auto& [holders, size, most] : {std::tuple{5u, 100u, 13u}, {2u, 100u, 34u}, {5u, 1'000u, 138u}}) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> series(most, {holders, size});
    EXPECT_TRUE(Holds(series, 2)) << most;
    series.push_back({holders, size});
    EXPECT_FALSE(Holds(series, 2)) << most;
  }
}

TEST(GlobalGuarantee, TwoRowsInOneClassAreAHypergeometricDraw) {
  // Four rows, one with the value, two of them one person's: 1/2 and not 1/4.
  GlobalClaim claim = OneItem(2);
  const std::vector<ReleaseClasses> history{SmallRelease({{0, 0, 1}, {1, 0, 1}, {1, 0, 0}, {2, 0, 1}}, claim)};
  EXPECT_EQ(Text(history, claim), "holds");
  claim.items[0].l = 3;
  EXPECT_EQ(Text(history, claim),
            "person 1 was linked to sensitive item 1 with a chance of 1/2, more than 1/3, by 'T1' (1 of 4 rows, 2 of "
            "them this person's)");
}

TEST(GlobalGuarantee, RowsInSeveralClassesOfOneReleaseAddUp) {
  const GlobalClaim claim = OneItem(2);
  const std::vector<ReleaseClasses> history{SmallRelease({{0, 0, 0}, {1, 0, 1}, {1, 1, 0}, {2, 1, 1}}, claim)};
  EXPECT_EQ(Text(history, claim),
            "person 1 was linked to sensitive item 1 with a chance of 3/4, more than 1/2, by 'T1' (1 of 2 rows), 'T1' "
            "(1 of 2 rows)");
}

TEST(GlobalGuarantee, PeopleWithOneRowHereAndSeveralThereAreVerifiedOverBoth) {
  const GlobalClaim claim = OneItem(2);
  const ReleaseClasses one = SmallRelease({{0, 0, 0}, {1, 0, 1}, {2, 0, 1}, {3, 0, 1}}, claim);
  const ReleaseClasses two = SmallRelease({{0, 0, 0}, {0, 0, 1}, {1, 0, 1}, {2, 0, 1}, {3, 0, 1}}, claim);
  // Person 0: 3/4 * 3/5 = 9/20. The others: 3/4 * 4/5 = 12/20.
  EXPECT_NE(Text({one, two}, claim).find("person 0 was linked to sensitive item 1 with a chance of 11/20"),
            std::string::npos);
}

TEST(GlobalGuarantee, SetsHaveALimitOfTheirOwn) {
  GlobalClaim claim{{{0, {1}, 4, true, "HIV"}, {0, {2}, 4, true, "syphilis"}, {0, {1, 2}, 2, true, "any of both"}}};
  const std::vector<ReleaseClasses> history{SmallRelease({{0, 0, 0}, {1, 0, 1}, {2, 0, 2}, {3, 0, 0}}, claim)};
  EXPECT_EQ(Text(history, claim), "holds");
  claim.items[2].l = 3;
  EXPECT_EQ(Text(history, claim),
            "person 0 was linked to any of both with a chance of 1/2, more than 1/3, by 'T1' (2 of 4 rows)");
}

TEST(GlobalGuarantee, EqualHistoriesAreHeldToTheLimitOfTheirItem) {
  // Two values with equal counts, and a person whose two rows must be verified in full for both: 1/2.
  GlobalClaim claim{{{0, {1}, 2, true, ""}, {0, {2}, 3, true, ""}}};
  const std::vector<ReleaseClasses> history{SmallRelease({{0, 0, 0}, {0, 0, 1}, {1, 0, 2}, {2, 0, 0}}, claim)};
  EXPECT_NE(Text(history, claim).find("person 0 was linked to sensitive item 2 with a chance of 1/2"),
            std::string::npos);
  claim.items[1].l = 2;
  EXPECT_EQ(Text(history, claim), "holds");
}

TEST(GlobalGuarantee, TwoGoodClassesMayHaveABadUnion) {
  // Person 0 and 1 have spent nothing, 2 and 3 everything. {s, x} and {x, x} are fine, their union is not.
  const GlobalClaim claim = OneItem(2);
  const ReleaseClasses before = SmallRelease({{2, 0, 0}, {3, 0, 1}}, claim);
  const ReleaseClasses apart = SmallRelease({{0, 0, 0}, {1, 0, 1}, {2, 1, 1}, {3, 1, 1}}, claim);
  const ReleaseClasses together = SmallRelease({{0, 0, 0}, {1, 0, 1}, {2, 0, 1}, {3, 0, 1}}, claim);
  EXPECT_EQ(Text({before, apart}, claim), "holds");
  EXPECT_NE(Text({before, together}, claim).find("person 2 was linked to sensitive item 1 with a chance of 5/8"),
            std::string::npos);
}

TEST(GlobalGuarantee, ClassesWithEqualCountsAreToldApart) {
  // {o, o'} with the value and {p, p'} without: taken as one class o would be safe at l = 2 in both releases.
  const GlobalClaim claim = OneItem(2);
  const ReleaseClasses release = SmallRelease({{0, 0, 0}, {1, 0, 1}, {2, 1, 1}, {3, 1, 1}}, claim);
  EXPECT_NE(Text({release, release}, claim).find("person 0 was linked to sensitive item 1 with a chance of 3/4"),
            std::string::npos);
}

TEST(GlobalGuarantee, ValuesThatStayAreRefused) {
  // {o1,o2}: {HIV, flu}, then {o1,o3}: {flu, flu}. By the formula o2 has HIV with 1/2; in truth for sure.
  GlobalClaim claim{{{0, {1}, 2, true, "disease = HIV"}}};
  const std::vector<ReleaseClasses> history{SmallRelease({{0, 0, 1}, {1, 0, 0}}, claim),
                                            SmallRelease({{0, 0, 0}, {2, 0, 0}}, claim)};
  EXPECT_EQ(Text(history, claim), "holds") << "the formula";
  // Person 0 in {HIV, flu}, then in {HIV, fever}, known not to have changed: 3/4 by the formula; in truth for sure.
  EXPECT_NE(Text({history[0], SmallRelease({{0, 0, 1}, {1, 0, 2}}, claim)}, claim).find("a chance of 3/4"),
            std::string::npos);
  claim.items[0].transient = false;
  const auto refused = FindGlobalViolation(history, claim);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kRefused);
  EXPECT_NE(refused.error().message.find("disease = HIV is declared as not transient"), std::string::npos);
}

TEST(GlobalGuarantee, LBelowTwoIsABadPolicy) {
  for (const std::uint64_t l : {std::uint64_t{0}, std::uint64_t{1}, (std::uint64_t{1} << 32) + 1}) {
    const auto refused = FindGlobalViolation(std::vector{OneClass(0, 1)}, OneItem(l));
    ASSERT_FALSE(refused.ok()) << l;
    EXPECT_EQ(refused.error().code, ErrorCode::kBadPolicy);
  }
}

TEST(GlobalGuarantee, AnotherReleaseNeverHelps) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> series;
  bool held = true;
  for (std::uint32_t size = 40; size > 3; --size) {
    series.push_back({size % 3 == 0 ? 1u : 0u, size});
    const bool holds = Holds(series, 2);
    EXPECT_TRUE(held || !holds) << size;
    held = holds;
  }
  EXPECT_FALSE(held);
}

TEST(GlobalGuarantee, TheOrderOfReleasesDoesNotMatter) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> series{{1, 10}, {0, 3}, {1, 6}, {0, 1}};
  std::sort(series.begin(), series.end());
  do EXPECT_TRUE(Holds(series, 4));
  while (std::next_permutation(series.begin(), series.end()));
}

TEST(GlobalGuarantee, AnEmptySeriesHolds) {
  EXPECT_EQ(Text(std::vector<ReleaseClasses>(), OneItem(2)), "holds");
  EXPECT_EQ(Text({ReleaseClasses{}}, OneItem(2)), "holds");
}

TEST(GlobalGuarantee, WhatDoesNotFitTogetherIsNeverAccepted) {
  const GlobalClaim claim = OneItem(2);
  const ReleaseClasses good = OneClass(1, 4);
  EXPECT_EQ(Text({good}, GlobalClaim{}), "the global guarantee protects nothing");
  ReleaseClasses bad = good;
  bad.size = {5};  // a class that claims more rows than it has people looks safer than it is
  EXPECT_EQ(Text({good, bad}, claim), "release 2 of the series: a class has not as many rows as it says");
  bad = good;
  bad.holders = {5};
  EXPECT_EQ(Text({bad}, claim), "release 1 of the series: a class has more holders than rows");
  bad = good;
  bad.holders = {};
  EXPECT_EQ(Text({bad}, claim), "release 1 of the series: holders are not counted for every class and item");
  bad = good;
  bad.class_of_person[2] = 1;
  EXPECT_EQ(Text({bad}, claim), "release 1 of the series: a person is in a class that is not there");
  bad = good;
  bad.class_of_person[2] = ReleaseClasses::kSeveral;
  EXPECT_EQ(Text({bad}, claim), "release 1 of the series: a person with several rows is in no class");
  bad.several_rows = {{1, 0, 1}};
  EXPECT_EQ(Text({bad}, claim), "release 1 of the series: rows of a person who has one row or none");
  bad.several_rows = {{2, 7, 1}};
  EXPECT_EQ(Text({bad}, claim), "release 1 of the series: a person with several rows is in no class");
  bad.several_rows = {{2, 0, 1}, {2, 0, 1}};
  EXPECT_EQ(Text({bad}, claim), "release 1 of the series: people with several rows are out of order");
  bad.several_rows = {{2, 0, 1}};
  EXPECT_EQ(Text({bad}, claim), "holds") << "one row after all";
}

TEST(ChanceInWords, RoundedNumbersNeverCrossTheLimit) {
  const std::uint64_t n = 4'000'000'007, s = 2'000'000'003;  // s/n is below 1/2 by 1.25e-10, (s+1)/n is above
  EXPECT_EQ(ChanceInWords(std::vector<DrawsFromClass>{{n, s, 1}}, 2), "0.499999");
  EXPECT_EQ(ChanceInWords(std::vector<DrawsFromClass>{{n, s + 1, 1}}, 2), "0.500001");
  EXPECT_EQ(ChanceInWords(std::vector<DrawsFromClass>{{n, n - 1, 1}}, 2), "above 0.999999");
  EXPECT_EQ(ChanceInWords(std::vector<DrawsFromClass>{{3, 3, 1}}, 2), "1");
}

// One table of people who stand still, grouped in two ways and published as two series: everybody's group in each.
struct TwoGroupings {
  std::vector<Code> values;  // by person
  std::vector<std::vector<std::uint32_t>> group_of_person;
};

// What each series says by itself.
std::string TextOfOne(const TwoGroupings& groupings, std::size_t which, const GlobalClaim& claim) {
  std::vector<SmallRow> rows;
  for (std::uint32_t person = 0; person < groupings.values.size(); ++person)
    rows.push_back({person, groupings.group_of_person[which][person], groupings.values[person]});
  return Text({SmallRelease(rows, claim)}, claim);
}

std::map<std::pair<std::uint32_t, Code>, int> BagsOf(const std::vector<Code>& values,
                                                     const std::vector<std::uint32_t>& group_of_person) {
  std::map<std::pair<std::uint32_t, Code>, int> bags;
  for (std::size_t person = 0; person < values.size(); ++person) ++bags[{group_of_person[person], values[person]}];
  return bags;
}

// In how many of the tables that lead to the same two releases each person has the value, and how many there are.
std::pair<std::vector<int>, int> CountWorlds(const TwoGroupings& groupings, Code value) {
  std::vector<int> has(groupings.values.size(), 0);
  int worlds = 0;
  std::vector<Code> world = groupings.values;
  std::ranges::sort(world);
  do {
    const bool is_possible = std::ranges::all_of(groupings.group_of_person, [&](const auto& groups) {
      return BagsOf(world, groups) == BagsOf(groupings.values, groups);
    });
    if (!is_possible) continue;
    ++worlds;
    for (std::size_t person = 0; person < world.size(); ++person) has[person] += world[person] == value ? 1 : 0;
  } while (std::ranges::next_permutation(world).found);
  return {has, worlds};
}

TEST(GlobalGuarantee, TwoSeriesOverOneSnapshotCanMakeValuesCertainThoughEachKeepsItsLimit) {
  constexpr Code kX = 0, kY = 1, kZ = 2;
  // {1,2}, {3,4} with {x,y}, {z,z}, then {1,3}, {2,4} with {x,z}, {y,z}.
  const TwoGroupings groupings{{kX, kY, kZ, kZ}, {{0, 0, 1, 1}, {0, 1, 0, 1}}};
  const GlobalClaim claim{{{0, {kX}, 2, true, ""}, {0, {kY}, 2, true, ""}}};
  EXPECT_EQ(TextOfOne(groupings, 0, claim), "holds");
  EXPECT_EQ(TextOfOne(groupings, 1, claim), "holds");
  for (const Code value : {kX, kY}) {
    const auto [has, worlds] = CountWorlds(groupings, value);
    EXPECT_EQ(worlds, 1) << "there is one table that both could come from";
    EXPECT_EQ(has[value], 1);
  }
}

// Nor is there another multiple of 1/l that bounds it: l times l people, one of whom has x, by rows and by columns.
TEST(GlobalGuarantee, NoMultipleOfTheLimitBoundsTwoSeriesOverOneSnapshot) {
  for (const std::uint32_t l : {2U, 3U, 4U}) {
    TwoGroupings groupings{std::vector<Code>(std::size_t{l} * l, 1), {{}, {}}};
    groupings.values[0] = 0;
    for (std::uint32_t person = 0; person < l * l; ++person) {
      groupings.group_of_person[0].push_back(person / l);
      groupings.group_of_person[1].push_back(person % l);
    }
    EXPECT_EQ(TextOfOne(groupings, 0, OneItem(l)), "holds");
    EXPECT_EQ(TextOfOne(groupings, 1, OneItem(l)), "holds");
    const auto [has, worlds] = CountWorlds(groupings, 0);
    EXPECT_EQ(has[0], worlds) << "whoever is in both groups with x has it, at l = " << l;
    // Two releases whose values were drawn apart: the chances multiply, below 2/l.
    const std::vector<Exposure> twice = {{0, 1, l, 1}, {1, 1, l, 1}};
    EXPECT_EQ(ChanceInWords(DrawsOf(twice), l), l == 2 ? "3/4" : l == 3 ? "5/9" : "7/16");
  }
}

}  // namespace
}  // namespace pentimento::global_guarantee_test
