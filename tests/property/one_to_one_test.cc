// One-to-one matching against its definition: which pairs are left, and what the claims are worth over them, on the
// traps and on random small releases.
#include "audit/one_to_one.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "oracle/one_to_one_oracle.h"
#include "property/join_instances.h"
#include "property/join_traps.h"

namespace pentimento::property::one_to_one_test {
namespace {

namespace oj = oracle::join;
namespace o1 = oracle::one_to_one;

struct Seen {
  std::size_t paired = 0, ruled_out = 0, unpaired = 0, cannot_matter = 0, verified = 0, kept = 0, lost = 0;
};

std::uint64_t NumberIn(const std::string& text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool AnyPairIsLost(const OracleInstance& instance, std::size_t release, const std::set<o1::RowPair>& pairs) {
  for (std::size_t row = 0; row < instance.releases[0].size(); ++row) {
    for (std::size_t other = 0; other < instance.releases[release].size(); ++other) {
      if (oj::RowsMatch(instance, 0, row, release, other) && !pairs.contains({row, other})) return true;
    }
  }
  return false;
}

// Returns whether any pair is ruled out. Each record of the engine's releases is a row of its own here.
bool ExpectSamePairs(const OracleInstance& instance, const EngineInstance& engine, std::uint32_t release, Seen& seen) {
  const auto expected = o1::Assignments(instance, release).pairs();
  const ReleasePairing pairing = PairReleases(engine.view(), engine.releases, release, {});
  const bool is_lost = expected && AnyPairIsLost(instance, release, *expected);
  if (!PairingCanMatter(engine.view(), engine.releases, release)) {
    ++seen.cannot_matter;
    EXPECT_FALSE(is_lost) << "it would matter";
  }
  EXPECT_EQ(pairing.outcome, expected ? PairingOutcome::kPaired : PairingOutcome::kNoPairing);
  ++(expected ? seen.paired : seen.unpaired);
  EXPECT_EQ(pairing.ruled_out > 0, is_lost);
  seen.ruled_out += is_lost ? 1 : 0;
  if (!expected || pairing.outcome != PairingOutcome::kPaired) return false;
  for (std::size_t row = 0; row < instance.releases[0].size(); ++row) {
    for (std::size_t other = 0; other < instance.releases[release].size(); ++other) {
      const bool is_left = oj::RowsMatch(instance, 0, row, release, other) &&
                           pairing.block_of_row[row] == pairing.block_of_record[other];
      EXPECT_EQ(is_left, expected->contains({row, other})) << "row " << row << ", record " << other;
    }
  }
  return is_lost;
}

// One claim of each kind over all releases, at the limit that still holds over what is left or just not any more.
void ExpectSameClaims(const OracleInstance& instance, EngineInstance& engine, const oj::Columns& x,
                      const oj::Columns& y, std::uint32_t beyond, Seen& seen) {
  const std::vector<oj::Match> left = o1::JoinLeft(instance);
  const auto fewest = o1::FewestValues(instance, left, x, y);
  const auto greatest = o1::GreatestShare(instance, left, x, y);
  std::vector<std::uint32_t> against;
  for (std::uint32_t release = 1; release < instance.releases.size(); ++release) against.push_back(release);
  const std::uint64_t k = fewest.value_or(1) + beyond;
  const Ratio at_most = greatest ? Ratio{greatest->first * 1000 - beyond, greatest->second * 1000} : Ratio{1, 1};
  engine.releases.anonymity = {{against, engine.Columns(x), engine.Columns(y), k}};
  engine.releases.linkability = {{against, engine.Columns(x), {{engine.Columns({y[0]}), {}, at_most}}}};
  const auto findings = LookOneToOne(engine.view(), engine.releases);
  ASSERT_TRUE(findings.ok()) << findings.error().message;
  ASSERT_EQ(findings->claims.size(), 2u);
  const ClaimOneToOne &anonymity = findings->claims[0], &linkability = findings->claims[1];
  ++seen.verified;
  ASSERT_EQ(anonymity.found.empty(), !fewest);
  ASSERT_EQ(linkability.found.empty(), !greatest);
  ASSERT_EQ(anonymity.violation.has_value(), fewest && *fewest < k);
  ASSERT_EQ(linkability.violation.has_value(), greatest && beyond > 0);
  if (!fewest) return;
  ++(beyond > 0 ? seen.lost : seen.kept);
  ASSERT_EQ(NumberIn(anonymity.found), *fewest);
  const std::size_t slash = linkability.found.find('/');
  ASSERT_EQ(NumberIn(linkability.found) * greatest->second,
            NumberIn(linkability.found.substr(slash + 1)) * greatest->first);
}

// Releases with a taxonomy any(d(d1 d2) e(e1 e2) f), a number from 0 to 5 in ranges, a value and who. The rows of an
// earlier one are mostly those of the new one, made coarser or finer each by itself: so there often is a pairing.
class RandomReleases {
 public:
  explicit RandomReleases(std::uint64_t seed) : random_(SeedFromNumber(seed), "pairings") {}

  OracleInstance Next() {
    OracleInstance instance;
    const std::uint32_t earlier = 1 + Below(5) / 4;
    instance.releases.emplace_back();
    for (std::uint32_t row = 1 + Below(earlier == 2 ? 4 : 6); row > 0; --row)
      instance.releases[0].push_back({Node(), Range(), Exact(2), {row, row}});
    for (std::uint32_t release = 1; release <= earlier; ++release)
      instance.releases.push_back(Recoded(instance.releases[0]));
    AddLinks(instance);
    return instance;
  }

  oj::Columns Some(const OracleInstance& instance) {
    oj::Columns columns;
    for (std::size_t release = 0; release < instance.releases.size(); ++release) {
      for (std::size_t column = 0; column < 3; ++column) {
        if (Below(3) == 0) columns.push_back({release, column});
      }
    }
    return columns;
  }
  OracleColumn One(const OracleInstance& instance) {
    return {Below(static_cast<std::uint32_t>(instance.releases.size())), 2 + Below(2)};
  }
  std::uint32_t Below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_.Below(limit)); }

 private:
  oj::Interval Node() {
    static const std::vector<oj::Interval> nodes = {{0, 4}, {0, 1}, {2, 3}, {0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}};
    return nodes[Below(static_cast<std::uint32_t>(nodes.size()))];
  }
  oj::Interval NodeNear(oj::Interval node) {
    for (oj::Interval near = Node();; near = Node()) {
      if (oj::IsInside(near, node) || oj::IsInside(node, near)) return near;
    }
  }
  oj::Interval Range() {
    const std::uint32_t lo = Below(6), hi = lo + Below(6 - lo);
    return {lo, hi};
  }
  oj::Interval RangeNear(oj::Interval range) {
    for (oj::Interval near = Range();; near = Range()) {
      if (near.lo <= range.hi && range.lo <= near.hi) return near;
    }
  }
  oj::Interval Exact(std::uint32_t limit) {
    const std::uint32_t code = Below(limit);
    return {code, code};
  }

  std::vector<oj::Row> Recoded(const std::vector<oj::Row>& rows) {
    std::vector<oj::Row> recoded;
    for (const oj::Row& row : rows) {
      if (Below(8) == 0) continue;  // somebody who is in the new release only
      recoded.push_back({NodeNear(row[0]), RangeNear(row[1]), Exact(3), {}});
    }
    if (Below(3) == 0 || recoded.empty()) recoded.push_back({Node(), Range(), Exact(3), {}});
    for (std::uint32_t row = 0; row < recoded.size(); ++row) recoded[row][3] = {row, row};
    return recoded;
  }

  void AddLinks(OracleInstance& instance) {
    for (std::size_t column = 0; column < 2; ++column) {
      if (Below(4) == 0) continue;
      instance.common.push_back({{}, column == 1});
      for (std::size_t release = 0; release < instance.releases.size(); ++release)
        instance.common.back().columns.push_back({release, column});
    }
    if (Below(3) > 0) return;
    const std::size_t release = 1 + Below(static_cast<std::uint32_t>(instance.releases.size()) - 1);
    instance.impossible.push_back({{0, Below(3)}, Node(), {release, Below(3)}, Node()});
  }

  Random random_;
};

TEST(OneToOneProperty, PairsAndResultsAreThoseOfAllAssignments) {
  RandomReleases releases(20);
  Seen seen;
  for (int round = 0; round < 20'000 && !testing::Test::HasFailure(); ++round) {
    const OracleInstance instance = releases.Next();
    Shape shape{
        .exact = {false, false, releases.Below(2) == 0}, .groups_once = releases.Below(2) == 0, .rows_once = false};
    for (std::size_t release = 0; release < instance.releases.size(); ++release) shape.who.push_back({release, 3});
    EngineInstance engine(instance, shape);
    bool is_any_lost = false;
    for (std::uint32_t release = 1; release < instance.releases.size(); ++release)
      is_any_lost = ExpectSamePairs(instance, engine, release, seen) || is_any_lost;
    const oj::Columns x = releases.Some(instance);
    if (is_any_lost) ExpectSameClaims(instance, engine, x, {releases.One(instance)}, releases.Below(2), seen);
  }
  // Every branch was taken, many times.
  EXPECT_GT(seen.ruled_out, 2000u);
  EXPECT_GT(seen.unpaired, 1000u);
  EXPECT_GT(seen.cannot_matter, 500u);
  EXPECT_GT(seen.kept, 500u);
  EXPECT_GT(seen.lost, 500u);
}

TEST(OneToOneProperty, RecordsThatAreAlikeMayBeHandedOverAsOneRow) {
  RandomReleases releases(21);
  for (int round = 0; round < 2000; ++round) {
    OracleInstance instance = releases.Next();
    for (oj::Row& row : instance.releases[1]) row[2] = {0, 0};
    Shape apart{.rows_once = false}, together{.rows_once = true};
    for (std::size_t release = 0; release < instance.releases.size(); ++release) {
      apart.who.push_back({release, 3});
      together.who.push_back({release, 3});
    }
    const EngineInstance one(instance, apart), other(instance, together);
    const ReleasePairing a = PairReleases(one.view(), one.releases, 1, {});
    const ReleasePairing b = PairReleases(other.view(), other.releases, 1, {});
    ASSERT_EQ(a.outcome, b.outcome);
    ASSERT_EQ(a.pairs, b.pairs);
    ASSERT_EQ(a.ruled_out, b.ruled_out);
  }
}

struct Trap {
  join_examples::Example example;
  std::optional<std::uint64_t> ruled_out;  // nothing: there is nothing to look for
  std::uint64_t fewest = 0;                // over what is left
};

TEST(OneToOneProperty, TheTrapsAreSeen) {
  using namespace join_examples;
  for (const Trap& trap :
       {Trap{LocallyRecoded(), 1, 1}, Trap{LocallyRecodedUnseen(), 1, 1}, Trap{CutAtDifferentPlaces(), 1, 1},
        Trap{SortedByCommonSense(), 1, 1}, Trap{CutsOnBothSides(), std::nullopt, 0}}) {
    const Shape shape;
    EngineInstance engine(trap.example.instance, shape);
    const auto& fact = trap.example.anonymities[0];
    engine.releases.anonymity = {{{1}, engine.Columns(fact.x), engine.Columns(fact.y), 2}};
    const auto findings = LookOneToOne(engine.view(), engine.releases);
    ASSERT_TRUE(findings.ok());
    ASSERT_EQ(findings->pairings.size(), trap.ruled_out ? 1u : 0u);
    if (!trap.ruled_out) continue;
    EXPECT_EQ(findings->pairings[0].ruled_out, *trap.ruled_out);
    ASSERT_EQ(findings->claims.size(), 1u);
    EXPECT_EQ(NumberIn(findings->claims[0].found), trap.fewest);
    EXPECT_TRUE(findings->claims[0].violation);
  }
}

}  // namespace
}  // namespace pentimento::property::one_to_one_test
