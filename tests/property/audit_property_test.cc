#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "audit/audit_testing.h"
#include "audit/breach.h"
#include "audit/every_set.h"
#include "audit/inference.h"
#include "base/random.h"
#include "oracle/incremental_k_anonymity_oracle.h"
#include "property/small_series.h"
#include "release/incremental_history.h"

namespace pentimento::audit_property_test {
namespace {

using property::RandomGrowingPartitions;
using property::RandomSeries;

// The paper's kinds of breach as it defines them, on sets of cases: slow, and without the audit's counting.
using Cases = std::set<CaseNumber>;

// What the paper knows of one case in two releases of a table that grows.
struct PaperSituation {
  Cases earlier_group;  // G_F(t); empty for a new case
  Cases later_group;    // G_F1(t); empty for a withdrawn one
  Cases new_cases;      // Delta T
  Box earlier_box, later_box;
};

Cases GroupOf(const IncrementalRelease& release, CaseNumber number) {
  const auto box = oracle::PublishedBox(release, number);
  Cases group;
  for (const CaseNumber other : release.cases) {
    if (box && oracle::PublishedBox(release, other) == box) group.insert(other);
  }
  return group;
}

Cases Without(const Cases& cases, const Cases& others) {
  Cases left;
  std::ranges::set_difference(cases, others, std::inserter(left, left.end()));
  return left;
}

Cases Both(const Cases& cases, const Cases& others) { return Without(cases, Without(cases, others)); }

PaperSituation SituationOf(const IncrementalHistory& two, CaseNumber number) {
  const Cases old_cases(two[0].cases.begin(), two[0].cases.end()), all(two[1].cases.begin(), two[1].cases.end());
  return {GroupOf(two[0], number), GroupOf(two[1], number), Without(all, old_cases),
          oracle::PublishedBox(two[0], number).value_or(Box{}), oracle::PublishedBox(two[1], number).value_or(Box{})};
}

bool IsOldInBoth(const PaperSituation& t) { return !t.earlier_group.empty() && !t.later_group.empty(); }

bool IsGroupChange(const PaperSituation& t) {
  return IsOldInBoth(t) && !Without(t.earlier_group, t.later_group).empty() && Both(t.later_group, t.new_cases).empty();
}

// Of the situations in which a case is put with new ones, as the paper orders them.
bool IsSubgroupExpanding(const PaperSituation& t) {
  if (!IsOldInBoth(t) || Both(t.later_group, t.new_cases).empty()) return false;
  bool is_subrange = true;
  for (std::size_t c = 0; c < t.later_box.size(); ++c) is_subrange &= t.earlier_box[c].Contains(t.later_box[c]);
  return Without(Without(t.later_group, t.earlier_group), t.new_cases).empty() && !is_subrange;
}

Cases UnsafeOldGroupmates(const PaperSituation& t, const Cases& unsafe) {
  return Without(Both(t.later_group, unsafe), t.new_cases);
}

bool IsWidow(const PaperSituation& t, const Cases& unsafe) {
  return t.earlier_group.empty() && !UnsafeOldGroupmates(t, unsafe).empty();
}

bool LemmaOne(const PaperSituation& t, std::uint64_t k) { return IsGroupChange(t) && t.earlier_group.size() == k; }

bool LemmaTwo(const PaperSituation& t, std::uint64_t k) {
  return IsSubgroupExpanding(t) && Both(t.later_group, t.earlier_group).size() < k;
}

bool LemmaThree(const PaperSituation& t, const Cases& unsafe, std::uint64_t k) {
  return IsWidow(t, unsafe) && UnsafeOldGroupmates(t, unsafe).size() + k > t.later_group.size();
}

Cases UnsafeByDefinition(const IncrementalHistory& history, const oracle::ReleaseSet& set, std::uint64_t k) {
  Cases unsafe;
  for (const auto& [number, size] : oracle::ClassSizes(oracle::InferFrom(history, set))) {
    if (size < k) unsafe.insert(number);
  }
  return unsafe;
}

const oracle::ReleaseSet kBoth = {0, 1};

TEST(IncrementalOracle, ThePapersTwoReleasesAreNotTwoAnonymousTogether) {
  const IncrementalHistory history = {paper::Publish(paper::kTable2), paper::Publish(paper::kTable5)};
  const oracle::IncrementalResult result = oracle::CheckIncremental(history);
  EXPECT_FALSE(result.contradictory());
  EXPECT_EQ(result.smallest_class, 1U);
  EXPECT_EQ(result.smallest, (oracle::IncrementalWitness{kBoth, 1}));
  EXPECT_FALSE(oracle::IsKAnonymousAgainstUpdates(history, 2));
  EXPECT_EQ(oracle::InferFrom(history, kBoth).boxes, paper::kTable6);
  for (const IncrementalRelease& release : history) EXPECT_TRUE(oracle::IsKAnonymousAgainstUpdates({release}, 2));
}

TEST(IncrementalOracle, ASeriesThatOnlyAddsGroupsHolds) {
  const auto second = paper::Together(paper::kTable2, paper::kTable4);
  const IncrementalHistory history = {paper::Publish(paper::kTable2), paper::Publish(second)};
  EXPECT_EQ(oracle::CheckIncremental(history).smallest_class, 2U);
  EXPECT_TRUE(oracle::IsKAnonymousAgainstUpdates(history, 2));
  EXPECT_FALSE(oracle::IsKAnonymousAgainstUpdates(history, 3));
}

TEST(IncrementalOracle, ASetWithoutTheFirstReleaseMayBeTheOneThatBreaks) {
  const Box whole = {{0, 9}}, left = {{0, 4}}, right = {{5, 9}};
  const IncrementalHistory history = {paper::Publish({{1, left}, {2, left}}), paper::Publish({{1, whole}, {2, left}}),
                                      paper::Publish({{1, whole}, {2, whole}})};
  EXPECT_EQ(oracle::CheckIncremental(history).smallest, (oracle::IncrementalWitness{{1}, 1}));
  EXPECT_EQ(oracle::ClassSizes(oracle::InferFrom(history, {0, 1, 2})).at(1), 2U);
}

TEST(IncrementalOracle, AContradictionIsReportedApart) {
  const Box left = {{0, 4}}, right = {{5, 9}};
  const IncrementalHistory history = {paper::Publish({{1, left}, {2, left}}), paper::Publish({{1, left}, {2, right}})};
  const oracle::IncrementalResult result = oracle::CheckIncremental(history);
  EXPECT_EQ(result.contradiction, (oracle::IncrementalWitness{kBoth, 2}));
  EXPECT_FALSE(oracle::IsKAnonymousAgainstUpdates(history, 1));
}

TEST(IncrementalOracle, NothingPublishedHolds) {
  EXPECT_TRUE(oracle::IsKAnonymousAgainstUpdates({}, 1000));
  EXPECT_FALSE(oracle::CheckIncremental({IncrementalRelease{}}).smallest_class);
}

TEST(AuditProperty, WhatIsInferredIsTheDefinitionForEverySetOfReleases) {
  Random random(SeedFromNumber(11), "inference");
  std::size_t contradictory = 0, shared = 0;
  for (int repeat = 0; repeat < 4000; ++repeat) {
    const IncrementalHistory history = RandomSeries(random);
    for (const oracle::ReleaseSet& set : oracle::ReleaseSets(history.size())) {
      const InferenceTable table = Infer(history, set);
      const oracle::Inference truth = oracle::InferFrom(history, set);
      const auto sizes = oracle::ClassSizes(truth);
      std::map<CaseNumber, Box> boxes;
      std::map<CaseNumber, std::uint64_t> counted;
      for (std::size_t i = 0; i < table.inferred.cases.size(); ++i) {
        const auto box = table.inferred.box(table.inferred.box_of_case[i]);
        boxes[table.inferred.cases[i]] = Box(box.begin(), box.end());
        counted[table.inferred.cases[i]] = table.class_sizes[table.inferred.box_of_case[i]];
      }
      ASSERT_EQ(boxes, truth.boxes);
      ASSERT_EQ(counted, sizes);
      ASSERT_EQ(Cases(table.contradictory.begin(), table.contradictory.end()), truth.contradictory);
      ASSERT_TRUE(std::ranges::is_sorted(table.contradictory));
      contradictory += truth.contradictory.size();
      for (const auto& [number, size] : sizes) shared += size > 1 ? 1 : 0;
    }
  }
  EXPECT_GT(contradictory, 500U);
  EXPECT_GT(shared, 5000U);
}

TEST(AuditProperty, UnsafeCasesAndSafeRatioAreTheDefinition) {
  Random random(SeedFromNumber(12), "unsafe");
  for (int repeat = 0; repeat < 2000; ++repeat) {
    const IncrementalHistory history = RandomSeries(random);
    for (const oracle::ReleaseSet& set : oracle::ReleaseSets(history.size())) {
      const InferenceTable table = Infer(history, set);
      const auto all = table.inferred.cases.size() + oracle::InferFrom(history, set).contradictory.size();
      for (const std::uint64_t k :
           {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::numeric_limits<std::uint64_t>::max()}) {
        const Cases truth = UnsafeByDefinition(history, set, k);
        ASSERT_EQ(UnsafeCases(table, k), std::vector<CaseNumber>(truth.begin(), truth.end()));
        const Ratio ratio = SafeRatio(table, k);
        ASSERT_EQ(ratio.num * all, (table.inferred.cases.size() - truth.size()) * ratio.den) << "of " << all;
      }
    }
  }
}

TEST(AuditProperty, WhoIsSafeInEverySetIsTheDefinition) {
  Random random(SeedFromNumber(16), "every set");
  std::size_t more_than_together = 0;
  for (int repeat = 0; repeat < 4000; ++repeat) {
    const IncrementalHistory history = repeat % 2 == 0 ? RandomSeries(random) : RandomGrowingPartitions(random);
    EverySet known;
    for (const IncrementalRelease& release : history) known.Add(release);
    ASSERT_TRUE(known.is_exact());
    std::map<CaseNumber, std::uint64_t> fewest;
    for (const oracle::ReleaseSet& set : oracle::ReleaseSets(history.size())) {
      const oracle::Inference truth = oracle::InferFrom(history, set);
      const auto note = [&](CaseNumber number, std::uint64_t size) {
        const auto at = fewest.emplace(number, size).first;
        at->second = std::min(at->second, size);
      };
      for (const auto& [number, size] : oracle::ClassSizes(truth)) note(number, size);
      for (const CaseNumber number : truth.contradictory) note(number, 0);
    }
    const auto count = [&](const auto& is_it) {
      return static_cast<std::uint64_t>(std::ranges::count_if(fewest, [&](const auto& e) { return is_it(e.second); }));
    };
    for (const std::uint64_t k : {1, 2, 3}) {
      const std::uint64_t unsafe = count([&](std::uint64_t size) { return size < k; });
      ASSERT_EQ(known.UnsafeCount(k), unsafe);
      const Ratio ratio = known.SafeRatio(k);
      ASSERT_EQ(ratio.num * fewest.size(), (fewest.size() - unsafe) * ratio.den);
      const InferenceTable together = Infer(history);
      more_than_together += unsafe > UnsafeCases(together, k).size() + together.contradictory.size() ? 1 : 0;
    }
    ASSERT_EQ(known.AloneCount(), count([](std::uint64_t size) { return size == 1; }));
  }
  EXPECT_GT(more_than_together, 100U);
}

// Never a safe case, and never an unsafe one left out.
TEST(AuditProperty, BreachesAreExactlyTheUnsafeCasesOfTheInferenceTable) {
  Random random(SeedFromNumber(13), "breaches");
  for (int repeat = 0; repeat < 4000; ++repeat) {
    const IncrementalHistory history = repeat % 2 == 0 ? RandomSeries(random) : RandomGrowingPartitions(random);
    if (history.size() < 2) continue;
    for (std::uint64_t k = 1; k <= 4; ++k) {
      Cases unsafe;
      const auto sizes = oracle::ClassSizes(oracle::InferFrom(history, kBoth));
      for (const Breach& breach : FindBreaches(history[0], history[1], k)) {
        ASSERT_TRUE(unsafe.insert(breach.case_number).second);
        ASSERT_EQ(breach.class_size, sizes.at(breach.case_number));
      }
      ASSERT_EQ(unsafe, UnsafeByDefinition(history, kBoth, k));
    }
  }
}

BreachKind KindByDefinition(const PaperSituation& t, const Cases& unsafe) {
  if (IsGroupChange(t)) return BreachKind::kGroupChange;
  if (IsSubgroupExpanding(t)) return BreachKind::kSubgroupExpanding;
  return IsWidow(t, unsafe) ? BreachKind::kWidow : BreachKind::kOther;
}

TEST(AuditProperty, KindsAndLemmasAreThePapersDefinitions) {
  Random random(SeedFromNumber(14), "kinds");
  std::map<BreachKind, std::map<bool, int>> seen;
  for (int repeat = 0; repeat < 6000; ++repeat) {
    const IncrementalHistory history = repeat % 2 == 0 ? RandomSeries(random) : RandomGrowingPartitions(random);
    if (history.size() < 2) continue;
    for (std::uint64_t k = 2; k <= 4; ++k) {
      const Cases unsafe = UnsafeByDefinition(history, kBoth, k);
      for (const Breach& breach : FindBreaches(history[0], history[1], k)) {
        const auto t = SituationOf(history, breach.case_number);
        ASSERT_EQ(breach.kind, KindByDefinition(t, unsafe));
        ASSERT_EQ(breach.lemma_applies, LemmaOne(t, k) || LemmaTwo(t, k) || LemmaThree(t, unsafe, k));
        ++seen[breach.kind][breach.lemma_applies];
      }
    }
  }
  for (const BreachKind kind : {BreachKind::kGroupChange, BreachKind::kWidow}) {
    EXPECT_GT(seen[kind][true], 100) << ToString(kind);
    EXPECT_GT(seen[kind][false], 10) << ToString(kind);
  }
  EXPECT_GT(seen[BreachKind::kSubgroupExpanding][true], 100);
  EXPECT_GT(seen[BreachKind::kOther][false], 100);
}

// The paper asks for multidimensional partitioning: with disjoint boxes in each release its lemmas are true. Where
// boxes overlap they accuse safe cases, which is why a breach is counted and only explained by them.
TEST(AuditProperty, ThePapersLemmasHoldForDisjointBoxesOnly) {
  Random random(SeedFromNumber(15), "lemmas");
  std::size_t disjoint = 0, accused = 0;
  for (int repeat = 0; repeat < 8000; ++repeat) {
    const bool overlaps = repeat % 2 == 0;
    const IncrementalHistory history = overlaps ? RandomSeries(random) : RandomGrowingPartitions(random);
    if (history.size() < 2) continue;
    const Cases contradictory = oracle::InferFrom(history, kBoth).contradictory;
    for (std::uint64_t k = 2; k <= 4; ++k) {
      const Cases unsafe = UnsafeByDefinition(history, kBoth, k);
      for (const CaseNumber number : history[1].cases) {
        const auto t = SituationOf(history, number);
        const bool by_lemma = LemmaOne(t, k) || LemmaTwo(t, k) || LemmaThree(t, unsafe, k);
        if (!by_lemma || contradictory.contains(number)) continue;
        ASSERT_TRUE(overlaps || unsafe.contains(number));
        disjoint += overlaps ? 0 : 1;
        accused += overlaps && !unsafe.contains(number) ? 1 : 0;
      }
    }
  }
  EXPECT_GT(disjoint, 1000U);
  EXPECT_GT(accused, 100U);
}

}  // namespace
}  // namespace pentimento::audit_property_test
