// The oracle of the lossy join gives the numbers of the paper and of the traps, and obeys the laws that they follow.
#include "property/join_examples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <vector>

#include "oracle/xy_oracle.h"
#include "property/join_traps.h"
#include "property/small_tables.h"

namespace pentimento::join_examples::join_examples_test {
namespace {

using oracle::join::Anonymities;
using oracle::join::DanglingRows;
using oracle::join::FindGreatestLinkability;
using oracle::join::FindLeastAnonymity;
using oracle::join::IsAnonymous;
using oracle::join::Join;
using oracle::join::KeepsLimit;
using oracle::join::Linkabilities;
using oracle::join::Match;
using oracle::join::PerfectMatchingPossible;
using oracle::join::RowsMatch;

void ExpectAnonymity(const Instance& instance, const AnonymityFact& fact) {
  const auto of_x = Anonymities(instance, fact.x, fact.y);
  const auto least = FindLeastAnonymity(instance, fact.x, fact.y);
  ASSERT_TRUE(least);
  EXPECT_EQ(least->anonymity, fact.least);
  EXPECT_EQ(of_x.at(least->x), fact.least) << "the witness does not have the least anonymity";
  for (const auto& [x, anonymity] : fact.of_x) EXPECT_EQ(of_x.at(x), anonymity);
  EXPECT_TRUE(IsAnonymous(instance, fact.x, fact.y, fact.least));
  EXPECT_FALSE(IsAnonymous(instance, fact.x, fact.y, fact.least + 1));
}

const Linkability* Find(const std::vector<Linkability>& all, const Value& x, const ValueSet& y) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.x == x && one.y == y; });
  return found == all.end() ? nullptr : &*found;
}

void ExpectLinkability(const Instance& instance, const LinkabilityFact& fact) {
  const auto all = Linkabilities(instance, fact.x, fact.greatest);
  const auto greatest = FindGreatestLinkability(instance, fact.x, fact.greatest);
  ASSERT_TRUE(greatest);
  EXPECT_EQ(greatest->with_both * fact.greatest.den, fact.greatest.num * greatest->with_x);
  const Linkability* witness = Find(all, greatest->x, greatest->y);
  ASSERT_TRUE(witness);
  EXPECT_EQ(witness->with_both, greatest->with_both);
  EXPECT_EQ(witness->with_x, greatest->with_x);
  for (const Linkability& stated : fact.of_xy) {
    const Linkability* found = Find(all, stated.x, stated.y);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->with_both, stated.with_both);
    EXPECT_EQ(found->with_x, stated.with_x);
  }
  EXPECT_TRUE(KeepsLimit(instance, fact.x, fact.greatest));
  LinkabilityLimit below = fact.greatest;
  below.num = below.num * 1000 - 1;
  below.den *= 1000;
  EXPECT_FALSE(KeepsLimit(instance, fact.x, below));
}

void ExpectAsStated(const Example& example) {
  EXPECT_EQ(Join(example.instance).size(), example.matches);
  auto dangling = example.dangling;
  dangling.resize(example.instance.releases.size());
  EXPECT_EQ(DanglingRows(example.instance), dangling);
  for (const AnonymityFact& fact : example.anonymities) ExpectAnonymity(example.instance, fact);
  for (const LinkabilityFact& fact : example.linkabilities) ExpectLinkability(example.instance, fact);
}

// The rows of T2 that a row of T1 has in some pairing of all rows.
std::set<std::size_t> PartnersInPairings(const Instance& instance, std::size_t row) {
  std::set<std::size_t> partners;
  for (std::size_t other = 0; other < instance.releases[1].size(); ++other) {
    if (PerfectMatchingPossible(instance, 0, row, 1, other)) partners.insert(other);
  }
  return partners;
}

std::uint64_t Least(const Instance& instance, const Columns& x, const Columns& y) {
  return FindLeastAnonymity(instance, x, y).value().anonymity;
}

TEST(JoinExamples, Table1JoinsToTheSevenRowsPrinted) {
  const auto matches = Join(table1::Releases());
  EXPECT_EQ(std::set<Match>(matches.begin(), matches.end()),
            (std::set<Match>{{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}, {0, 1}, {1, 0}}));
  EXPECT_EQ(matches.size(), 7u);
}

TEST(JoinExamples, ExampleOneSharpensWeakensAndInfers) { ExpectAsStated(Example1()); }

TEST(JoinExamples, ExampleOneHasLargerGroupsInEachReleaseAlone) {
  ExpectAsStated(Example1NewReleaseAlone());
  ExpectAsStated(Example1EarlierReleaseAlone());
}

TEST(JoinExamples, ExampleTwoCountsPatientsAndTests) { ExpectAsStated(Example2()); }

TEST(JoinExamples, ExampleThreeHasNinetyPercent) { ExpectAsStated(Example3()); }

TEST(JoinExamples, ValuesHaveLimitsOfTheirOwn) { ExpectAsStated(ValuesOfTheirOwn()); }

TEST(JoinExamples, ValuesOfASetAreCountedTogether) { ExpectAsStated(ValuesCountedTogether()); }

TEST(JoinExamples, TwentyNineOfAHundredMayHaveTwentyNinePercent) { ExpectAsStated(TwentyNineOfAHundred()); }

TEST(JoinExamples, CategoriesMatchOnTheSamePath) { ExpectAsStated(SamePath()); }

TEST(JoinExamples, CommonSenseExcludesDescendantsAndNothingMoreGeneral) { ExpectAsStated(CommonSense()); }

TEST(JoinExamples, ACommonKeyGivesAnonymityOfTheNewReleaseAlone) {
  ExpectAsStated(CommonKey());
  const Instance instance = CommonKey().instance, alone{{instance.releases[0]}, {}, {}};
  for (const Columns& x : {Columns{{0, 0}}, Columns{{0, 1}}, Columns{{0, 0}, {0, 2}}}) {
    EXPECT_EQ(Anonymities(instance, x, {{0, 3}}), Anonymities(alone, x, {{0, 3}}));
  }
}

TEST(JoinExamples, DanglingRowsBreakAntiMonotonicity) {
  ExpectAsStated(Section4(false));
  ExpectAsStated(Section4(true));
}

TEST(JoinExamples, PairsOfKeysAreMoreThanKeysWhereEverythingMatches) { ExpectAsStated(EverythingMatches()); }

TEST(JoinExamples, EarlierReleasesMustMatchEachOther) {
  ExpectAsStated(ThreeReleases());
  ExpectAsStated(CommonSenseBetweenEarlierReleases());
}

TEST(JoinTraps, TheEarlierReleasesJobsMakeTableOneInfeasible) { ExpectAsStated(JobsAtAny()); }

TEST(JoinTraps, WithAllJoinAttributesInXEachReleaseCountsAlone) {
  for (const Level level : {Level::kLeaves, Level::kNodes, Level::kRoot}) {
    const Example example = Degenerate(level);
    ExpectAsStated(example);
    const Instance t1{{example.instance.releases[0]}, {}, {}}, t2{{example.instance.releases[1]}, {}, {}};
    const Columns x = {{0, 0}, {0, 1}, {1, 0}};
    EXPECT_EQ(Least(example.instance, x, {{0, 2}}), Least(t1, {{0, 0}, {0, 1}}, {{0, 2}}));
    EXPECT_EQ(Least(example.instance, x, {{1, 1}}), Least(t2, {{0, 0}}, {{0, 1}}));
  }
}

TEST(JoinTraps, PairsOfKeysMayGainBySpecialization) {
  ExpectAsStated(PairsOfKeys(false));
  ExpectAsStated(PairsOfKeys(true));
}

TEST(JoinTraps, LinkabilityMayFallWhenAJoinAttributeIsOutsideX) {
  ExpectAsStated(JoinAttributeOutsideX(false));
  ExpectAsStated(JoinAttributeOutsideX(true));
}

TEST(JoinTraps, ASharedKeyCountsOnce) {
  ExpectAsStated(GeneralizedEarlierRelease());
  ExpectAsStated(OneValueThroughTwoPartitions());
  ExpectAsStated(SeveralPartitionsOfOneX());
}

TEST(JoinTraps, TwoHundredPairsMayBeOnePerson) { ExpectAsStated(OnePersonInTwoHundredPairs()); }

TEST(JoinTraps, ALocallyRecodedReleaseFallsToPairing) {
  const Example example = LocallyRecoded();
  ExpectAsStated(example);
  EXPECT_EQ(PartnersInPairings(example.instance, 0), std::set<std::size_t>{0});
  EXPECT_EQ(PartnersInPairings(example.instance, 1), std::set<std::size_t>{1});
}

TEST(JoinTraps, PairingFindsWhatTheJoinDoesNot) {
  for (const Example& example : {LocallyRecodedUnseen(), CutAtDifferentPlaces(), SortedByCommonSense()}) {
    ExpectAsStated(example);
    EXPECT_EQ(PartnersInPairings(example.instance, 0), std::set<std::size_t>{0});
    EXPECT_EQ(PartnersInPairings(example.instance, 1), (std::set<std::size_t>{1, 2}));
  }
}

TEST(JoinTraps, PairingFindsNothingMoreInCutsOfATaxonomy) {
  const Example example = CutsOnBothSides();
  ExpectAsStated(example);
  for (const Match& match : Join(example.instance)) {
    EXPECT_TRUE(PerfectMatchingPossible(example.instance, 0, match[0], 1, match[1]));
  }
}

TEST(JoinTraps, SharedNumbersJoinByOverlap) {
  for (const Ages ages : {Ages::kLeftOut, Ages::kOverlap, Ages::kPath}) ExpectAsStated(SharedNumbers(ages));
  ExpectAsStated(NumbersThatTouch());
}

TEST(JoinTraps, SeveralRowsOfOnePersonCountOnce) { ExpectAsStated(SeveralRowsOfOnePerson()); }

// Corollary 3.1, over all examples. For linkability "fewer Y" are fewer attributes: fewer listed values demand less.
TEST(JoinLaws, MoreOfXOrLessOfYIsAStrongerDemand) {
  for (const Example& example : All()) {
    for (const AnonymityFact& fact : example.anonymities) {
      for (std::size_t i = 0; i < fact.x.size(); ++i) {
        Columns fewer = fact.x;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        EXPECT_GE(Least(example.instance, fewer, fact.y), fact.least);
      }
      for (const Column y : fact.y) EXPECT_LE(Least(example.instance, fact.x, {y}), fact.least);
    }
    for (const LinkabilityFact& fact : example.linkabilities) {
      for (std::size_t i = 0; i < fact.x.size(); ++i) {
        Columns fewer = fact.x;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        EXPECT_TRUE(KeepsLimit(example.instance, fewer, fact.greatest));
      }
    }
  }
}

TEST(JoinLaws, TheOrderOfRowsDoesNotMatter) {
  for (Example example : All()) {
    for (std::size_t r = 0; r < example.instance.releases.size(); ++r) {
      auto& rows = example.instance.releases[r];
      std::reverse(rows.begin(), rows.end());
      if (example.dangling.empty()) continue;
      std::set<std::size_t> reversed;
      for (const std::size_t row : example.dangling[r]) reversed.insert(rows.size() - 1 - row);
      example.dangling[r] = reversed;
    }
    ExpectAsStated(example);
  }
}

TEST(JoinLaws, AnEmptyJoinBreaksNoPromise) {
  const Attribute d("any(d1 d2)");
  const Instance instance = TwoReleases(Rows({d}, "d1"), {0, 0}, Rows({d}, "d2 x2"), {1, 0});
  EXPECT_TRUE(Join(instance).empty());
  EXPECT_EQ(DanglingRows(instance), (std::vector<std::set<std::size_t>>{{0}, {0, 1}}));
  EXPECT_FALSE(FindLeastAnonymity(instance, {{0, 0}}, {{1, 0}}));
  EXPECT_TRUE(IsAnonymous(instance, {{0, 0}}, {{1, 0}}, 2));
  EXPECT_FALSE(FindGreatestLinkability(instance, {{0, 0}}, {{{1, 0}}, std::nullopt, 1, 2}));
  EXPECT_TRUE(KeepsLimit(instance, {{0, 0}}, {{{1, 0}}, std::nullopt, 1, 2}));
}

TEST(JoinLaws, WithoutYNothingIsVerified) {
  EXPECT_THROW(Anonymities(table1::Releases(), {{0, 0}}, {}), std::invalid_argument);
  EXPECT_THROW(Linkabilities(table1::Releases(), {{0, 0}}, {}), std::invalid_argument);
  EXPECT_THROW(KeepsLimit(table1::Releases(), {{0, 0}}, {{{1, 1}}, std::nullopt, 1, 0}), std::invalid_argument);
}

TEST(JoinLaws, LimitsAreComparedInMoreThanSixtyFourBits) {
  const Attribute who("any(x)"), disease("any(s t)");
  const Instance instance{{Rows({who, disease}, "x s x2, x t x2")}, {}, {}};
  // 2 * 10^19 does not fit 64 bits, 4 * 4.5 * 10^18 does.
  const std::uint64_t den = 10'000'000'000'000'000'000u;
  const std::vector<ValueSet> s = {{{disease("s")}}};
  EXPECT_FALSE(KeepsLimit(instance, {{0, 0}}, {{{0, 1}}, s, 4'500'000'000'000'000'000u, den}));
  EXPECT_TRUE(KeepsLimit(instance, {{0, 0}}, {{{0, 1}}, s, 5'000'000'000'000'000'000u, den}));
  EXPECT_FALSE(KeepsLimit(instance, {{0, 0}}, {{{0, 1}}, s, 4'999'999'999'999'999'999u, den}));
}

TEST(JoinLaws, AListedValueThatNeverOccursIsNeverInferred) {
  const Attribute who("any(x)"), disease("any(s t)");
  const Instance instance{{Rows({who, disease}, "x s x2")}, {}, {}};
  const LinkabilityLimit limit{{{0, 1}}, {{{{disease("t")}}}}, 0, 1};
  EXPECT_EQ(FindGreatestLinkability(instance, {{0, 0}}, limit).value().with_both, 0u);
  EXPECT_TRUE(KeepsLimit(instance, {{0, 0}}, limit));
}

// Whether a pairing with this pair exists, by trying all of them.
bool SomePermutationPairs(const Instance& instance, std::size_t row0, std::size_t row1) {
  std::vector<std::size_t> partner(instance.releases[0].size());
  std::iota(partner.begin(), partner.end(), std::size_t{0});
  do {
    bool is_pairing = partner[row0] == row1;
    for (std::size_t row = 0; row < partner.size(); ++row) {
      is_pairing = is_pairing && RowsMatch(instance, 0, row, 1, partner[row]);
    }
    if (is_pairing) return true;
  } while (std::next_permutation(partner.begin(), partner.end()));
  return false;
}

TEST(JoinLaws, PairingsAreThoseThatTryingAllFinds) {
  const std::vector<Interval> cells = {{0, 2}, {0, 1}, {1, 2}, {0, 0}, {2, 2}};
  std::size_t possible = 0, impossible = 0;
  property::ForEachSequence(6, 5, [&](const std::vector<std::uint32_t>& digits) {
    std::vector<Row> t1, t2;
    for (std::size_t i = 0; i < 3; ++i) {
      t1.push_back({cells[digits[i]]});
      t2.push_back({cells[digits[i + 3]]});
    }
    const Instance instance = TwoReleases(t1, {0, 0}, t2, {1, 0});
    for (std::size_t row0 = 0; row0 < 3; ++row0) {
      for (std::size_t row1 = 0; row1 < 3; ++row1) {
        const bool expected = SomePermutationPairs(instance, row0, row1);
        ASSERT_EQ(PerfectMatchingPossible(instance, 0, row0, 1, row1), expected);
        ++(expected ? possible : impossible);
      }
    }
  });
  EXPECT_GT(possible, 1000u);
  EXPECT_GT(impossible, 1000u);
}

TEST(JoinLaws, ReleasesOfDifferentSizesHaveNoPairing) {
  const Attribute d("any(d1 d2)");
  const Instance instance = TwoReleases(Rows({d}, "d1"), {0, 0}, Rows({d}, "d1 x2"), {1, 0});
  EXPECT_FALSE(PerfectMatchingPossible(instance, 0, 0, 1, 0));
}

}  // namespace
}  // namespace pentimento::join_examples::join_examples_test
