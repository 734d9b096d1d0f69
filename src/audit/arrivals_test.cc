#include "audit/arrivals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "audit/audit_testing.h"
#include "base/check_testing.h"
#include "base/random.h"
#include "base/rounds_testing.h"

namespace pentimento::arrivals_test {
namespace {

using paper::OneColumn;

// By case: the interval, and whether it is withdrawn.
struct PlainRow {
  Interval box;
  bool is_withdrawn = false;
};
using PlainRelease = std::map<CaseNumber, PlainRow>;

struct Series {
  IncrementalHistory history;
  std::vector<std::vector<CaseNumber>> withdrawn;
};

Series SeriesOf(const std::vector<PlainRelease>& releases) {
  Series series;
  for (const PlainRelease& release : releases) {
    std::map<CaseNumber, Interval> boxes;
    series.withdrawn.emplace_back();
    for (const auto& [number, row] : release) {
      boxes[number] = row.box;
      if (row.is_withdrawn) series.withdrawn.back().push_back(number);
    }
    series.history.push_back(OneColumn(boxes));
    series.history.back().columns = 1;
  }
  return series;
}

// One person after the other: who has the same box among those of the same fate?
template <typename Alike>
Crowds CrowdsOf(const std::set<CaseNumber>& people, std::uint64_t k, const Alike& alike) {
  Crowds crowds{.people = people.size(), .smallest = {}, .witness = {}};
  for (const CaseNumber one : people) {
    std::uint64_t size = 0;
    for (const CaseNumber other : people) size += alike(one, other) ? 1 : 0;
    crowds.alone += size == 1 ? 1 : 0;
    crowds.below_k += size < k ? 1 : 0;
    if (crowds.smallest && size >= *crowds.smallest) continue;
    crowds.smallest = size;
    crowds.witness = one;
  }
  return crowds;
}

ReleaseArrivals ByDefinition(const std::vector<PlainRelease>& releases, std::size_t r, std::uint64_t k) {
  const auto is_living = [&](std::size_t release, CaseNumber number) {
    return releases[release].contains(number) && !releases[release].at(number).is_withdrawn;
  };
  std::set<CaseNumber> newcomers, returned, leavers, living;
  ReleaseArrivals arrivals;
  for (CaseNumber number = 0; number < 20; ++number) {
    bool was_seen = false;
    for (std::size_t earlier = 0; earlier < r; ++earlier) was_seen = was_seen || releases[earlier].contains(number);
    const bool was_living = r > 0 && is_living(r - 1, number);
    if (is_living(r, number)) living.insert(number);
    if (is_living(r, number) && !was_seen) newcomers.insert(number);
    if (is_living(r, number) && was_seen && !was_living) returned.insert(number);
    if (!is_living(r, number) && was_living) leavers.insert(number);
    if (releases[r].contains(number) && !is_living(r, number)) ++arrivals.withdrawn;
  }
  const auto alike_in = [&](std::size_t release, CaseNumber a, CaseNumber b) {
    const bool has_a = releases[release].contains(a), has_b = releases[release].contains(b);
    return has_a == has_b && (!has_a || releases[release].at(a).box == releases[release].at(b).box);
  };
  const auto alike_now = [&](CaseNumber a, CaseNumber b) { return alike_in(r, a, b); };
  const auto alike_left = [&](CaseNumber a, CaseNumber b) { return alike_in(r - 1, a, b) && alike_in(r, a, b); };
  arrivals.newcomers = CrowdsOf(newcomers, k, alike_now);
  arrivals.returned = CrowdsOf(returned, k, alike_now);
  arrivals.leavers = CrowdsOf(leavers, k, alike_left);
  arrivals.living = CrowdsOf(living, k, alike_now);
  return arrivals;
}

TEST(Arrivals, AreWhatTheDefinitionCounts) {
  Random random(SeedFromNumber(1), "series");
  for (std::size_t round = 0; round < TestRounds(3000); ++round) {
    std::vector<PlainRelease> releases(1 + random.Below(4));
    const std::uint32_t people = 1 + random.Below(12);
    for (PlainRelease& release : releases) {
      for (CaseNumber number = 0; number < people; ++number) {
        if (random.Below(4) == 0) continue;
        const Code lo = random.Below(3);
        release[number] = {.box = {lo, lo + random.Below(2)}, .is_withdrawn = random.Below(4) == 0};
      }
    }
    const Series series = SeriesOf(releases);
    const std::uint64_t k = 1 + random.Below(4);
    const auto found = CountArrivals({series.history, k, series.withdrawn});
    ASSERT_EQ(found.size(), releases.size());
    for (std::size_t r = 0; r < releases.size(); ++r) ASSERT_EQ(found[r], ByDefinition(releases, r, k)) << round;
  }
}

TEST(Arrivals, TheOnlyNewcomerOfAClassOfManyIsAlone) {
  const IncrementalHistory history = {
      OneColumn({{1, {0, 4}}, {2, {0, 4}}, {3, {5, 9}}, {4, {5, 9}}}),
      OneColumn({{1, {0, 4}}, {2, {0, 4}}, {3, {5, 9}}, {4, {5, 9}}, {5, {0, 4}}, {6, {5, 9}}, {7, {5, 9}}})};
  const auto found = CountArrivals({history, 2});
  EXPECT_EQ(found[0].newcomers, (Crowds{.people = 4, .smallest = 2, .witness = 1}));
  EXPECT_EQ(found[1].newcomers, (Crowds{.people = 3, .alone = 1, .below_k = 1, .smallest = 1, .witness = 5}));
  EXPECT_EQ(found[1].living, (Crowds{.people = 7, .smallest = 3, .witness = 1}));
  EXPECT_EQ(found[1].leavers, Crowds{});
}

TEST(Arrivals, AClassOfGhostsHasFewLiving) {
  const IncrementalRelease release = OneColumn({{1, {0, 4}}, {2, {0, 4}}, {3, {0, 4}}});
  const std::vector<std::vector<CaseNumber>> withdrawn = {{}, {1, 3}};
  const auto found = CountArrivals({{release, release}, 3, withdrawn});
  EXPECT_EQ(found[0].living.below_k, 0);
  EXPECT_EQ(found[1].living, (Crowds{.people = 1, .alone = 1, .below_k = 1, .smallest = 1, .witness = 2}));
  EXPECT_EQ(found[1].leavers, (Crowds{.people = 2, .below_k = 2, .smallest = 2, .witness = 1}));
  EXPECT_EQ(found[1].withdrawn, 2);
}

TEST(Arrivals, WhoLeavesWithoutATraceIsToldFromWhoLeavesARow) {
  const IncrementalHistory history = {OneColumn({{1, {0, 4}}, {2, {0, 4}}}), OneColumn({{1, {0, 4}}})};
  const std::vector<std::vector<CaseNumber>> withdrawn = {{}, {1}};
  EXPECT_EQ(CountArrivals({history, 2, withdrawn})[1].leavers.alone, 2);
}

TEST(Arrivals, WhoComesBackIsNoNewcomer) {
  const IncrementalHistory history = {OneColumn({{1, {0, 4}}, {2, {0, 4}}}), OneColumn({{2, {0, 4}}}),
                                      OneColumn({{1, {0, 4}}, {2, {0, 4}}})};
  const auto found = CountArrivals({history, 2});
  EXPECT_EQ(found[2].newcomers.people, 0);
  EXPECT_EQ(found[2].newcomers.smallest, std::nullopt);
  EXPECT_EQ(found[2].returned, (Crowds{.people = 1, .alone = 1, .below_k = 1, .smallest = 1, .witness = 1}));
}

TEST(Arrivals, EqualBoxesUnderDifferentNumbersAreOneCrowd) {
  const IncrementalRelease release = {
      .columns = 1, .boxes = {{0, 1}, {7, 7}, {0, 1}}, .cases = {3, 5, 8}, .box_of_case = {2, 1, 0}};
  EXPECT_EQ(CountArrivals({{release}, 2})[0].living.alone, 1);
  const IncrementalRelease without = {.columns = 0, .boxes = {}, .cases = {1, 2}, .box_of_case = {0, 0}};
  EXPECT_EQ(CountArrivals({{without}, 2})[0].living.alone, 0);
}

TEST(Arrivals, ReleasesThatAreNoSeriesAreABugOfOurs) {
  const std::vector<std::vector<CaseNumber>> stranger = {{9}};
  const IncrementalHistory history = {OneColumn({{1, {0, 4}}})};
  EXPECT_NE(FailedCheckIn([&] { (void)CountArrivals({history, 2, stranger}); }).find("withdrawn"), std::string::npos);
  EXPECT_TRUE(CountArrivals({IncrementalHistory{}, 2}).empty());
}

}  // namespace
}  // namespace pentimento::arrivals_test
