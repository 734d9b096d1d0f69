#include "audit/every_set.h"

#include <gtest/gtest.h>

#include "audit/audit_testing.h"

namespace pentimento::every_set_test {
namespace {

using paper::OneColumn;

TEST(EverySet, OfThePapersReleasesAThirdIsSafe) {
  EverySet known;
  known.Add(paper::Publish(paper::kTable2));
  EXPECT_EQ(known.SafeRatio(2), (Ratio{1, 1}));
  known.Add(paper::Publish(paper::kTable5));
  EXPECT_EQ(known.SafeRatio(2), (Ratio{1, 3}));
  EXPECT_EQ(known.UnsafeCount(2), 4U);
  EXPECT_EQ(known.AloneCount(), 4U);
  EXPECT_TRUE(known.is_exact());
}

// Each release shows everybody in pairs, and all three together say [2,4] of all. The first two tell all four apart.
TEST(EverySet, SomeReleasesMayTellWhatAllTogetherDoNot) {
  const std::vector<IncrementalRelease> releases = {OneColumn({{1, {0, 4}}, {2, {0, 4}}, {3, {0, 6}}, {4, {0, 6}}}),
                                                    OneColumn({{1, {2, 9}}, {2, {1, 9}}, {3, {2, 9}}, {4, {1, 9}}}),
                                                    OneColumn({{1, {2, 4}}, {2, {2, 4}}, {3, {2, 4}}, {4, {2, 4}}})};
  EverySet known;
  for (const IncrementalRelease& release : releases) known.Add(release);
  EXPECT_EQ(SafeRatio(Infer(releases), 2), (Ratio{1, 1}));
  EXPECT_EQ(known.SafeRatio(2), (Ratio{0, 1}));
  EXPECT_EQ(known.AloneCount(), 4U);
}

// The same in the other order: the last two tell, and so it does not matter which release comes last.
TEST(EverySet, TheOrderOfReleasesMakesNoDifference) {
  EverySet known;
  known.Add(OneColumn({{1, {2, 4}}, {2, {2, 4}}, {3, {2, 4}}, {4, {2, 4}}}));
  known.Add(OneColumn({{1, {2, 9}}, {2, {1, 9}}, {3, {2, 9}}, {4, {1, 9}}}));
  EXPECT_EQ(known.SafeRatio(2), (Ratio{1, 1}));
  known.Add(OneColumn({{1, {0, 4}}, {2, {0, 4}}, {3, {0, 6}}, {4, {0, 6}}}));
  EXPECT_EQ(known.SafeRatio(2), (Ratio{0, 1}));
}

TEST(EverySet, WhoIsContradictedIsUnsafeAndNotAlone) {
  EverySet known;
  known.Add(OneColumn({{1, {0, 4}}, {2, {0, 4}}, {3, {0, 4}}}));
  known.Add(OneColumn({{1, {5, 9}}, {2, {0, 4}}, {3, {0, 4}}}));
  EXPECT_EQ(known.UnsafeCount(2), 1U);
  EXPECT_EQ(known.UnsafeCount(1), 1U);
  EXPECT_EQ(known.AloneCount(), 0U);
}

TEST(EverySet, ALongSeriesThatOnlyRefinesIsMeasuredExactly) {
  EverySet known;
  std::map<CaseNumber, Interval> rows;
  for (CaseNumber n = 0; n < 40; n += 2) {
    rows[n] = rows[n + 1] = {n, 99};
    for (auto& [number, box] : rows) box.hi = 99 - n;
    known.Add(OneColumn(rows));
  }
  EXPECT_TRUE(known.is_exact());
  EXPECT_EQ(known.SafeRatio(2), (Ratio{1, 1}));
  EXPECT_EQ(known.SafeRatio(3), (Ratio{0, 1}));
}

TEST(EverySet, ALongSeriesOfAnotherKindIsTriedInPartAndSaysSo) {
  EverySet known;
  for (std::size_t r = 0; r < EverySet::kMostReleases; ++r) known.Add(OneColumn({{1, {0, 5}}, {2, {0, 5}}}));
  EXPECT_TRUE(known.is_exact());
  known.Add(OneColumn({{1, {1, 6}}, {2, {1, 6}}}));
  EXPECT_FALSE(known.is_exact());
  EXPECT_EQ(known.SafeRatio(2), (Ratio{1, 1}));
  known.Add(OneColumn({{1, {0, 6}}, {2, {1, 6}}}));  // alone it tells them apart, and so it does with the first
  EXPECT_EQ(known.SafeRatio(2), (Ratio{0, 1}));
}

TEST(EverySet, NothingPublishedIsNothingUnsafe) {
  EXPECT_EQ(EverySet().SafeRatio(2), (Ratio{1, 1}));
  EXPECT_EQ(EverySet().UnsafeCount(2), 0U);
}

}  // namespace
}  // namespace pentimento::every_set_test
