// Values that stay over several releases: what is inferred against all worlds of small sets of releases, and against
// the truth of larger ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "audit/holders.h"
#include "audit/stay.h"
#include "audit/stay_testing.h"
#include "base/random.h"
#include "oracle/staying_values_oracle.h"
#include "release/common_releases.h"

namespace pentimento::staying_values_test {
namespace {

using testing::AllOf;
using testing::kDisease;
using testing::ReleaseOf;
using testing::Releases;

struct SmallSet {
  std::vector<std::uint32_t> truth;
  std::uint32_t values = 0;
  CommonReleases common;
  std::vector<oracle::staying::Release> plain;  // the same for the oracle
};

oracle::staying::Release PlainOf(const CommonRelease& release) {
  oracle::staying::Release plain;
  for (const ClassNumber number : release.class_of) {
    plain.class_of.emplace_back();
    if (number != kNotInRelease) plain.class_of.back() = number;
  }
  const ValueBags& bags = release.values.front();
  for (ClassNumber c = 0; c < release.classes(); ++c) {
    plain.bag_of_class.emplace_back();
    for (std::size_t i = 0; i < bags.values_of(c).size(); ++i)
      plain.bag_of_class.back()[bags.values_of(c)[i]] = bags.counts_of(c)[i];
  }
  return plain;
}

// Up to seven people who come and go, some strangers; where `changes`, one value is not what it was.
SmallSet DrawSmallSet(Random& random, std::size_t releases, bool changes) {
  SmallSet set;
  const std::uint32_t people = 3 + random.Below(5);
  set.values = 2 + random.Below(2);
  for (std::uint32_t p = 0; p < people; ++p) set.truth.push_back(random.Below(set.values));
  const bool they_come_and_go = random.Below(2) == 0;
  const bool has_strangers = random.Below(3) == 0;
  std::vector<CommonRelease> drawn;
  for (std::size_t r = 0; r < releases; ++r) {
    const std::uint32_t classes = 1 + random.Below(3);
    std::vector<ClassNumber> class_of;
    for (std::uint32_t p = 0; p < people; ++p)
      class_of.push_back(they_come_and_go && random.Below(4) == 0 ? kNotInRelease : random.Below(classes));
    std::vector<std::pair<ClassNumber, std::uint32_t>> strangers;
    for (std::uint32_t i = has_strangers ? random.Below(3) : 0; i > 0; --i)
      strangers.emplace_back(random.Below(classes), random.Below(set.values));
    std::vector<std::uint32_t> values = set.truth;
    if (changes && r > 0) values[random.Below(people)] = random.Below(set.values);
    drawn.push_back(ReleaseOf(std::move(class_of), values, strangers));
    set.plain.push_back(PlainOf(drawn.back()));
  }
  set.common = Releases(std::move(drawn));
  return set;
}

bool IsInAny(const SmallSet& set, std::size_t person) {
  return std::ranges::any_of(set.common.releases,
                             [&](const CommonRelease& r) { return r.class_of[person] != kNotInRelease; });
}

StayBound BoundOf(const StayingValues& found, std::uint32_t person, std::uint32_t value) {
  for (const StayBound& bound : found.BoundsOf(person)) {
    if (bound.value == value) return bound;
  }
  return {.value = value, .least = 0, .most = 0};
}

StayingValues Infer(const CommonReleases& common, const StayLimits& limits = {}) {
  return InferStayingValues(
      common, {.column = kDisease, .releases = AllOf(common), .alpha = {1, 2}, .estimate_rounds = 20}, limits);
}

struct Seen {
  std::uint64_t exact = 0;
  std::uint64_t loose = 0;
  std::uint64_t certain = 0;
};

// Everything that is said of a set is true in all its worlds; what is called exact is reached in one.
void CompareWithWorlds(const SmallSet& set, const std::vector<oracle::staying::World>& worlds,
                       const StayingValues& found, Seen& seen) {
  for (std::uint32_t p = 0; p < set.truth.size(); ++p) {
    if (!IsInAny(set, p)) continue;
    const auto alike = oracle::staying::AlikeTo(set.plain, p, set.truth.size());
    const bool is_exact = found.is_exact[found.joint_of_person[p]] != 0;
    bool is_certain = false;
    for (std::uint32_t v = 0; v < set.values; ++v) {
      const oracle::staying::Range truth = oracle::staying::HoldersOver(worlds, alike, v);
      const StayBound said = BoundOf(found, p, v);
      is_certain = is_certain || truth.least == alike.size();
      ASSERT_LE(said.least, truth.least);
      ASSERT_GE(said.most, truth.most);
      if (is_exact) {
        ASSERT_EQ(said.least, truth.least);
        ASSERT_EQ(said.most, truth.most);
      }
      ++(is_exact ? seen.exact : seen.loose);
    }
    if (found.CertainValue(p)) {
      ASSERT_EQ(*found.CertainValue(p), set.truth[p]);
      ASSERT_TRUE(is_certain);
      ++seen.certain;
    }
    ASSERT_TRUE(!is_exact || found.CertainValue(p).has_value() == is_certain);
  }
}

TEST(StayingValues, OnSmallSetsBoundsEqualThoseOverAllWorlds) {
  Random random(SeedFromNumber(71), "small sets");
  Seen seen;
  for (int i = 0; i < 3000; ++i) {
    const SmallSet set = DrawSmallSet(random, 2 + random.Below(2), /*changes=*/false);
    const auto worlds = oracle::staying::ConsistentWorlds(set.plain, set.truth.size(), set.values);
    const StayingValues found = Infer(set.common);
    ASSERT_EQ(found.contradicted, 0);
    ASSERT_FALSE(found.stopped);
    ASSERT_TRUE(found.exact());
    CompareWithWorlds(set, worlds, found, seen);
  }
  EXPECT_EQ(seen.loose, 0);
  EXPECT_GT(seen.certain, 1000);
}

TEST(StayingValues, WithoutSearchBoundsNeverSayMoreThanAllWorlds) {
  Random random(SeedFromNumber(72), "small sets");
  Seen seen;
  for (int i = 0; i < 3000; ++i) {
    const SmallSet set = DrawSmallSet(random, 2 + random.Below(2), /*changes=*/false);
    const auto worlds = oracle::staying::ConsistentWorlds(set.plain, set.truth.size(), set.values);
    const StayLimits limits{.work = random.Below(60), .search = {.unknowns = 0}};
    CompareWithWorlds(set, worlds, Infer(set.common, limits), seen);
  }
  EXPECT_GT(seen.loose, 1000);
  EXPECT_GT(seen.certain, 1000);
}

TEST(StayingValues, ValuesThatChangedAreNeverTakenForCertain) {
  Random random(SeedFromNumber(73), "changes");
  int impossible = 0;
  for (int i = 0; i < 3000; ++i) {
    const SmallSet set = DrawSmallSet(random, 2 + random.Below(2), /*changes=*/true);
    const auto worlds = oracle::staying::ConsistentWorlds(set.plain, set.truth.size(), set.values);
    const StayingValues found = Infer(set.common);
    // Where nobody is contradicted, there is a world; where somebody is, there is none.
    ASSERT_EQ(found.contradicted > 0 || found.people == 0, worlds.empty() || found.people == 0);
    if (worlds.empty()) ++impossible;
    for (std::uint32_t p = 0; p < set.truth.size(); ++p) {
      const std::uint32_t joint = found.joint_of_person[p];
      if (joint == kNoJointClass || found.is_contradicted[joint] == 0) continue;
      ASSERT_TRUE(found.BoundsOf(p).empty());
      // Whoever shares a class with the contradicted is contradicted.
      for (const CommonRelease& release : set.common.releases) {
        for (std::uint32_t q = 0; q < set.truth.size(); ++q) {
          if (release.class_of[p] == kNotInRelease || release.class_of[q] != release.class_of[p]) continue;
          ASSERT_NE(found.is_contradicted[found.joint_of_person[q]], 0);
        }
      }
    }
  }
  EXPECT_GT(impossible, 500);
}

// The worlds of one value: everybody has it (1) or does not (0).
std::vector<oracle::staying::Release> OnlyValue(const std::vector<oracle::staying::Release>& releases,
                                                std::uint32_t value) {
  std::vector<oracle::staying::Release> only = releases;
  for (oracle::staying::Release& release : only) {
    for (auto& bag : release.bag_of_class) {
      std::map<std::uint32_t, std::uint32_t> two;
      for (const auto& [v, count] : bag) two[v == value ? 1 : 0] += count;
      bag = two;
    }
  }
  return only;
}

TEST(StayingValues, HoldersOfOneValueEqualThoseOverAllWorlds) {
  Random random(SeedFromNumber(74), "holders");
  int impossible = 0;
  int forced = 0;
  for (int i = 0; i < 3000; ++i) {
    const SmallSet set = DrawSmallSet(random, 2, /*changes=*/i % 3 == 0);
    for (std::uint32_t v = 0; v < set.values; ++v) {
      const auto worlds = oracle::staying::ConsistentWorlds(OnlyValue(set.plain, v), set.truth.size(), 2);
      const ValueHolders found = FindHolders(set.common, kDisease, v, {0, 1});
      ASSERT_EQ(found.is_possible, !worlds.empty());
      ASSERT_TRUE(found.is_exact);
      if (worlds.empty()) ++impossible;
      for (std::uint32_t p = 0; p < set.truth.size() && !worlds.empty(); ++p) {
        if (!IsInAny(set, p)) continue;
        const auto alike = oracle::staying::AlikeTo(set.plain, p, set.truth.size());
        const oracle::staying::Range truth = oracle::staying::HoldersOver(worlds, alike, 1);
        ASSERT_EQ(found.least[found.joint_of_person[p]], truth.least);
        ASSERT_EQ(found.most[found.joint_of_person[p]], truth.most);
        ASSERT_EQ(found.HasIt(p), truth.least == alike.size());
        const bool has_it_not = found.most[found.joint_of_person[p]] == 0;
        ASSERT_EQ(has_it_not, truth.most == 0);
        if (found.HasIt(p) || has_it_not) ++forced;
      }
    }
  }
  EXPECT_GT(impossible, 100);
  EXPECT_GT(forced, 1000);
}

TEST(StayingValues, OfRandomRegistersAllThatIsCertainIsRightAndItIsALot) {
  Random random(SeedFromNumber(75), "registers");
  std::uint64_t certain = 0;
  std::uint64_t by_support = 0;
  std::uint64_t unsettled = 0;
  for (int i = 0; i < 100; ++i) {
    const std::uint32_t people = 300;
    std::vector<std::uint32_t> truth;
    for (std::uint32_t p = 0; p < people; ++p) truth.push_back(random.Below(8));
    std::vector<CommonRelease> releases;
    for (int r = 0; r < 3; ++r) {
      std::vector<ClassNumber> class_of;
      for (std::uint32_t p = 0; p < people; ++p) class_of.push_back(random.Below(60));
      releases.push_back(ReleaseOf(std::move(class_of), truth));
    }
    const StayingValues found = Infer(Releases(std::move(releases)));
    ASSERT_EQ(found.contradicted, 0);
    std::uint32_t seen = 0;
    for (std::uint32_t p = 0; p < people; ++p) {
      if (!found.CertainValue(p)) continue;
      ++seen;
      ASSERT_EQ(*found.CertainValue(p), truth[p]);
    }
    ASSERT_EQ(seen, found.certain);
    certain += found.certain;
    by_support += found.certain_by_support;
    unsettled += found.unsettled;
  }
  RecordProperty("certain", std::to_string(certain));
  RecordProperty("by_support", std::to_string(by_support));
  RecordProperty("unsettled", std::to_string(unsettled));
  EXPECT_GT(certain, 15'000) << "of 30,000";
  EXPECT_GT(certain, by_support);
}

// Two maps of one series: what flows say of each value is never more than what search says of all, and bounds without
// search are never wider than their margins.
TEST(StayingValues, TheFlowOfOneValueNeverSaysMoreThanAllValuesTogether) {
  Random random(SeedFromNumber(76), "flow and search");
  for (int i = 0; i < 200; ++i) {
    std::vector<std::uint32_t> truth;
    for (std::uint32_t p = 0; p < 12; ++p) truth.push_back(random.Below(3));
    std::vector<CommonRelease> releases;
    for (int r = 0; r < 2; ++r) {
      std::vector<ClassNumber> class_of;
      for (std::uint32_t p = 0; p < 12; ++p) class_of.push_back(random.Below(4));
      releases.push_back(ReleaseOf(std::move(class_of), truth));
    }
    const CommonReleases common = Releases(std::move(releases));
    const StayingValues found = Infer(common);
    for (std::uint32_t v = 0; v < 3; ++v) {
      const ValueHolders holders = FindHolders(common, kDisease, v, {0, 1});
      for (std::uint32_t p = 0; p < 12; ++p) {
        if (found.is_exact[found.joint_of_person[p]] == 0) continue;
        ASSERT_GE(BoundOf(found, p, v).least, holders.least[holders.joint_of_person[p]]);
        ASSERT_LE(BoundOf(found, p, v).most, holders.most[holders.joint_of_person[p]]);
      }
    }
  }
}

}  // namespace
}  // namespace pentimento::staying_values_test
