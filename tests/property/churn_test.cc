// An open series of a population in which people come and go: whoever runs out of budget is withheld, and the series
// goes on for the others.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "anonymize/global/global_groups.h"
#include "base/rounds_testing.h"

namespace pentimento::churn_test {
namespace {

constexpr std::size_t kPeople = 3000;
constexpr std::size_t kHolders = 75;  // 2.5 %, dealt anew for each release
constexpr std::size_t kReleases = 60;
constexpr Code kAges = 100, kPlaces = 50;

// Everybody who is there now, in the order of the rows.
struct Population {
  EncodedTable table;
  std::vector<LogCost> spent;
  std::vector<std::uint32_t> appearances;
  std::vector<Domain> domains = {Domain(NumericRange{0, kAges - 1, 0, {}}, false),
                                 Domain(NumericRange{0, kPlaces - 1, 0, {}}, false)};

  explicit Population(Random& random) : spent(kPeople), appearances(kPeople) {
    table.rows = kPeople;
    table.quasi_identifiers.emplace_back(kAges, kPeople);
    table.quasi_identifiers.emplace_back(kPlaces, kPeople);
    for (std::size_t row = 0; row < kPeople; ++row) Replace(row, random);
  }
  void Replace(std::size_t row, Random& random) {
    table.quasi_identifiers[0].Set(row, random.Below(kAges));
    table.quasi_identifiers[1].Set(row, random.Below(kPlaces));
    spent[row] = 0;
    appearances[row] = 0;
  }
};

// As many as ever, or everybody by a draw of their own: then the frequency goes up and down by a tenth.
enum class Holders { kAlways75, kAboutSo };

Signatures DrawHolders(Holders kind, Random& random) {
  Signatures signatures{CodeColumn(2, kPeople), 2, {{{1}, {1, 1}}}};
  if (kind == Holders::kAboutSo) {
    for (std::size_t row = 0; row < kPeople; ++row)
      signatures.of_row.Set(row, random.Below(kPeople) < kHolders ? 1 : 0);
    return signatures;
  }
  for (std::size_t row = 0; row < kHolders; ++row) signatures.of_row.Set(row, 1);
  for (std::size_t row = 0; row + 1 < kPeople; ++row) {
    const std::size_t other = row + random.Below(static_cast<std::uint32_t>(kPeople - row));
    const Code code = signatures.of_row[row];
    signatures.of_row.Set(row, signatures.of_row[other]);
    signatures.of_row.Set(other, code);
  }
  return signatures;
}

struct Published {
  std::uint64_t rows = 0, holders = 0;
};

// Charges everybody who is published for their group.
Published Charge(Population& people, const Signatures& signatures, const Classes& grouping) {
  std::vector<std::uint64_t> rows(grouping.count()), holders(grouping.count());
  Published all;
  for (std::size_t row = 0; row < kPeople; ++row) {
    const ClassNumber group = grouping.of_row[row];
    if (group == kWithheldClass) continue;
    ++rows[group];
    holders[group] += signatures.of_row[row];
    ++all.rows;
    all.holders += signatures.of_row[row];
  }
  for (std::size_t row = 0; row < kPeople; ++row) {
    const ClassNumber group = grouping.of_row[row];
    if (group == kWithheldClass) continue;
    people.spent[row] += CostOfExposure(holders[group], rows[group]);
    EXPECT_LE(people.spent[row], BudgetOfLimit(2));
    ++people.appearances[row];
  }
  return all;
}

// The largest frequency of the `last` releases.
std::vector<Ratio> Expected(const std::vector<Published>& releases, std::size_t last) {
  std::vector<Ratio> expected;
  const std::size_t first = releases.size() > last ? releases.size() - last : 0;
  for (std::size_t i = first; i < releases.size(); ++i) {
    const Ratio here{releases[i].holders, releases[i].rows};
    if (expected.empty()) expected.push_back(here);
    if (expected[0] < here) expected[0] = here;
  }
  return expected;
}

struct Rule {
  Ratio room;
  std::size_t last = 8;  // releases that tell how frequent the item is
  Holders holders = Holders::kAlways75;
};

// How many of the releases are published. `per_mille_leave` of 1,000 people are replaced before each of them.
std::size_t ReleasesPublished(std::uint64_t per_mille_leave, const Rule& rule, std::uint64_t seed) {
  Random random(SeedFromNumber(seed), "churn");
  Population people(random);
  std::vector<Published> releases;
  const std::vector<std::uint64_t> l = {2};
  std::size_t published = 0;
  for (std::size_t number = 0; number < kReleases; ++number) {
    for (std::size_t row = 0; row < kPeople; ++row) {
      if (number > 0 && random.Below(1000) < per_mille_leave) people.Replace(row, random);
    }
    const Signatures signatures = DrawHolders(rule.holders, random);
    const std::vector<Ratio> expected = Expected(releases, rule.last);
    GlobalOptions options;
    options.k = 5;
    options.schedule = {.horizon = Horizon::kOpen, .room = rule.room};
    const Result<GlobalGroups> groups = GroupWithinBudgets(
        people.table, people.domains, {&signatures, l, {1, people.spent, people.appearances}, {}, expected}, options);
    if (!groups.ok()) continue;  // people go on coming and leaving
    ++published;
    releases.push_back(Charge(people, signatures, groups->classes));
  }
  return published;
}

TEST(ChurnTest, WithRoomEveryReleaseIsPublished) {
  for (std::uint64_t seed = 1; seed <= TestRounds(3); ++seed) {
    EXPECT_EQ(ReleasesPublished(50, {{5, 4}}, seed), kReleases) << "seed " << seed;
    EXPECT_EQ(ReleasesPublished(100, {{5, 4}}, seed), kReleases) << "seed " << seed;
  }
}

TEST(ChurnTest, FrequenciesThatGoUpAndDownHardlyEverStopARelease) {
  const Rule rule{.room = {5, 4}, .holders = Holders::kAboutSo};
  std::size_t published = 0, tried = 0;
  for (std::uint64_t seed = 1; seed <= TestRounds(3); ++seed, tried += 2 * kReleases)
    published += ReleasesPublished(50, rule, seed) + ReleasesPublished(100, rule, seed);
  EXPECT_GE(published * 100, tried * 99);
}

// Where people are withheld only when they must be, whoever has just enough for the latest frequency sets the cap, and
// half of the time the item is a little more frequent. Nobody could leave so much room, so the ledger withholds nobody.
TEST(ChurnTest, WithoutRoomMostAreRefusedOnceTheFirstHaveRunOut) {
  const Rule without{{1000, 1}, 1};
  EXPECT_LT(ReleasesPublished(50, without, 1), 45U);
  EXPECT_LT(ReleasesPublished(100, without, 1), 55U);
}

}  // namespace
}  // namespace pentimento::churn_test
