#include "audit/one_to_one.h"

#include <gtest/gtest.h>

#include "guarantee/xy/small_join_testing.h"
#include "guarantee/xy/xy_anonymity.h"
#include "guarantee/xy/xy_linkability.h"

namespace pentimento::one_to_one_test {
namespace {

using NewRows = std::vector<SmallJoin::NewRow>;
using EarlierRows = std::vector<SmallJoin::EarlierRow>;

constexpr Interval kA{0, 0}, kB{1, 1};              // persons' names, in C
constexpr Interval kD1{0, 0}, kD2{1, 1}, kD{0, 1};  // d generalizes d1 and d2
constexpr Interval kY1{1, 1}, kY2{2, 2}, kY3{3, 3};

// Every value on C meets k values on Y, and none of them is likelier than one half.
void Ask(SmallJoin& join, std::uint64_t k) {
  join.releases.anonymity.push_back({{1}, {SmallJoin::kC}, {SmallJoin::kY}, k});
  join.releases.linkability.push_back({{1}, {SmallJoin::kC}, {{{SmallJoin::kY}, {}, {1, 2}}}});
}

OneToOneFindings Look(const SmallJoin& join, const PairingLimits& limits = {}) {
  auto findings = LookOneToOne(join.view(), join.releases, limits);
  EXPECT_TRUE(findings.ok());
  return std::move(findings).value();
}

TEST(OneToOne, OfTwoPeopleBesideALocallyRecodedReleaseOnePairingIsLeft) {
  // By the join a may be y1 or y2; b must be y2, so a is y1.
  SmallJoin join(NewRows{{kA, kD1}, {kB, kD2}}, EarlierRows{{kD1, kY1}, {kD, kY2}});
  Ask(join, 2);
  const OneToOneFindings findings = Look(join);
  ASSERT_EQ(findings.pairings.size(), 1u);
  EXPECT_EQ(findings.pairings[0].outcome, PairingOutcome::kPaired);
  EXPECT_EQ(findings.pairings[0].pairs, 3u);
  EXPECT_EQ(findings.pairings[0].ruled_out, 1u);
  ASSERT_EQ(findings.claims.size(), 2u);
  EXPECT_EQ(findings.claims[0].found, "1");
  EXPECT_EQ(findings.claims[0].required, "2");
  EXPECT_EQ(findings.claims[0].violation,
            "a value on x meets 1 value on y, 2 are required (row 1 of the input has it, with records like record 1 of "
            "'immigration-2025')");
  EXPECT_EQ(findings.claims[1].found, "1/1");
  EXPECT_EQ(findings.claims[1].required, "1/2");
  EXPECT_TRUE(findings.claims[1].violation);
}

TEST(OneToOne, WhatTheJoinPromisesIsLostWhereOthersNeedTheRecords) {
  SmallJoin join(NewRows{{kA, kD1}, {kB, kD2}, {kB, kD2}}, EarlierRows{{kD1, kY1}, {kD, kY2}, {kD, kY3}});
  Ask(join, 2);
  // Over the join nothing is wrong: a meets three values, b two.
  EXPECT_FALSE(FindXyAnonymityViolation(join.view(), join.releases, join.releases.anonymity[0]));
  EXPECT_FALSE(FindXyLinkabilityViolation(join.view(), join.releases, join.releases.linkability[0]));
  const OneToOneFindings findings = Look(join);
  ASSERT_EQ(findings.claims.size(), 2u);
  EXPECT_EQ(findings.pairings[0].ruled_out, 1u);
  EXPECT_EQ(findings.claims[0].found, "1");
  EXPECT_TRUE(findings.claims[0].violation);
  EXPECT_EQ(findings.claims[1].found, "1/1");
}

TEST(OneToOne, ASpareRecordLeavesThePairOpen) {
  // As above with one more record of d: then a may have it, and y1 is the spare one.
  SmallJoin join(NewRows{{kA, kD1}, {kB, kD2}, {kB, kD2}}, EarlierRows{{kD1, kY1}, {kD, kY2, 2}, {kD, kY3}});
  Ask(join, 2);
  const OneToOneFindings findings = Look(join);
  ASSERT_EQ(findings.pairings.size(), 1u);
  EXPECT_TRUE(findings.pairings[0].rows_are_fewer);
  EXPECT_EQ(findings.pairings[0].pairs, 3u);
  EXPECT_EQ(findings.pairings[0].ruled_out, 0u);
  EXPECT_TRUE(findings.claims.empty());
}

TEST(OneToOne, WhatStillHoldsOverTheRestIsToldWithItsNumbers) {
  // Two people and two records of d1; still two values for each.
  SmallJoin join(NewRows{{kA, kD1}, {kA, kD1}, {kB, kD2}, {kB, kD2}},
                 EarlierRows{{kD1, kY1}, {kD1, kY2}, {kD, kY2}, {kD, kY3}});
  Ask(join, 2);
  const OneToOneFindings findings = Look(join);
  ASSERT_EQ(findings.claims.size(), 2u);
  EXPECT_EQ(findings.pairings[0].ruled_out, 1u);
  EXPECT_EQ(findings.claims[0].found, "2");
  EXPECT_FALSE(findings.claims[0].violation);
  EXPECT_EQ(findings.claims[1].found, "2/4");
  EXPECT_FALSE(findings.claims[1].violation);
}

TEST(OneToOne, BesideACutThereIsNothingToLookFor) {
  SmallJoin join(NewRows{{kA, kD1}, {kB, kD2}}, EarlierRows{{kD, kY1}, {kD, kY2}});
  Ask(join, 2);
  EXPECT_TRUE(Look(join).pairings.empty());
  // Nor where the new release is the more general one; but where it is no cut, there is.
  SmallJoin general(NewRows{{kA, kD}, {kB, kD}}, EarlierRows{{kD1, kY1}, {kD2, kY2}});
  EXPECT_TRUE(Look(general).pairings.empty());
  SmallJoin local(NewRows{{kA, kD1}, {kB, kD}}, EarlierRows{{kD1, kY1}, {kD2, kY2}});
  EXPECT_EQ(Look(local).pairings.size(), 1u);
}

TEST(OneToOne, NumbersCutAtDifferentPlacesArePairedOffThoughBothAreCuts) {
  SmallJoin join(NewRows{{kA, {0, 9}}, {kB, {10, 19}}, {kB, {10, 19}}},
                 EarlierRows{{{0, 4}, kY1}, {{5, 19}, kY2}, {{5, 19}, kY3}});
  join.releases.common[0].by_overlap = true;
  Ask(join, 2);
  const OneToOneFindings findings = Look(join);
  ASSERT_EQ(findings.claims.size(), 2u);
  EXPECT_EQ(findings.claims[0].found, "1");
}

TEST(OneToOne, CommonSensePairsOffAsWell) {
  // C is the sex and D the condition: a man is not expecting.
  SmallJoin join(NewRows{{kA, {}}, {kB, {}}, {kB, {}}}, EarlierRows{{kD1, kY1}, {kD2, kY2}, {kD2, kY3}});
  join.releases.common.clear();
  join.releases.impossible.push_back({SmallJoin::kC, kB, SmallJoin::kD2, kD1});
  Ask(join, 2);
  const OneToOneFindings findings = Look(join);
  ASSERT_EQ(findings.claims.size(), 2u);
  EXPECT_EQ(findings.pairings[0].pairs, 3u);
  EXPECT_EQ(findings.pairings[0].ruled_out, 1u);
  EXPECT_EQ(findings.claims[0].found, "1");
}

TEST(OneToOne, WithoutAPairingNothingFollows) {
  // Three people of d1, and two records that may be theirs.
  SmallJoin join(NewRows{{kA, kD1}, {kB, kD1}, {kB, kD1}}, EarlierRows{{kD1, kY1}, {kD, kY2}, {kD2, kY3, 3}});
  Ask(join, 2);
  const OneToOneFindings findings = Look(join);
  ASSERT_EQ(findings.pairings.size(), 1u);
  EXPECT_EQ(findings.pairings[0].outcome, PairingOutcome::kNoPairing);
  EXPECT_TRUE(findings.claims.empty());
}

TEST(OneToOne, TooManyPairsOrStepsAreSaid) {
  SmallJoin join(NewRows{{kA, kD1}, {kB, kD2}}, EarlierRows{{kD1, kY1}, {kD, kY2}});
  Ask(join, 2);
  EXPECT_EQ(Look(join, {.most_pairs = 2}).pairings[0].outcome, PairingOutcome::kTooManyPairs);
  EXPECT_EQ(Look(join, {.most_pairs = 3}).pairings[0].outcome, PairingOutcome::kPaired);
  EXPECT_EQ(Look(join, {.most_steps = 3}).pairings[0].outcome, PairingOutcome::kTooManySteps);
  EXPECT_TRUE(Look(join, {.most_pairs = 2}).claims.empty());
}

TEST(OneToOne, EveryEarlierReleaseIsPairedByItself) {
  SmallJoin join(NewRows{{kA, kD1}, {kB, kD2}, {kB, kD2}}, EarlierRows{{kD1, kY1}, {kD, kY2}, {kD, kY3}});
  join.AddEarlier("harbour-2025", {{kD, kY1}, {kD, kY2}, {kD, kY3}});
  join.releases.common[0].columns.push_back({2, 0});
  join.releases.anonymity.push_back({{2}, {SmallJoin::kC}, {{2, 1}}, 2});
  join.releases.anonymity.push_back({{1, 2}, {SmallJoin::kC}, {SmallJoin::kY}, 2});
  const OneToOneFindings findings = Look(join);
  ASSERT_EQ(findings.pairings.size(), 1u);
  EXPECT_EQ(findings.pairings[0].release, 1u);
  ASSERT_EQ(findings.claims.size(), 1u);  // the other one has nothing to do with that release
  EXPECT_EQ(findings.claims[0].claim, 1u);
  EXPECT_EQ(findings.claims[0].found, "1");
}

TEST(OneToOne, ReleasesThatDoNotFitAreAnError) {
  SmallJoin join(NewRows{{kA, kD1}}, EarlierRows{{kD1, kY1}});
  join.releases.earlier[0].records[0] = 0;
  EXPECT_FALSE(LookOneToOne(join.view(), join.releases).ok());
}

}  // namespace
}  // namespace pentimento::one_to_one_test
