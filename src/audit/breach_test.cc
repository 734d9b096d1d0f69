#include "audit/breach.h"

#include <gtest/gtest.h>

#include <limits>

#include "audit/audit_testing.h"
#include "audit/inference.h"

namespace pentimento::breach_test {
namespace {

using paper::OneColumn;

// Only the kinds, where all breaches are of the same class size or it does not matter.
std::map<CaseNumber, BreachKind> KindsOf(const std::vector<Breach>& breaches) {
  std::map<CaseNumber, BreachKind> kinds;
  for (const Breach& breach : breaches) kinds[breach.case_number] = breach.kind;
  return kinds;
}

TEST(Breach, ThePapersUnsafeCasesHaveThePapersReasons) {
  const auto breaches = FindBreaches(paper::Publish(paper::kTable2), paper::Publish(paper::kTable5), 2);
  EXPECT_EQ(breaches, (std::vector<Breach>{{1, 1, BreachKind::kGroupChange, true},
                                           {2, 1, BreachKind::kSubgroupExpanding, true},
                                           {3, 1, BreachKind::kGroupChange, true},
                                           {5, 1, BreachKind::kWidow, true}}));
}

TEST(Breach, AnUpdatePublishedByItselfBreachesNothing) {
  const IncrementalRelease later = paper::Publish(paper::Together(paper::kTable2, paper::kTable4));
  EXPECT_TRUE(FindBreaches(paper::Publish(paper::kTable2), later, 2).empty());
}

TEST(Breach, RefinedGroupsBreachNothing) {
  const IncrementalRelease earlier = OneColumn({{1, {0, 9}}, {2, {0, 9}}, {3, {0, 9}}});
  const IncrementalRelease later = OneColumn({{1, {0, 4}}, {2, {0, 4}}, {3, {5, 9}}, {4, {5, 9}}});
  EXPECT_TRUE(FindBreaches(earlier, later, 2).empty());
}

// Where Lemma 1 says nothing and the case is unsafe all the same: groups of more than k that fall apart.
TEST(Breach, AGroupOfMoreThanKThatFallsApartIsAGroupChangeWithoutTheLemma) {
  const IncrementalRelease earlier =
      OneColumn({{1, {0, 5}}, {2, {0, 5}}, {3, {0, 5}}, {4, {6, 9}}, {5, {6, 9}}, {6, {6, 9}}});
  const IncrementalRelease later =
      OneColumn({{1, {0, 6}}, {2, {0, 4}}, {3, {0, 4}}, {4, {0, 6}}, {5, {7, 9}}, {6, {7, 9}}});
  EXPECT_EQ(FindBreaches(earlier, later, 2),
            (std::vector<Breach>{{1, 1, BreachKind::kGroupChange, false}, {4, 1, BreachKind::kGroupChange, false}}));
}

// Where all of Lemma 1 holds and the case is safe: boxes overlap, and strangers come to the same box.
TEST(Breach, WhereBoxesOverlapLemmaOneAloneWouldAccuseSafeCases) {
  const IncrementalRelease earlier = OneColumn({{1, {0, 2}}, {2, {0, 2}}, {3, {0, 3}}, {4, {0, 3}}});
  const IncrementalRelease later = OneColumn({{1, {0, 1}}, {2, {2, 2}}, {3, {0, 1}}, {4, {2, 2}}});
  EXPECT_TRUE(FindBreaches(earlier, later, 2).empty());
}

// The old ones expand and are k together; the new one is told from them, and no unsafe groupmate makes it a widow.
TEST(Breach, ANewCaseMayBeAloneAlthoughTheOldOnesOfItsGroupAreSafe) {
  const IncrementalRelease earlier = OneColumn({{1, {0, 2}}, {2, {0, 2}}});
  const IncrementalRelease later = OneColumn({{1, {1, 3}}, {2, {1, 3}}, {3, {1, 3}}});
  EXPECT_EQ(FindBreaches(earlier, later, 2), (std::vector<Breach>{{3, 1, BreachKind::kOther, false}}));
}

TEST(Breach, OldCasesPutWithNewOnesAndStrangersFitNoDefinition) {
  const IncrementalRelease earlier = OneColumn({{1, {0, 1}}, {2, {0, 1}}, {3, {2, 3}}, {4, {2, 3}}});
  const IncrementalRelease later = OneColumn({{1, {1, 2}}, {2, {0, 0}}, {3, {1, 2}}, {4, {3, 3}}, {5, {1, 2}}});
  const auto kinds = KindsOf(FindBreaches(earlier, later, 2));
  EXPECT_EQ(kinds.at(1), BreachKind::kOther);
  EXPECT_EQ(kinds.at(3), BreachKind::kOther);
  EXPECT_EQ(kinds.at(2), BreachKind::kGroupChange);
  EXPECT_EQ(kinds.at(5), BreachKind::kWidow);
}

TEST(Breach, ABoxThatReachesBeyondInOneColumnExpands) {
  const IncrementalRelease earlier = paper::Publish({{1, {{0, 9}, {0, 4}}}, {2, {{0, 9}, {0, 4}}}});
  const IncrementalRelease beyond =
      paper::Publish({{1, {{0, 4}, {0, 5}}}, {2, {{5, 9}, {0, 5}}}, {3, {{0, 4}, {0, 5}}}, {4, {{5, 9}, {0, 5}}}});
  EXPECT_EQ(FindBreaches(earlier, beyond, 2), (std::vector<Breach>{{1, 1, BreachKind::kSubgroupExpanding, true},
                                                                   {2, 1, BreachKind::kSubgroupExpanding, true},
                                                                   {3, 1, BreachKind::kWidow, true},
                                                                   {4, 1, BreachKind::kWidow, true}}));
  const IncrementalRelease within =
      paper::Publish({{1, {{0, 4}, {0, 4}}}, {2, {{5, 9}, {0, 4}}}, {3, {{0, 4}, {0, 4}}}, {4, {{5, 9}, {0, 4}}}});
  EXPECT_TRUE(FindBreaches(earlier, within, 2).empty());
}

// A group of five, k = 2: two old cases expand into safety together, one unsafe stranger makes widows of the new ones.
// Four are left without the stranger, so Lemma 3 is silent; the definition of a class is not.
TEST(Breach, AWidowWithoutTheLemmaIsStillCounted) {
  const IncrementalRelease earlier = OneColumn({{1, {0, 4}}, {2, {0, 4}}, {3, {5, 9}}, {4, {5, 9}}});
  const IncrementalRelease later =
      OneColumn({{1, {3, 7}}, {2, {3, 7}}, {3, {3, 7}}, {4, {8, 9}}, {5, {3, 7}}, {6, {8, 9}}});
  const auto breaches = FindBreaches(earlier, later, 2);
  ASSERT_EQ(breaches.size(), 2U);
  EXPECT_EQ(breaches[0], (Breach{3, 1, BreachKind::kOther, false}));
  EXPECT_EQ(breaches[1], (Breach{5, 1, BreachKind::kWidow, false}));
}

TEST(Breach, AWithdrawnCaseLeftAloneIsOutsideThePapersKinds) {
  const IncrementalRelease earlier = OneColumn({{1, {0, 9}}, {2, {0, 9}}, {3, {0, 9}}});
  const IncrementalRelease later = OneColumn({{1, {0, 4}}, {2, {0, 4}}});
  EXPECT_EQ(FindBreaches(earlier, later, 2), (std::vector<Breach>{{3, 1, BreachKind::kOther, false}}));
}

TEST(Breach, AReleaseBelowKByItselfIsOther) {
  const IncrementalRelease release = OneColumn({{1, {0, 1}}, {2, {2, 3}}, {3, {2, 3}}});
  EXPECT_EQ(FindBreaches(release, release, 2), (std::vector<Breach>{{1, 1, BreachKind::kOther, false}}));
  const auto none_is_enough = FindBreaches(release, release, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(none_is_enough.size(), 3U);
}

TEST(Breach, ContradictoryCasesAreNoBreachButStillGroupmates) {
  const IncrementalRelease earlier = OneColumn({{1, {0, 4}}, {2, {0, 4}}, {3, {5, 9}}, {4, {5, 9}}});
  const IncrementalRelease later = OneColumn({{1, {5, 9}}, {2, {0, 4}}, {3, {5, 9}}, {4, {5, 9}}});
  EXPECT_EQ(FindBreaches(earlier, later, 2), (std::vector<Breach>{{2, 1, BreachKind::kGroupChange, true}}));
}

TEST(Breach, WhatWasInferredSoFarMayStandForTheEarlierReleases) {
  const IncrementalHistory history = {OneColumn({{1, {0, 5}}, {2, {0, 5}}}), OneColumn({{1, {3, 9}}, {2, {3, 9}}}),
                                      OneColumn({{1, {3, 4}}, {2, {5, 5}}, {3, {3, 4}}, {4, {5, 5}}})};
  const InferenceTable so_far = Infer(history, std::vector<std::size_t>{0, 1});
  EXPECT_TRUE(FindBreaches(so_far.inferred, history[2], 2).empty());
  EXPECT_EQ(FindBreaches(so_far.inferred, history[2], 3).size(), 4U);
}

TEST(Breach, EveryKindHasAName) {
  EXPECT_EQ(ToString(BreachKind::kGroupChange), "group change");
  EXPECT_EQ(ToString(BreachKind::kSubgroupExpanding), "subgroup expanding");
  EXPECT_EQ(ToString(BreachKind::kWidow), "widow");
  EXPECT_EQ(ToString(BreachKind::kOther), "other");
}

}  // namespace
}  // namespace pentimento::breach_test
