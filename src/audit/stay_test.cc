#include "audit/stay.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "audit/stay_testing.h"

namespace pentimento::stay_test {
namespace {

using testing::AllOf;
using testing::kDisease;
using testing::ReleaseOf;
using testing::Releases;

constexpr std::uint32_t kX = 0;
constexpr std::uint32_t kY = 1;
constexpr std::uint32_t kZ = 2;

StayingValues Infer(const CommonReleases& common, const StayLimits& limits = {}, Ratio alpha = {1, 2}) {
  return InferStayingValues(
      common, {.column = kDisease, .releases = AllOf(common), .alpha = alpha, .estimate_rounds = 50}, limits);
}

TEST(Stay, TwoWorldsOfPeopleAloneLeaveNothingCertain) {
  const std::vector<std::uint32_t> truth = {kX, kY, kY, kX};
  const StayingValues found = Infer(Releases({ReleaseOf({0, 0, 1, 1}, truth), ReleaseOf({0, 1, 0, 1}, truth)}));
  EXPECT_EQ(found.people, 4);
  EXPECT_EQ(found.certain, 0);
  EXPECT_EQ(found.above_alpha, 0);
  EXPECT_TRUE(found.exact());
  EXPECT_FALSE(found.stopped);
  EXPECT_FALSE(found.certain_witness);
  ASSERT_TRUE(found.estimate);
  EXPECT_TRUE(found.estimate->converged);
  EXPECT_EQ(found.estimate->above_alpha, 0) << "each of the two worlds gives them the other value";
}

TEST(Stay, OneValueInAllBagsIsCertain) {
  const std::vector<std::uint32_t> truth = {kX, kY, kZ, kZ};
  const StayingValues found = Infer(Releases({ReleaseOf({0, 0, 1, 1}, truth), ReleaseOf({0, 1, 0, 1}, truth)}));
  EXPECT_EQ(found.certain, 4);
  EXPECT_EQ(found.certain_by_support, 4);
  EXPECT_EQ(found.above_alpha, 4);
  EXPECT_EQ(found.certain_witness, 0);
  for (std::uint32_t p = 0; p < 4; ++p) EXPECT_EQ(found.CertainValue(p), truth[p]);
}

TEST(Stay, CertainByTheMarginsThoughTwoValuesAreInAllBags) {
  // Person 0 shares classes with x and y in both releases, but the only y of each belongs to somebody certain.
  const std::vector<std::uint32_t> truth = {kX, kY, kY, kZ, kZ};
  const StayingValues found = Infer(Releases(
      {ReleaseOf({0, 0, 1, 1, 1}, truth), ReleaseOf({0, 1, 0, 1, 1}, truth), ReleaseOf({0, 1, 2, 2, 1}, truth)}));
  for (std::uint32_t p = 0; p < 5; ++p) {
    EXPECT_EQ(found.CertainValue(p).value_or(truth[p]), truth[p]);
  }
  EXPECT_EQ(found.CertainValue(0), kX);
  EXPECT_TRUE(found.exact());
}

TEST(Stay, TheSameClassesTwiceSayWhatTheyDoOnce) {
  const std::vector<std::uint32_t> truth = {kX, kX, kX, kY, kX, kY, kZ, kZ};
  const std::vector<ClassNumber> classes = {0, 0, 0, 0, 1, 1, 1, 1};
  const StayingValues once = Infer(Releases({ReleaseOf(classes, truth)}));
  const StayingValues twice = Infer(Releases({ReleaseOf(classes, truth), ReleaseOf(classes, truth)}));
  EXPECT_EQ(once.certain, 0);
  EXPECT_EQ(once.above_alpha, 4);
  EXPECT_EQ(twice.certain, 0);
  EXPECT_EQ(twice.above_alpha, 4);
  EXPECT_EQ(twice.estimate->above_alpha, 4);
  EXPECT_TRUE(twice.exact());
}

TEST(Stay, AChainOfRefinementsSaysWhatTheFinestDoes) {
  const std::vector<std::uint32_t> truth = {kX, kY, kX, kY, kZ, kZ, kX, kY};
  const CommonRelease finest = ReleaseOf({0, 0, 1, 1, 2, 2, 3, 3}, truth);
  const StayingValues found =
      Infer(Releases({ReleaseOf({0, 0, 0, 0, 0, 0, 0, 0}, truth), ReleaseOf({0, 0, 0, 0, 1, 1, 1, 1}, truth), finest}));
  const StayingValues alone = Infer(Releases({finest}));
  EXPECT_EQ(found.certain, 2);
  EXPECT_EQ(alone.certain, 2);
  EXPECT_EQ(found.above_alpha, alone.above_alpha);
  EXPECT_TRUE(found.exact());
}

TEST(Stay, AShareOfExactlyAlphaIsNotAboveIt) {
  std::vector<std::uint32_t> truth(100, kX);
  for (std::size_t p = 0; p < 71; ++p) truth[p] = static_cast<std::uint32_t>(1 + p % 10);
  const CommonReleases common = Releases({ReleaseOf(std::vector<ClassNumber>(100, 0), truth)});
  EXPECT_EQ(Infer(common, {}, {29, 100}).above_alpha, 0) << "29 of 100";
  EXPECT_EQ(Infer(common, {}, {28, 100}).above_alpha, 100);
}

TEST(Stay, AStrangerMayHaveTheValueInstead) {
  const std::vector<std::uint32_t> truth = {kX, kX};
  const CommonReleases without = Releases({ReleaseOf({0, 0}, truth)});
  const CommonReleases with = Releases({ReleaseOf({0, 0}, truth, {{0, kY}})});
  EXPECT_EQ(Infer(without).certain, 2);
  const StayingValues found = Infer(with);
  EXPECT_EQ(found.people, 2) << "strangers are not counted";
  EXPECT_EQ(found.certain, 0);
  ASSERT_EQ(found.BoundsOf(0).size(), 2);
  EXPECT_EQ(found.BoundsOf(0)[0].least, 1) << "of three rows two are x, and one row is not theirs";
  EXPECT_EQ(found.BoundsOf(0)[0].most, 2);
}

TEST(Stay, WhoIsInNoneOfTheReleasesHasNoBounds) {
  const CommonReleases common = Releases({ReleaseOf({0, kNotInRelease}, {kX, kX})});
  const StayingValues found = Infer(common);
  EXPECT_EQ(found.people, 1);
  EXPECT_EQ(found.CertainValue(0), kX);
  EXPECT_EQ(found.CertainValue(1), std::nullopt);
}

TEST(Stay, AValueThatChangedIsAContradictionAndNothingLinkedToItIsCertain) {
  // Person 0 had x and then z. Persons 2 and 3 share a class with 0 or 1; 4 and 5 are linked to nobody of them.
  CommonReleases common = Releases({ReleaseOf({0, 0, 1, 1, 2, 2}, {kX, kY, kX, kX, kZ, kZ}),
                                    ReleaseOf({0, 1, 0, 1, 2, 2}, {kZ, kY, kX, kX, kZ, kZ})});
  const StayingValues found = Infer(common);
  EXPECT_EQ(found.contradicted, 4);
  EXPECT_EQ(found.contradiction_witness, 0);
  for (std::uint32_t p = 0; p < 4; ++p) EXPECT_EQ(found.CertainValue(p), std::nullopt);
  EXPECT_EQ(found.certain, 2);
  EXPECT_EQ(found.certain_witness, 4);
}

TEST(Stay, AContradictionThatOnlyASearchFindsIsOne) {
  // Each two of three people share one x and one y: a ring of odd length has no such hand-out.
  const CommonRelease first = ReleaseOf({0, 0, kNotInRelease}, {kX, kY, kX});
  const CommonRelease second = ReleaseOf({kNotInRelease, 0, 0}, {kX, kY, kX});
  const CommonRelease third = ReleaseOf({0, kNotInRelease, 0}, {kX, kX, kY});
  EXPECT_EQ(Infer(Releases({first, second})).contradicted, 0);
  const StayingValues found = Infer(Releases({first, second, third}));
  EXPECT_EQ(found.contradicted, 3);
  EXPECT_EQ(found.certain, 0);
  const StayingValues not_searched = Infer(Releases({first, second, third}), {.search = {.unknowns = 1}});
  EXPECT_EQ(not_searched.contradicted, 0);
  EXPECT_EQ(not_searched.unsettled, 3) << "it says that it does not know";
}

TEST(Stay, WhenTheWorkIsUsedUpItSaysSoAndWhatIsCertainStays) {
  const std::vector<std::uint32_t> truth = {kX, kY, kY, kX, kZ, kZ};
  const CommonReleases common = Releases({ReleaseOf({0, 0, 1, 1, 2, 2}, truth), ReleaseOf({0, 0, 0, 0, 1, 1}, truth),
                                          ReleaseOf({0, 1, 1, 1, 2, 2}, truth)});
  const StayingValues all = Infer(common);
  EXPECT_FALSE(all.stopped);
  EXPECT_EQ(all.certain, 4);
  const StayingValues some = Infer(common, {.work = 0});
  EXPECT_TRUE(some.stopped);
  EXPECT_FALSE(some.exact());
  EXPECT_EQ(some.certain, 3) << "by support alone: the two with z, and the one with x in a class of its own";
}

TEST(Stay, MoreThan64ValuesAreToldApart) {
  // 7 and 71 are the same bit of a mask of 64.
  const StayingValues found =
      Infer(Releases({ReleaseOf({0, 0, 1, 1}, {7, 100, 71, 3}), ReleaseOf({0, 1, 1, 0}, {7, 100, 71, 3})}));
  EXPECT_EQ(found.certain, 4);
  EXPECT_EQ(found.CertainValue(0), 7);
  EXPECT_EQ(found.CertainValue(2), 71);
}

}  // namespace
}  // namespace pentimento::stay_test
