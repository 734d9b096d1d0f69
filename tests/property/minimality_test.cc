// What the groups of a series tell to an attacker who knows the program and runs it again: every way in which the
// published table could have come about is tried, and those that would have led to other groups are ruled out.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "anonymize/global/global_groups.h"
#include "base/ratio.h"

namespace pentimento::minimality_test {
namespace {

constexpr std::size_t kRows = 10;

GlobalOptions OptionsOf(std::uint64_t k, std::uint64_t releases, bool blind, std::uint64_t seed) {
  GlobalOptions options;
  options.k = k;
  options.schedule = {Horizon::kKnown, releases, {1, 1}};
  options.blind = blind;
  options.seed = SeedFromNumber(seed);
  return options;
}

// Ten people in a row, one limit for every item, nothing spent. l = 0: only the items' own at_most.
Result<GlobalGroups> GroupsOf(Signatures signatures, const std::vector<Code>& signature_of_row, std::uint64_t limit,
                              const std::vector<std::uint32_t>& table_of_item, const GlobalOptions& options) {
  EncodedTable table;
  table.rows = kRows;
  table.quasi_identifiers.emplace_back(100, kRows);
  // Not evenly spaced, so that widths decide between cuts as well.
  constexpr std::array<Code, kRows> kCodes = {3, 7, 15, 22, 30, 41, 55, 60, 82, 97};
  for (std::size_t row = 0; row < kRows; ++row) {
    table.quasi_identifiers[0].Set(row, kCodes[row]);
    signatures.of_row.Set(row, signature_of_row[row]);
  }
  const std::vector<Domain> domains = {Domain(NumericRange{0, 99, 0, {}}, false)};
  const std::size_t items = signatures.items.size();
  const std::vector<std::uint64_t> l(items, limit);
  const std::vector<LogCost> spent(kRows * items, 0);
  const std::vector<std::uint32_t> appearances(kRows, 0);
  return GroupWithinBudgets(
      table, domains, {&signatures, l, {items, spent, appearances}, {}, {}, /*names=*/{}, table_of_item}, options);
}

// One sensitive value, l = 2, a series of `releases`.
Result<GlobalGroups> GroupsOf(const std::vector<Code>& holds, std::uint64_t releases, bool blind, std::uint64_t seed) {
  return GroupsOf({CodeColumn(2, kRows), 2, {{{1}, {1, 1}}}}, holds, 2, {}, OptionsOf(2, releases, blind, seed));
}

// All worlds with so many holders.
std::vector<std::vector<Code>> WorldsWith(std::size_t holders) {
  std::vector<Code> world(kRows, 0);
  std::fill(world.end() - static_cast<std::ptrdiff_t>(holders), world.end(), 1);
  std::vector<std::vector<Code>> worlds;
  do worlds.push_back(world);
  while (std::ranges::next_permutation(world).found);
  return worlds;
}

struct Learnt {
  Ratio most{0, 1};             // the greatest chance of anybody for whoever runs the program again
  Ratio most_by_table{0, 1};    // the greatest that the published tables say
  Ratio where_published{0, 1};  // what the table says of the person with the greatest chance
  std::size_t rows_told = 0;    // over all worlds: people of whom more or less is known than the table says
  std::size_t rows = 0;
};

// Worlds are equally likely before; the attacker knows the program and the seed, and sees groups and their counts.
Learnt RunAgain(std::size_t holders, std::uint64_t releases, bool blind, std::uint64_t seed) {
  std::map<std::vector<std::uint32_t>, std::vector<std::vector<Code>>> worlds_of;  // by what is published
  for (const std::vector<Code>& world : WorldsWith(holders)) {
    const Result<GlobalGroups> groups = GroupsOf(world, releases, blind, seed);
    if (!groups.ok()) continue;
    std::vector<std::uint32_t> published = groups->classes.of_row;
    std::vector<std::uint32_t> counts(groups->classes.count());
    for (std::size_t row = 0; row < kRows; ++row) counts[published[row]] += world[row];
    published.insert(published.end(), counts.begin(), counts.end());
    worlds_of[published].push_back(world);
  }
  Learnt learnt;
  for (const auto& [published, worlds] : worlds_of) {
    for (std::size_t row = 0; row < kRows; ++row) {
      std::uint64_t size = 0, held = 0;
      for (std::size_t other = 0; other < kRows; ++other) size += published[other] == published[row] ? 1 : 0;
      for (const std::vector<Code>& world : worlds) held += world[row];
      const std::uint64_t in_class = published[kRows + published[row]];
      const bool is_told = held * size != in_class * worlds.size();
      learnt.rows += worlds.size();
      learnt.rows_told += is_told ? worlds.size() : 0;
      const Ratio chance{held, worlds.size()}, by_table{in_class, size};
      if (chance > learnt.most) {
        learnt.most = chance;
        learnt.where_published = by_table;
      }
      learnt.most_by_table = std::max(learnt.most_by_table, by_table);
    }
  }
  return learnt;
}

// These numbers stand on the claim page, guarantee/global/global_guarantee.md.
TEST(Minimality, GroupsThatLookAtValuesTellMoreThanTheTable) {
  std::size_t rows = 0, told = 0;
  Ratio most{0, 1};
  for (const std::uint64_t releases : {2, 3, 4}) {
    for (const std::size_t holders : {1, 2}) {
      const Learnt learnt = RunAgain(holders, releases, false, 1);
      rows += learnt.rows;
      told += learnt.rows_told;
      most = std::max(most, learnt.most);
      EXPECT_LE(learnt.most_by_table, (Ratio{1, 2}));
    }
  }
  EXPECT_EQ(rows, 1200U);
  EXPECT_EQ(told, 217U);
  EXPECT_EQ(most.num, most.den);  // somebody is found out for sure
}

TEST(Minimality, BlindGroupsTellNothingButTheTable) {
  int looked_at = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const std::uint64_t releases : {2, 3, 4}) {
      for (const std::size_t holders : {1, 2}) {
        const Learnt learnt = RunAgain(holders, releases, true, seed);
        if (learnt.rows == 0) continue;
        EXPECT_EQ(learnt.rows_told, 0U) << "seed " << seed;
        EXPECT_LE(learnt.most, learnt.most_by_table);
        ++looked_at;
      }
    }
  }
  EXPECT_GT(looked_at, 50);
}

using World = std::vector<Code>;  // 1: has the value of the first column, 2: that of the second, 3: both

// All worlds with so many holders of a value of each of two columns, whoever has both.
std::vector<World> WorldsOfTwoColumns(std::size_t of_first, std::size_t of_second) {
  std::vector<World> worlds;
  for (const std::vector<Code>& first : WorldsWith(of_first)) {
    for (const std::vector<Code>& second : WorldsWith(of_second)) {
      World& world = worlds.emplace_back(kRows);
      for (std::size_t row = 0; row < kRows; ++row) world[row] = first[row] + 2 * second[row];
    }
  }
  return worlds;
}

std::uint64_t Choices(std::uint64_t size, std::uint64_t held) {
  std::uint64_t choices = 1;
  for (std::uint64_t i = 1; i <= held; ++i) choices = choices * (size - held + i) / i;
  return choices;
}

// Of the ways in which the published classes and the counts of each column by itself could have come about, all must
// lead to just this release. Returns in how many releases some of them do not.
std::size_t ReleasesThatRuleOutWorlds(std::uint64_t seed, const std::vector<std::uint32_t>& table_of_item) {
  // Five of ten people have the first value, and at most four may be in a class. In two classes of five that is so in
  // all but one of 126 deals: with 99 deals the size of classes hangs on which people they hit.
  const Signatures both{CodeColumn(4, kRows), 4, {{{1, 3}, {4, 5}}, {{2, 3}, {4, 5}}}};
  const GlobalOptions options = OptionsOf(5, 1, /*blind=*/true, seed);
  std::map<std::vector<std::uint32_t>, std::uint64_t> worlds_of;  // by what is published
  for (const World& world : WorldsOfTwoColumns(5, 1)) {
    const Result<GlobalGroups> groups = GroupsOf(both, world, 0, table_of_item, options);
    if (!groups.ok()) continue;
    std::vector<std::uint32_t> published = groups->classes.of_row;
    published.resize(kRows + 2 * groups->classes.count());
    for (std::size_t row = 0; row < kRows; ++row) {
      published[kRows + 2 * published[row]] += world[row] & 1;
      published[kRows + 2 * published[row] + 1] += world[row] >> 1;
    }
    ++worlds_of[published];
  }
  std::size_t telling = 0;
  for (const auto& [published, worlds] : worlds_of) {
    std::uint64_t possible = 1;
    for (std::size_t i = kRows; i < published.size(); ++i) {
      const auto of_class = static_cast<std::uint32_t>((i - kRows) / 2);
      const auto size = std::count(published.begin(), published.begin() + kRows, of_class);
      possible *= Choices(static_cast<std::uint64_t>(size), published[i]);
    }
    telling += worlds == possible ? 0 : 1;
  }
  return telling;
}

// Who is in both of two tables is not published, so it must not show in the classes either.
TEST(Minimality, BlindClassesOfSeparateTablesTellNothingOfWhoIsInBoth) {
  std::size_t dealt_together = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    EXPECT_EQ(ReleasesThatRuleOutWorlds(seed, {0, 1}), 0U) << "seed " << seed;
    dealt_together += ReleasesThatRuleOutWorlds(seed, {0, 0});
  }
  // The test is able to notice: as one table, whose rows would show it, they do.
  EXPECT_GT(dealt_together, 0U);
}

}  // namespace
}  // namespace pentimento::minimality_test
