#include "audit/chance_of_ever.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "audit/stay_testing.h"

namespace pentimento::chance_of_ever_test {
namespace {

using testing::AllOf;
using testing::kDisease;
using testing::ReleaseOf;
using testing::Releases;

constexpr std::uint32_t kFlu = 0;
constexpr std::uint32_t kChlamydia = 1;
constexpr std::uint32_t kFever = 2;
constexpr std::uint32_t kCough = 3;

EverChance Ask(const CommonReleases& common, std::vector<Ratio> bars, std::optional<std::uint32_t> value) {
  return FindChanceOfEver(common,
                          {.column = kDisease, .releases = AllOf(common), .value = value, .bars = std::move(bars)});
}

// Wong et al., Figure 2: groups of two, one of each with chlamydia, in both releases.
TEST(ChanceOfEver, ThePapersFigure2GivesThreeQuarters) {
  const CommonReleases common = Releases({ReleaseOf({0, 0, 1, 1}, {kChlamydia, kFlu, kFever, kCough}),
                                          ReleaseOf({0, 0, 1, 1}, {kChlamydia, kFlu, kFever, kCough})});
  const EverChance found = Ask(common, {{1, 2}, {3, 4}, {74, 100}}, kChlamydia);
  EXPECT_EQ(found.largest_exactly, (Ratio{3, 4}));
  EXPECT_DOUBLE_EQ(found.largest, 0.75);
  EXPECT_EQ(found.people, 4);
  EXPECT_EQ(found.above, (std::vector<std::uint32_t>{2, 0, 2})) << "3/4 is not above 3/4";
  EXPECT_EQ(found.witness, 0);
  EXPECT_EQ(found.witness_value, kChlamydia);
}

// Figure 4: groups of four.
TEST(ChanceOfEver, ThePapersFigure4GivesSevenSixteenths) {
  const std::vector<std::uint32_t> values = {kChlamydia, kFlu, kFever, kCough};
  const CommonReleases common = Releases({ReleaseOf({0, 0, 0, 0}, values), ReleaseOf({0, 0, 0, 0}, values)});
  const EverChance found = Ask(common, {{7, 16}, {6, 16}}, kChlamydia);
  EXPECT_EQ(found.largest_exactly, (Ratio{7, 16}));
  EXPECT_EQ(found.above, (std::vector<std::uint32_t>{0, 4}));
}

TEST(ChanceOfEver, ABarThatDoublesMissIsComparedExactly) {
  // 29 of 100, in one release: 0.29 * 100 is 28.999999999999996 in doubles.
  std::vector<std::uint32_t> values(100, kFlu);
  for (std::size_t p = 0; p < 29; ++p) values[p] = kChlamydia;
  const CommonReleases common = Releases({ReleaseOf(std::vector<ClassNumber>(100, 0), values)});
  EXPECT_EQ(Ask(common, {{29, 100}}, kChlamydia).above[0], 0);
  EXPECT_EQ(Ask(common, {{28'999'999'999'999, 100'000'000'000'000}}, kChlamydia).above[0], 100);
}

TEST(ChanceOfEver, WhoIsAbsentIsLinkedLess) {
  const CommonReleases common = Releases(
      {ReleaseOf({0, 0, 0}, {kChlamydia, kFlu, kFlu}), ReleaseOf({0, kNotInRelease, 0}, {kChlamydia, kFlu, kFlu})});
  const EverChance found = Ask(common, {{1, 2}}, kChlamydia);
  EXPECT_EQ(found.largest_exactly, (Ratio{2, 3})) << "1 - 2/3 * 1/2";
  EXPECT_EQ(found.above[0], 2);
}

TEST(ChanceOfEver, OfAllValuesTheLikeliestCounts) {
  const CommonReleases common = Releases({ReleaseOf({0, 0, 0}, {kFlu, kFlu, kFever})});
  const EverChance found = Ask(common, {{1, 2}}, {});
  EXPECT_EQ(found.largest_exactly, (Ratio{2, 3}));
  EXPECT_EQ(found.witness_value, kFlu);
  EXPECT_EQ(Ask(common, {{0, 1}}, 9).above[0], 0) << "nobody has it";
}

TEST(ChanceOfEver, AProductTooLongFor64BitsIsStillComparedExactly) {
  // 1 - (2/3)^60: the bar is just below it in the 128-bit sense, and just above.
  std::vector<CommonRelease> releases(60, ReleaseOf({0, 0, 0}, {kChlamydia, kFlu, kFever}));
  const EverChance found = Ask(Releases(std::move(releases)), {{99, 100}, {1, 1}}, kChlamydia);
  EXPECT_EQ(found.largest_exactly, std::nullopt);
  EXPECT_GT(found.largest, 0.999999);
  EXPECT_EQ(found.above, (std::vector<std::uint32_t>{3, 0}));
}

}  // namespace
}  // namespace pentimento::chance_of_ever_test
