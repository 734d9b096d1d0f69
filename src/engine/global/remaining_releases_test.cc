#include "engine/global/remaining_releases.h"

#include <gtest/gtest.h>

namespace pentimento::remaining_releases_test {
namespace {

// Two items, both with this l.
std::string Refusal(std::uint64_t l, std::optional<std::uint64_t> releases, const ItemFrequencies& frequencies,
                    std::size_t made = 0) {
  GlobalGuaranteePolicy guarantee;
  guarantee.l = l;
  guarantee.releases = releases;
  const GlobalClaim claim{{{0, {0}, l, true, "HIV of 'disease'"}, {0, {1}, l, true, "flu of 'disease'"}}};
  const Status status = RequirePlannedReleases(guarantee, claim, frequencies, made);
  if (status.ok()) return "";
  EXPECT_EQ(status.error().code, ErrorCode::kRefused);
  return status.error().message;
}

TEST(RemainingReleases, TheMessageSaysTheLargestNumberOfReleases) {
  // (98/100)^34 is above one half, and (98/100)^35 is below.
  EXPECT_EQ(Refusal(2, 34, {100, {1, 2}}), "");
  EXPECT_EQ(
      Refusal(2, 35, {100, {1, 2}}),
      "flu of 'disease' is too frequent for 35 releases with l = 2: 2 of 100 rows have it, so on average everybody "
      "is linked to it with that chance in every release, however people are grouped; a series with this "
      "frequency has 34 releases at most; plan releases = 34, or protect fewer values. Nothing was published.");
}

TEST(RemainingReleases, ASmallerLIsAdvisedOnlyWhereThereIsOne) {
  EXPECT_NE(Refusal(3, 35, {100, {1, 2}}).find("plan releases = 20, protect fewer values, or lower l."),
            std::string::npos);
  EXPECT_NE(Refusal(3, 1, {100, {51, 2}}).find("can keep it; protect fewer values, or lower l."), std::string::npos);
  EXPECT_EQ(Refusal(2, 1, {100, {51, 2}}).find("lower l"), std::string::npos);
}

TEST(RemainingReleases, OneReleaseAtMostAndNoneAtAllAreSaidSo) {
  EXPECT_NE(Refusal(2, 2, {100, {40, 2}}).find("HIV of 'disease' is too frequent for 2 releases with l = 2: 40 of 100"),
            std::string::npos);
  EXPECT_NE(Refusal(2, 2, {100, {40, 2}}).find("has one release at most; plan releases = 1,"), std::string::npos);
  EXPECT_EQ(Refusal(2, 1, {100, {50, 2}}), "");
  EXPECT_NE(Refusal(2, 1, {100, {51, 2}}).find("no release of this table can keep it; protect fewer values"),
            std::string::npos);
}

TEST(RemainingReleases, AnOpenSeriesNeedsOneRelease) {
  EXPECT_EQ(Refusal(2, std::nullopt, {100, {50, 0}}), "");
  EXPECT_NE(Refusal(2, std::nullopt, {100, {0, 51}}), "");
}

TEST(RemainingReleases, WhatNobodyHasIsBorneForEver) { EXPECT_EQ(Refusal(1'000'000, 10'000, {100, {0, 0}}), ""); }

TEST(RemainingReleases, InTheMiddleOfASeriesWhatIsLeftDecides) { EXPECT_EQ(Refusal(2, 35, {100, {90, 2}}, 3), ""); }

TEST(KeptSoFar, IsWhatTheVerifierLetsThroughWhoeverPaysNothing) {
  for (const std::uint64_t l : {2u, 3u, 7u}) {
    EXPECT_TRUE(IsKeptSoFar(0, l));
    EXPECT_TRUE(IsKeptSoFar(BudgetOfLimit(l), l));
    EXPECT_TRUE(IsKeptSoFar(CostOfExposure(1, l), l)) << "exactly 1/l in one release";
    EXPECT_FALSE(IsKeptSoFar(CostOfExposure(1, l) + 1, l));
    EXPECT_FALSE(IsKeptSoFar(CostOfExposure(1, l), l + 1));
  }
}

TEST(KeptSoFar, TheMostIsThatOfAnybody) {
  Account account;
  account.AddItems({{"disease", {"HIV"}, false, false, 2}, {"disease", {"flu"}, false, false, 2}});
  EXPECT_EQ(MostSpent(account), (std::vector<LogCost>{0, 0}));
  account.Join(std::vector<IdentityHash>{{1, 0}, {2, 0}, {3, 0}});
  account.Charge({}, {4, 9, 7, 2, 1, 3}, {"q1", "", 0, {}});
  EXPECT_EQ(MostSpent(account), (std::vector<LogCost>{7, 9}));
}

}  // namespace
}  // namespace pentimento::remaining_releases_test
