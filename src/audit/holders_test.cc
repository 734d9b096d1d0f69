#include "audit/holders.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "audit/stay_testing.h"

namespace pentimento::holders_test {
namespace {

using testing::kDisease;
using testing::ReleaseOf;
using testing::Releases;

bool HasItNot(const ValueHolders& found, std::uint32_t person) {
  return found.most[found.joint_of_person[person]] == 0;
}

TEST(Holders, ASwapOfTwoWorldsForcesNobody) {
  const std::vector<std::uint32_t> truth = {0, 1, 1, 0};
  const CommonReleases common = Releases({ReleaseOf({0, 0, 1, 1}, truth), ReleaseOf({0, 1, 0, 1}, truth)});
  const ValueHolders found = FindHolders(common, kDisease, 0, {0, 1});
  EXPECT_TRUE(found.is_possible);
  EXPECT_TRUE(found.is_exact);
  for (std::uint32_t p = 0; p < 4; ++p) {
    EXPECT_FALSE(found.HasIt(p));
    EXPECT_FALSE(HasItNot(found, p));
  }
}

TEST(Holders, AClassWithoutTheValueForcesTheOthers) {
  const std::vector<std::uint32_t> truth = {0, 1, 2, 2};
  const CommonReleases common = Releases({ReleaseOf({0, 0, 1, 1}, truth), ReleaseOf({0, 1, 0, 1}, truth)});
  const ValueHolders found = FindHolders(common, kDisease, 0, {0, 1});
  EXPECT_TRUE(found.HasIt(0));
  for (std::uint32_t p = 1; p < 4; ++p) EXPECT_TRUE(HasItNot(found, p));
}

TEST(Holders, ALargeJointClassThatTheOthersCannotFillIsPartlyForced) {
  // Eight together in both releases, two more in each; five of the ten of the first release have it.
  std::vector<std::uint32_t> truth(12, 0);
  for (const std::size_t p : {0, 1, 2, 3, 4}) truth[p] = 1;
  std::vector<ClassNumber> first(12, 0);
  std::vector<ClassNumber> second(12, 0);
  first[10] = first[11] = second[8] = second[9] = 1;
  const CommonReleases common = Releases({ReleaseOf(first, truth), ReleaseOf(second, truth)});
  const ValueHolders found = FindHolders(common, kDisease, 1, {0, 1});
  const std::uint32_t together = found.joint_of_person[0];
  EXPECT_EQ(found.least[together], 5) << "neither pair has it in its other release";
  EXPECT_EQ(found.most[together], 5);
}

TEST(Holders, ThereAndBackOverOneEdgeIsNoChange) {
  // One class in both releases, three of five with the value: the flow is between its bounds, and still forced.
  const CommonReleases common =
      Releases({ReleaseOf({0, 0, 0, 0, 0}, {0, 0, 0, 1, 1}), ReleaseOf({0, 0, 0, 0, 0}, {0, 0, 0, 1, 1})});
  const ValueHolders found = FindHolders(common, kDisease, 0, {0, 1});
  EXPECT_EQ(found.least[0], 3);
  EXPECT_EQ(found.most[0], 3);
}

TEST(Holders, AValueThatLeftWithNobodyIsAContradiction) {
  const CommonReleases common = Releases({ReleaseOf({0, 0}, {0, 1}), ReleaseOf({0, 0}, {1, 1})});
  const ValueHolders found = FindHolders(common, kDisease, 0, {0, 1});
  EXPECT_FALSE(found.is_possible);
  EXPECT_FALSE(found.HasIt(0));
  EXPECT_FALSE(HasItNot(found, 0));
}

TEST(Holders, WithoutWorkLargeJointClassesAreNotExactAndSaySo) {
  const std::vector<std::uint32_t> truth = {0, 1, 0, 1, 0, 1, 0, 1};
  const CommonReleases common =
      Releases({ReleaseOf({0, 0, 0, 0, 1, 1, 1, 1}, truth), ReleaseOf({0, 0, 1, 1, 0, 0, 1, 1}, truth)});
  EXPECT_TRUE(FindHolders(common, kDisease, 0, {0, 1}).is_exact);
  EXPECT_FALSE(FindHolders(common, kDisease, 0, {0, 1}, 0).is_exact);
}

}  // namespace
}  // namespace pentimento::holders_test
