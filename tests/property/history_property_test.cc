// What several releases tell together, against the definition by brute force.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/rounds_testing.h"
#include "guarantee/history/composition.h"
#include "guarantee/history/crowds.h"
#include "guarantee/history/history.h"
#include "guarantee/history/joint_classes.h"
#include "guarantee/history/stories.h"
#include "oracle/history_oracle.h"
#include "property/small_histories.h"

namespace pentimento::history_property_test {
namespace {

using property::ForEachHistory;
using property::RandomHistory;

bool HoldsByDefinition(const CommonReleases& common, std::uint64_t k, Membership membership) {
  const oracle::HistorySet all = AllReleases(common);
  for (std::uint32_t person = 0; person < common.people; ++person) {
    const auto smallest = membership == Membership::kKnown ? oracle::SmallestJointClass(common, all, person)
                                                           : oracle::SmallestCrowd(common, all, person);
    if (smallest && *smallest < k) return false;
  }
  return true;
}

void ExpectTheDefinition(const CommonReleases& common) {
  for (const Membership membership : {Membership::kUnknown, Membership::kKnown}) {
    for (std::uint64_t k = 1; k <= common.people + 1; ++k) {
      const auto violation = FindHistoryViolation(common, AllReleases(common), {k, membership});
      ASSERT_EQ(!violation, HoldsByDefinition(common, k, membership)) << k;
      if (!violation) continue;
      const std::uint64_t size = membership == Membership::kKnown
                                     ? oracle::JointClassSize(common, violation->releases, violation->person)
                                     : oracle::CrowdOf(common, violation->releases, violation->person).at_least;
      ASSERT_EQ(violation->count, size);
    }
  }
}

TEST(HistoryProperty, TheCheckerSaysWhatTheDefinitionSaysOfAllSmallReleases) {
  std::size_t cases = 0;
  const auto expect = [&](const CommonReleases& common) {
    ExpectTheDefinition(common);
    ++cases;
  };
  ForEachHistory(4, 2, expect);
  ForEachHistory(5, 2, expect);
  ForEachHistory(3, 3, expect);
  EXPECT_EQ(cases, 52U * 52 + 203U * 203 + 15U * 15 * 15);
}

TEST(HistoryProperty, TheCheckerSaysWhatTheDefinitionSaysWithStrangersAndCoveringClasses) {
  Random random(SeedFromNumber(1), "histories");
  for (std::size_t i = 0; i < TestRounds(4000); ++i) ExpectTheDefinition(RandomHistory(random, 7, 5));
}

TEST(HistoryProperty, TheCheckerSaysWhatTheDefinitionSaysWhereSomeCoveringClassesAreNotKnown) {
  Random random(SeedFromNumber(6), "histories");
  for (std::size_t i = 0; i < TestRounds(4000); ++i) {
    CommonReleases common = RandomHistory(random, 7, 5);
    for (CommonRelease& release : common.releases) {
      for (ClassNumber& covering : release.covering) covering = random.Below(3) == 0 ? kNobodyKnows : covering;
    }
    ExpectTheDefinition(common);
  }
}

TEST(HistoryProperty, CrowdsOverEverySetAreThoseOfTheDefinition) {
  Random random(SeedFromNumber(2), "histories");
  for (std::size_t i = 0; i < TestRounds(2000); ++i) {
    const CommonReleases common = RandomHistory(random, 7, 4);
    const oracle::HistorySet all = AllReleases(common);
    const Stories stories = TellStoriesOf(common, all);
    std::vector<std::uint32_t> everybody(stories.count());
    std::iota(everybody.begin(), everybody.end(), 0U);
    for (ReleaseMask mask = 1; mask <= stories.all(); ++mask) {
      WorkLimit limit;
      const auto crowds = FindCrowds(stories, mask, everybody, limit);
      oracle::HistorySet set;
      for (const std::uint32_t r : all) {
        if ((mask >> r & 1) != 0) set.push_back(r);
      }
      const JointClasses joint = FindJointClasses(common, set);
      for (std::uint32_t person = 0; person < common.people; ++person) {
        const std::uint64_t joint_size =
            joint.of_person[person] == kInNoRelease ? 0 : joint.people[joint.of_person[person]];
        ASSERT_EQ(joint_size, oracle::JointClassSize(common, set, person));
        if (stories.of_person[person] == kInNoRelease) continue;
        const Crowd found = crowds->at(stories.of_person[person]);
        const oracle::CrowdBounds bounds = oracle::CrowdOf(common, set, person);
        ASSERT_EQ(found.at_least, bounds.at_least);
        ASSERT_EQ(found.at_most, bounds.at_most);
        // The lemma: a joint class over all releases is in the crowd over any set that has a release of the person.
        if (oracle::IsInOneOf(common, set, person)) {
          ASSERT_LE(oracle::JointClassSize(common, all, person), bounds.at_least);
        }
      }
    }
  }
}

TEST(HistoryProperty, CompositionCountsTheSmallestCrowdsOfEverybody) {
  Random random(SeedFromNumber(3), "histories");
  for (std::size_t i = 0; i < TestRounds(2000); ++i) {
    const CommonReleases common = RandomHistory(random, 7, 4);
    const oracle::HistorySet all = AllReleases(common);
    for (std::uint64_t k = 1; k <= 4; ++k) {
      const Composition composition = Compose(common, all, k);
      CrowdCounts known, unknown;
      std::uint64_t people = 0;
      for (std::uint32_t person = 0; person < common.people; ++person) {
        const auto joint = oracle::SmallestJointClass(common, all, person);
        if (!joint) continue;
        const auto crowd = oracle::SmallestCrowd(common, all, person);
        ++people;
        known.below_k += *joint < k;
        unknown.below_k += *crowd < k;
        if (known.smallest == 0 || *joint < known.smallest) known.smallest = *joint;
        if (unknown.smallest == 0 || *crowd < unknown.smallest) unknown.smallest = *crowd;
      }
      ASSERT_EQ(composition.people, people);
      ASSERT_EQ(composition.known.below_k, known.below_k);
      ASSERT_EQ(composition.known.smallest, known.smallest);
      ASSERT_EQ(composition.unknown.below_k, unknown.below_k);
      if (unknown.below_k > 0) {
        ASSERT_EQ(composition.unknown.smallest, unknown.smallest);
      }
      ASSERT_LE(composition.unknown.smallest, unknown.smallest);
      ASSERT_LE(composition.unknown_at_best.below_k, unknown.below_k);
    }
  }
}

TEST(HistoryProperty, MinimalSetsAreThoseOfTheDefinition) {
  Random random(SeedFromNumber(4), "histories");
  for (std::size_t i = 0; i < TestRounds(1000); ++i) {
    const CommonReleases common = RandomHistory(random, 6, 4);
    const oracle::HistorySet all = AllReleases(common);
    for (const Membership membership : {Membership::kUnknown, Membership::kKnown}) {
      std::set<oracle::HistorySet> broken;
      for (const oracle::HistorySet& set : oracle::AllSetsOf(all)) {
        for (std::uint32_t person = 0; person < common.people; ++person) {
          if (!oracle::IsInOneOf(common, set, person)) continue;
          const std::uint64_t size = membership == Membership::kKnown ? oracle::JointClassSize(common, set, person)
                                                                      : oracle::CrowdOf(common, set, person).at_least;
          if (size < 2) broken.insert(set);
        }
      }
      std::set<oracle::HistorySet> minimal;
      for (const oracle::HistorySet& set : broken) {
        const bool has_part = std::ranges::any_of(
            broken, [&](const oracle::HistorySet& part) { return part != set && std::ranges::includes(set, part); });
        if (!has_part) minimal.insert(set);
      }
      const MinimalSets found = FindMinimalSets(common, all, 2, membership);
      ASSERT_TRUE(found.every_set);
      ASSERT_EQ(std::set<oracle::HistorySet>(found.sets.begin(), found.sets.end()), minimal);
      ASSERT_EQ(found.sets.size(), minimal.size());
    }
  }
}

// The bags of one column, from everybody's value.
void ShowValues(CommonRelease& release, const std::vector<std::uint32_t>& value_of_person, std::uint32_t values) {
  ValueBags bags{"disease", {0}, {}, {}};
  for (ClassNumber number = 0; number < release.classes(); ++number) {
    for (std::uint32_t value = 0; value < values; ++value) {
      std::uint32_t count = 0;
      for (std::uint32_t person = 0; person < value_of_person.size(); ++person)
        count += release.class_of[person] == number && value_of_person[person] == value ? 1 : 0;
      if (count == 0) continue;
      bags.value.push_back(value);
      bags.count.push_back(count);
    }
    bags.begin.push_back(static_cast<std::uint32_t>(bags.value.size()));
  }
  release.values = {std::move(bags)};
}

TEST(HistoryProperty, WhereAlphaIsAcceptedNobodyIsSurerOverAllWorlds) {
  constexpr std::uint32_t kValues = 3;
  std::size_t accepted = 0;
  std::size_t rightly_refused = 0;
  Random random(SeedFromNumber(7), "worlds");
  const auto expect = [&](CommonReleases common) {
    std::vector<std::uint32_t> value_of_person;
    for (std::uint32_t person = 0; person < common.people; ++person) value_of_person.push_back(random.Below(kValues));
    for (CommonRelease& release : common.releases) ShowValues(release, value_of_person, kValues);
    const oracle::WorldShare surest = oracle::SurestGuess(common, kValues);
    const bool keeps_half = surest.worlds * 2 <= surest.of;
    const bool is_accepted = !FindHistoryViolation(common, AllReleases(common), {1, Membership::kKnown, Ratio{1, 2}});
    ASSERT_TRUE(keeps_half || !is_accepted);
    accepted += is_accepted ? 1 : 0;
    rightly_refused += !is_accepted && !keeps_half ? 1 : 0;
  };
  ForEachHistory(4, 2, expect);
  ForEachHistory(3, 3, expect);
  for (std::size_t i = 0; i < TestRounds(1000); ++i) {
    // The second refines the first, or nearly.
    CommonReleases common{6, {property::ReleaseOf({0, 0, 0, 0, 0, 0}), property::ReleaseOf({0, 0, 0, 1, 1, 1})}};
    if (random.Below(2) == 0) common.releases[0] = property::ReleaseOf({0, 0, 0, 0, 0, kNotInRelease});
    if (random.Below(2) == 0) common.releases[1] = property::ReleaseOf({0, 0, 1, 1, 1, 1});
    expect(common);
  }
  EXPECT_GT(accepted, 100U);
  EXPECT_GT(rightly_refused, 100U);
}

// Renames people, classes and the order of releases.
CommonReleases Shuffled(const CommonReleases& common, Random& random) {
  const auto order_of = [&](std::uint32_t count) {
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0U);
    for (std::uint32_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.Below(i)]);
    return order;
  };
  const std::vector<std::uint32_t> person_at = order_of(common.people);
  CommonReleases shuffled{common.people, {}};
  for (const std::uint32_t r : order_of(static_cast<std::uint32_t>(common.releases.size()))) {
    const CommonRelease& old = common.releases[r];
    const std::vector<std::uint32_t> name = order_of(old.classes());
    const auto renamed = [&](ClassNumber number) { return number < name.size() ? name[number] : number; };
    CommonRelease& release = shuffled.releases.emplace_back(old);
    for (std::uint32_t person = 0; person < common.people; ++person) {
      release.class_of[person] = renamed(old.class_of[person_at[person]]);
      if (!old.covering.empty()) release.covering[person] = renamed(old.covering[person_at[person]]);
    }
    for (ClassNumber number = 0; number < old.classes(); ++number) release.rows[name[number]] = old.rows[number];
  }
  return shuffled;
}

TEST(HistoryProperty, TheOrderOfPeopleAndReleasesAndTheNamesOfClassesChangeNothing) {
  Random random(SeedFromNumber(5), "histories");
  for (std::size_t i = 0; i < TestRounds(2000); ++i) {
    const CommonReleases common = RandomHistory(random, 8, 4);
    const CommonReleases shuffled = Shuffled(common, random);
    for (std::uint64_t k = 2; k <= 3; ++k) {
      const Composition one = Compose(common, AllReleases(common), k);
      const Composition other = Compose(shuffled, AllReleases(shuffled), k);
      ASSERT_EQ(one.known, other.known);
      ASSERT_EQ(one.unknown, other.unknown);
      ASSERT_EQ(one.unknown_at_best, other.unknown_at_best);
      const auto violation = FindHistoryViolation(common, AllReleases(common), {k, Membership::kUnknown});
      ASSERT_EQ(violation.has_value(),
                FindHistoryViolation(shuffled, AllReleases(shuffled), {k, Membership::kUnknown}).has_value());
    }
  }
}

// Wrong checkers, each with one mistake that somebody could make: the sweep must tell them from the definition.
struct MutantOfHistory {
  std::string mistake;
  bool (*holds)(const CommonReleases& common, std::uint64_t k);
};

bool HoldOver(const CommonReleases& common, std::uint64_t k, const std::vector<oracle::HistorySet>& sets,
              bool by_upper_bound = false) {
  for (const oracle::HistorySet& set : sets) {
    for (std::uint32_t person = 0; person < common.people; ++person) {
      if (!oracle::IsInOneOf(common, set, person)) continue;
      const oracle::CrowdBounds crowd = oracle::CrowdOf(common, set, person);
      if ((by_upper_bound ? crowd.at_most : crowd.at_least) < k) return false;
    }
  }
  return true;
}

TEST(HistoryProperty, WrongCheckersAreSeen) {
  const std::vector<MutantOfHistory> mutants = {
      {"looks at all releases together only",
       [](const CommonReleases& common, std::uint64_t k) { return HoldOver(common, k, {AllReleases(common)}); }},
      {"looks at single releases only",
       [](const CommonReleases& common, std::uint64_t k) {
         std::vector<oracle::HistorySet> sets;
         for (const std::uint32_t r : AllReleases(common)) sets.push_back({r});
         return HoldOver(common, k, sets);
       }},
      {"looks at pairs only",
       [](const CommonReleases& common, std::uint64_t k) {
         std::vector<oracle::HistorySet> sets;
         for (const oracle::HistorySet& set : oracle::AllSetsOf(AllReleases(common))) {
           if (set.size() <= 2) sets.push_back(set);
         }
         return HoldOver(common, k, sets);
       }},
      {"takes the upper bound",
       [](const CommonReleases& common, std::uint64_t k) {
         return HoldOver(common, k, oracle::AllSetsOf(AllReleases(common)), true);
       }},
      {"takes joint classes for crowds",
       [](const CommonReleases& common, std::uint64_t k) { return HoldsByDefinition(common, k, Membership::kKnown); }},
      {"wants more than k", [](const CommonReleases& common,
                               std::uint64_t k) { return HoldsByDefinition(common, k + 1, Membership::kUnknown); }},
  };
  std::set<std::string> seen;
  Random random(SeedFromNumber(6), "histories");
  for (std::size_t i = 0; i < 3000; ++i) {
    const CommonReleases common = RandomHistory(random, 6, 3);
    const bool holds = !FindHistoryViolation(common, AllReleases(common), {2, Membership::kUnknown});
    for (const MutantOfHistory& mutant : mutants) {
      if (mutant.holds(common, 2) != holds) seen.insert(mutant.mistake);
    }
  }
  for (const MutantOfHistory& mutant : mutants) EXPECT_TRUE(seen.contains(mutant.mistake)) << mutant.mistake;
}

}  // namespace
}  // namespace pentimento::history_property_test
