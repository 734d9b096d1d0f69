#include "guarantee/history/joint_classes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "guarantee/history/composition.h"
#include "guarantee/history/crowds.h"
#include "guarantee/history/history_testing.h"
#include "guarantee/history/stories.h"

namespace pentimento::joint_classes_test {
namespace {

using history_testing::HistoryOf;
using history_testing::kAway;

std::vector<Crowd> CrowdsOver(const CommonReleases& common, ReleaseMask set) {
  const Stories stories = TellStoriesOf(common, AllReleases(common));
  std::vector<std::uint32_t> everybody;
  for (std::uint32_t story = 0; story < stories.count(); ++story) everybody.push_back(story);
  WorkLimit limit;
  const std::vector<Crowd> by_story = FindCrowds(stories, set, everybody, limit).value();
  std::vector<Crowd> crowds;
  for (const std::uint32_t story : stories.of_person) crowds.push_back(by_story[story]);
  return crowds;
}

TEST(JointClasses, PeopleWithTheSameClassesAreTogether) {
  const CommonReleases common = HistoryOf({{0, 0, 1, 1, 0}, {0, 1, 0, 0, 0}});
  const JointClasses joint = FindJointClasses(common, AllReleases(common));
  EXPECT_EQ(joint.of_person, (std::vector<std::uint32_t>{0, 1, 2, 2, 0}));
  EXPECT_EQ(joint.people, (std::vector<std::uint32_t>{2, 1, 2}));
}

TEST(JointClasses, AbsenceTellsPeopleApartAndWhoIsInNoneIsLeftOut) {
  const CommonReleases common = HistoryOf({{0, 0, kAway, kAway, kAway}, {0, kAway, 0, 0, kAway}});
  const JointClasses joint = FindJointClasses(common, AllReleases(common));
  EXPECT_EQ(joint.of_person, (std::vector<std::uint32_t>{0, 1, 2, 2, kInNoRelease}));
  EXPECT_EQ(joint.people, (std::vector<std::uint32_t>{1, 1, 2}));
}

TEST(JointClasses, AreThoseOfTheChosenReleases) {
  const CommonReleases common = HistoryOf({{0, 1, 2}, {0, 0, 0}, {0, 0, kAway}});
  const std::vector<std::uint32_t> set = {1, 2};
  EXPECT_EQ(FindJointClasses(common, set).people, (std::vector<std::uint32_t>{2, 1}));
  EXPECT_TRUE(FindJointClasses(common, {}).people.empty());
}

// The definition, one person after the other.
std::vector<std::uint32_t> NumberedOneByOne(const CommonReleases& common, std::span<const std::uint32_t> set) {
  std::map<std::vector<ClassNumber>, std::uint32_t> number_of;
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t person = 0; person < common.people; ++person) {
    std::vector<ClassNumber> classes;
    for (const std::uint32_t r : set) classes.push_back(common.releases[r].class_of[person]);
    const bool is_away = std::ranges::all_of(classes, [](ClassNumber number) { return number == kAway; });
    const auto next = static_cast<std::uint32_t>(number_of.size());
    numbers.push_back(is_away ? kInNoRelease : number_of.emplace(std::move(classes), next).first->second);
  }
  return numbers;
}

// A class of a coarser release is a union of classes of a finer one, with the same absence; or some are absent.
TEST(JointClasses, OfChainsAreThoseOfTheDefinition) {
  std::mt19937 draw(5);
  for (int turn = 0; turn < 3000; ++turn) {
    CommonReleases common{12, {}};
    std::vector<ClassNumber> fine(12);
    for (ClassNumber& number : fine) number = draw() % 8;
    for (int r = 0; r < 4; ++r) {
      std::vector<ClassNumber> class_of = fine;
      const std::uint32_t coarser = std::vector<std::uint32_t>{1, 2, 4}[draw() % 3];
      for (ClassNumber& number : class_of) number = draw() % 20 == 0 && turn % 2 == 0 ? kAway : number / coarser;
      common.releases.push_back({"r", std::move(class_of), std::vector<std::uint32_t>(8)});
      for (const ClassNumber number : common.releases.back().class_of) {
        if (number != kAway) ++common.releases.back().rows[number];
      }
    }
    std::ranges::shuffle(common.releases, draw);
    const JointClasses joint = FindJointClasses(common, AllReleases(common));
    ASSERT_EQ(joint.of_person, NumberedOneByOne(common, AllReleases(common))) << turn;
    const JointClassesByLast by_last = FindJointClassesByLast(common, AllReleases(common));
    ASSERT_EQ(by_last.after.of_person, joint.of_person);
    ASSERT_EQ(by_last.after.people, joint.people);
    const JointClasses before = FindJointClasses(common, std::vector<std::uint32_t>{0, 1, 2});
    ASSERT_EQ(by_last.before.of_person, before.of_person);
    ASSERT_EQ(by_last.before.people, before.people);
  }
}

TEST(JointClasses, OfManyPeopleInLargeAndSmallClassesAreThoseOfTheDefinition) {
  constexpr std::uint32_t kPeople = 150'000;
  std::vector<std::vector<ClassNumber>> classes(4, std::vector<ClassNumber>(kPeople));
  for (std::uint32_t person = 0; person < kPeople; ++person) {
    classes[0][person] = person % 50 == 0 ? kAway : person % 2;  // one class is cut by counting
    classes[1][person] = person % 3 == 0 ? kAway : person / 5 % 7;
    classes[2][person] = person % 75 == 0 ? kAway : person % 1000;
    classes[3][person] = person % 10 == 0 ? kAway : person / 40'000;
  }
  const CommonReleases common = HistoryOf(std::move(classes));
  const std::vector<std::uint32_t> all = AllReleases(common);
  const JointClassesByLast found = FindJointClassesByLast(common, all);
  EXPECT_EQ(found.after.of_person, NumberedOneByOne(common, all));
  EXPECT_EQ(found.before.of_person, NumberedOneByOne(common, std::span(all).first(3)));
  EXPECT_EQ(found.after.of_person, FindJointClasses(common, all).of_person);
}

TEST(JointClasses, BeforeTheOnlyReleaseNobodyIsInAny) {
  const CommonReleases common = HistoryOf({{0, 1, kAway}});
  const JointClassesByLast found = FindJointClassesByLast(common, AllReleases(common));
  EXPECT_EQ(found.before.of_person, (std::vector<std::uint32_t>(3, kInNoRelease)));
  EXPECT_EQ(found.after.people, (std::vector<std::uint32_t>{1, 1}));
}

TEST(Crowds, OfTheSamePeopleAreTheJointClasses) {
  const CommonReleases common = HistoryOf({{0, 0, 1, 1}, {0, 1, 0, 1}});
  EXPECT_EQ(CrowdsOver(common, 0b01), (std::vector<Crowd>{{2, 2}, {2, 2}, {2, 2}, {2, 2}}));
  EXPECT_EQ(CrowdsOver(common, 0b11), (std::vector<Crowd>{{1, 1}, {1, 1}, {1, 1}, {1, 1}}));
}

TEST(Crowds, WhoeverIsInFewerReleasesMayBeTheOneWhoIsLookedFor) {
  // The newcomer may be anybody to whoever does not know that they are new, if the class of the others covers them.
  const CommonReleases common = HistoryOf({{0, 0, kAway}, {0, 0, 0}});
  EXPECT_EQ(CrowdsOver(common, 0b11), (std::vector<Crowd>{{3, 3}, {3, 3}, {1, 3}}));
  CommonReleases covered = common;
  covered.releases[0].covering = {kAway, kAway, 0};
  EXPECT_EQ(CrowdsOver(covered, 0b11), (std::vector<Crowd>{{3, 3}, {3, 3}, {3, 3}}));
  covered.releases[0].covering = {kAway, kAway, kAway};
  EXPECT_EQ(CrowdsOver(covered, 0b11), (std::vector<Crowd>{{3, 3}, {3, 3}, {1, 1}}));
}

TEST(Crowds, StrangersCountInOneReleaseAndMayCountInSeveral) {
  CommonReleases common = HistoryOf({{0, 0}, {0, 0}});
  common.releases[0].rows = {5};
  EXPECT_EQ(CrowdsOver(common, 0b01), (std::vector<Crowd>{{5, 5}, {5, 5}}));
  EXPECT_EQ(CrowdsOver(common, 0b11), (std::vector<Crowd>{{2, 5}, {2, 5}}));
}

TEST(Crowds, OneSetDecidesOverReleasesOfTheSamePeopleAndOneForEachReleaseOfAGrowingSeries) {
  const CommonReleases same = HistoryOf({{0, 0, 1}, {0, 1, 1}, {1, 0, 0}});
  EXPECT_EQ(DecidingSets(TellStoriesOf(same, AllReleases(same)), 100), std::vector<ReleaseMask>{0b111});
  const CommonReleases growing = HistoryOf({{0, kAway, kAway}, {0, 0, kAway}, {0, 0, 0}});
  EXPECT_EQ(DecidingSets(TellStoriesOf(growing, AllReleases(growing)), 100),
            (std::vector<ReleaseMask>{0b001, 0b011, 0b111}));
  EXPECT_FALSE(DecidingSets(TellStoriesOf(growing, AllReleases(growing)), 2));
}

TEST(Crowds, AReleaseThatAnotherOneRefinesIsLeftOut) {
  const CommonReleases common = HistoryOf({{0, 0, 0, 0}, {0, 0, 1, 1}, {0, 1, 0, 1}, {1, 1, 0, 0}});
  // The second and the fourth are alike: one of them stays.
  EXPECT_EQ(WithoutRefined(TellStoriesOf(common, AllReleases(common)), 0b1111), ReleaseMask{0b1100});
  EXPECT_EQ(WithoutRefined(TellStoriesOf(common, AllReleases(common)), 0b0011), ReleaseMask{0b0010});
}

TEST(Composition, CountsForBothAttackers) {
  CommonReleases common = HistoryOf({{0, 0, 0, kAway}, {0, 0, 0, 0}});
  common.releases[0].covering = {kAway, kAway, kAway, 0};
  const Composition composition = Compose(common, AllReleases(common), 3);
  EXPECT_EQ(composition.people, 4U);
  EXPECT_EQ(composition.known, (CrowdCounts{1, 1, 1}));
  EXPECT_EQ(composition.unknown, (CrowdCounts{0, 0, 3}));
  EXPECT_TRUE(composition.is_exact());
  common.releases[0].covering.clear();
  const Composition bound = Compose(common, AllReleases(common), 3);
  EXPECT_EQ(bound.unknown, (CrowdCounts{1, 1, 1}));
  EXPECT_EQ(bound.unknown_at_best.below_k, 0U);
  EXPECT_FALSE(bound.is_exact());
}

TEST(Composition, OfSeveralKsIsThatOfEach) {
  CommonReleases common = HistoryOf({{0, 0, 0, 1, 1, kAway}, {0, 1, 1, 1, 0, 0}, {0, 0, 0, 0, 0, 0}});
  const std::vector<std::uint64_t> ks = {2, 3, 4, 7};
  for (int turn = 0; turn < 2; ++turn) {
    const ComposedReleases together(common, AllReleases(common), FindJointClasses(common, AllReleases(common)),
                                    ks.back());
    for (const std::uint64_t k : ks) {
      const Composition one = Compose(common, AllReleases(common), k);
      const Composition each = together.Count(k);
      EXPECT_EQ(each.known, one.known);
      EXPECT_EQ(each.unknown, one.unknown);
      EXPECT_EQ(each.unknown_at_best, one.unknown_at_best);
      EXPECT_EQ(each.people, one.people);
    }
    common.releases[0].covering = {kAway, kAway, kAway, kAway, kAway, 1};
  }
}

TEST(Composition, SaysWhereItGaveUp) {
  const CommonReleases common = HistoryOf({{0, 0, kAway}, {0, kAway, 0}, {kAway, 0, 0}});
  const Composition composition = Compose(common, AllReleases(common), 3, WorkLimit{2});
  EXPECT_FALSE(composition.every_choice);
  EXPECT_EQ(composition.unknown, composition.known);
  EXPECT_FALSE(FindMinimalSets(common, AllReleases(common), 3, Membership::kUnknown, WorkLimit{2}).every_set);
}

TEST(Composition, NamesTheSmallestSetsOfReleasesThatItTakes) {
  const CommonReleases common = HistoryOf({{0, 0, 1, 1}, {0, 0, 1, 1}, {0, 1, 0, 1}, {0, 0, 0, 0}});
  const MinimalSets minimal = FindMinimalSets(common, AllReleases(common), 2, Membership::kKnown);
  EXPECT_TRUE(minimal.every_set);
  EXPECT_EQ(minimal.sets, (std::vector<std::vector<std::uint32_t>>{{0, 2}, {1, 2}}));
  EXPECT_EQ(FindMinimalSets(common, AllReleases(common), 2, Membership::kUnknown).sets, minimal.sets);
  EXPECT_TRUE(FindMinimalSets(common, std::vector<std::uint32_t>{0, 1, 3}, 2, Membership::kKnown).sets.empty());
}

}  // namespace
}  // namespace pentimento::joint_classes_test
