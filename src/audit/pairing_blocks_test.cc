#include "audit/pairing_blocks.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace pentimento::pairing_blocks_test {
namespace {

using Pairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;

constexpr std::uint64_t kSteps = 1 << 20;

// The pairs of values that are in some pairing; fails where there is none.
Pairs PairsLeft(const MatchGraph& graph, std::uint64_t most_steps = kSteps) {
  const auto found = FindPairingBlocks(graph, most_steps);
  if (!std::holds_alternative<PairingBlocks>(found)) {
    ADD_FAILURE() << "no pairing";
    return {};
  }
  const auto& blocks = std::get<PairingBlocks>(found);
  Pairs pairs;
  for (std::uint32_t left = 0; left < graph.left.size(); ++left) {
    for (const std::uint32_t right : graph.matches[left]) {
      if (blocks.of_left[left] == blocks.of_right[right]) pairs.insert({left, right});
    }
  }
  return pairs;
}

bool HasNoPairing(const MatchGraph& graph) {
  const auto found = FindPairingBlocks(graph, kSteps);
  return std::holds_alternative<NoBlocks>(found) && std::get<NoBlocks>(found) == NoBlocks::kNoPairing;
}

TEST(PairingBlocks, WhoCanHaveOnePartnerTakesItFromTheOther) {
  EXPECT_EQ(PairsLeft({{1, 1}, {1, 1}, {{0, 1}, {1}}}), (Pairs{{0, 0}, {1, 1}}));
}

TEST(PairingBlocks, RecordsAreCountedAndNotValues) {
  // Two records are left for the second value, and it has two; with a third one the first value may lose its own.
  EXPECT_EQ(PairsLeft({{1, 2}, {1, 2}, {{0, 1}, {1}}}), (Pairs{{0, 0}, {1, 1}}));
  EXPECT_EQ(PairsLeft({{1, 2}, {1, 3}, {{0, 1}, {1}}}), (Pairs{{0, 0}, {0, 1}, {1, 1}}));
}

TEST(PairingBlocks, SpareRecordsOfTheLargerSideMayBeTakenInstead) {
  // One of the two right values is spare, whichever.
  EXPECT_EQ(PairsLeft({{1}, {1, 1}, {{0, 1}}}), (Pairs{{0, 0}, {0, 1}}));
  // The spare one is out of reach of who needs the other.
  EXPECT_EQ(PairsLeft({{1, 1}, {1, 2}, {{0, 1}, {0}}}), (Pairs{{0, 1}, {1, 0}}));
}

TEST(PairingBlocks, EitherSideMayBeTheSmaller) {
  EXPECT_EQ(PairsLeft({{1, 2}, {1, 1}, {{0, 1}, {0}}}), (Pairs{{0, 1}, {1, 0}}));
  EXPECT_EQ(PairsLeft({{1, 1}, {1}, {{0}, {0}}}), (Pairs{{0, 0}, {1, 0}}));
}

TEST(PairingBlocks, AllPairsOfACircleAreLeft) {
  EXPECT_EQ(PairsLeft({{1, 1, 1}, {1, 1, 1}, {{0, 1}, {1, 2}, {2, 0}}}).size(), 6u);
}

TEST(PairingBlocks, SomebodyLeftOverIsNoPairing) {
  EXPECT_TRUE(HasNoPairing({{1, 1}, {1, 1}, {{0}, {0}}}));
  EXPECT_TRUE(HasNoPairing({{3}, {2, 5}, {{0}}}));
  EXPECT_TRUE(HasNoPairing({{1, 5}, {1, 1}, {{}, {0}}}));
}

TEST(PairingBlocks, NobodyHasAPartnerAlready) {
  EXPECT_TRUE(PairsLeft({{}, {4}, {}}).empty());
  EXPECT_TRUE(PairsLeft({{4}, {}, {{}}}).empty());
  EXPECT_TRUE(PairsLeft({{}, {}, {}}).empty());
}

// 0-0, 0-1, 1-1, 1-2, ... with one record each: the last one has but one partner, and so all before it.
MatchGraph Chain(std::uint32_t length, bool greedily_right) {
  MatchGraph chain{std::vector<std::uint64_t>(length, 1), std::vector<std::uint64_t>(length, 1), {}};
  for (std::uint32_t at = 0; at < length; ++at) {
    chain.matches.push_back(greedily_right ? std::vector{at, at + 1} : std::vector{at + 1, at});
    if (at + 1 == length) chain.matches.back() = {at};
  }
  return chain;
}

TEST(PairingBlocks, ALongChainFollowsFromItsEnd) {
  constexpr std::uint32_t kLength = 200'000;
  for (const bool greedily_right : {true, false}) {
    const Pairs left = PairsLeft(Chain(kLength, greedily_right), std::uint64_t{1} << 30);
    EXPECT_EQ(left.size(), kLength);
    EXPECT_TRUE(left.contains({0, 0}) && left.contains({kLength - 1, kLength - 1}));
  }
}

TEST(PairingBlocks, TooFewStepsAreSaidAndNotTakenForAnAnswer) {
  const auto found = FindPairingBlocks(Chain(100, false), 300);
  ASSERT_TRUE(std::holds_alternative<NoBlocks>(found));
  EXPECT_EQ(std::get<NoBlocks>(found), NoBlocks::kTooManySteps);
}

}  // namespace
}  // namespace pentimento::pairing_blocks_test
