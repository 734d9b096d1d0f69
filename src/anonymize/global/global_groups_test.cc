#include "anonymize/global/global_groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "base/rounds_testing.h"

namespace pentimento::serial_test {
namespace {

using global::BudgetLevels;
using global::Cap;
using global::LevelBudgets;
using global::Spending;

Domain Numbers(Code size, bool allows_missing = false) {
  return Domain(NumericRange{0, static_cast<std::int64_t>(size) - 1, 0, {}}, allows_missing);
}
Domain Names(Code size) {
  std::vector<std::string> values;
  for (Code code = 0; code < size; ++code) values.push_back("v" + std::to_string(code));
  return Domain(std::make_shared<const Taxonomy>(Taxonomy::Flat(values).value()), false);
}

// A release with everything that groups are made from. Signature 0 has no item.
struct Case {
  std::vector<Domain> domains;
  EncodedTable table;
  Signatures signatures;
  std::vector<std::uint64_t> l;
  std::vector<LogCost> left;
  std::vector<std::uint32_t> appearances;
  std::vector<Ratio> expected;
  std::vector<std::uint32_t> table_of_item;
  GlobalOptions options;

  std::size_t rows() const { return table.rows; }
  std::size_t items() const { return l.size(); }
  // What everybody has spent, by person and item.
  std::vector<LogCost> spent() const {
    std::vector<LogCost> of_all(left.size());
    for (std::size_t i = 0; i < left.size(); ++i)
      of_all[i] = l[i % items()] == 0 ? 0 : BudgetOfLimit(l[i % items()]) - left[i];
    return of_all;
  }
  Result<GlobalGroups> Group() const {
    const std::vector<LogCost> of_all = spent();
    return GroupWithinBudgets(
        table, domains, {&signatures, l, {items(), of_all, appearances}, {}, expected, /*names=*/{}, table_of_item},
        options);
  }
  bool Has(std::size_t row, std::size_t item) const {
    return std::ranges::count(signatures.items[item].signatures, signatures.of_row[row]) > 0;
  }
};

// One item, l = 2, one numeric column with these codes; nothing is spent.
Case OneItem(std::vector<Code> codes, std::vector<Code> holds, std::uint64_t releases, std::uint64_t k) {
  Case made;
  made.table.rows = codes.size();
  made.domains = {Numbers(1000)};
  made.table.quasi_identifiers.emplace_back(1000, codes.size());
  made.signatures = {CodeColumn(2, codes.size()), 2, {{{1}, {1, 2}}}};
  for (std::size_t row = 0; row < codes.size(); ++row) {
    made.table.quasi_identifiers[0].Set(row, codes[row]);
    made.signatures.of_row.Set(row, holds[row]);
  }
  made.l = {2};
  made.left.assign(codes.size(), BudgetOfLimit(2));
  made.appearances.assign(codes.size(), 0);
  made.options.k = k;
  made.options.schedule = {Horizon::kKnown, releases, {1, 1}};
  return made;
}

Case RandomCase(Random& random) {
  Case made;
  made.table.rows = 1 + random.Below(60);
  const Code sizes[] = {7, 5, 300};
  made.domains = {Numbers(7, true), Names(5), Numbers(300)};
  made.domains.resize(random.Below(4), Numbers(1));
  for (std::size_t c = 0; c < made.domains.size(); ++c) {
    CodeColumn& column = made.table.quasi_identifiers.emplace_back(made.domains[c].size(), made.rows());
    for (std::size_t row = 0; row < made.rows(); ++row) column.Set(row, random.Below(sizes[c] + (c == 0 ? 1 : 0)));
  }
  // Two values by themselves, both as a set, and one that nobody has.
  made.signatures = {CodeColumn(4, made.rows()), 4, {{{1}, {1, 1}}, {{2}, {1, 1}}, {{1, 2}, {1, 1}}, {{}, {1, 1}}}};
  const std::uint32_t rarity = 2 + random.Below(12);
  for (std::size_t row = 0; row < made.rows(); ++row)
    made.signatures.of_row.Set(row, random.Below(rarity) == 0 ? 1 + random.Below(2) : 3 * random.Below(2));
  for (std::size_t item = 0; item < 4; ++item) made.l.push_back(2 + random.Below(3));
  // Limits in each group, beside budgets or instead of one.
  if (random.Below(3) == 0) made.signatures.items[random.Below(4)].at_most = {1 + random.Below(3), 3 + random.Below(6)};
  if (random.Below(3) == 0) made.l[random.Below(4)] = 0;
  const bool is_first = random.Below(3) == 0;
  for (std::size_t row = 0; row < made.rows(); ++row) {
    made.appearances.push_back(is_first ? 0 : random.Below(4));
    const bool is_at_the_end = !is_first && random.Below(60) == 0;
    for (const std::uint64_t l : made.l)
      made.left.push_back(l == 0          ? 0
                          : is_first      ? BudgetOfLimit(l)
                          : is_at_the_end ? 0
                                          : BudgetOfLimit(l) / 64 * (24 + random.Below(40)));
  }
  if (random.Below(2) == 0) made.expected.assign(4, Ratio{1, 2 + random.Below(12)});
  made.options.k = 1 + random.Below(4);
  made.options.blind = random.Below(3) == 0;
  made.options.form = random.Below(2) == 0 ? CategoryForm::kSets : CategoryForm::kTaxonomy;
  made.options.budget_levels = 1 + random.Below(16);
  made.options.balances = random.Below(2) == 0;
  made.options.schedule.horizon = std::array{Horizon::kKnown, Horizon::kOpen, Horizon::kPart}[random.Below(3)];
  made.options.schedule.releases_left = 1 + random.Below(3);
  made.options.schedule.part = {1, 1 + random.Below(3)};
  return made;
}

// Straight from the definition: what somebody may spend in this release.
bool MayBeExposed(const Case& made, std::size_t row, std::size_t item, std::uint64_t holders, std::uint64_t rows) {
  const Ratio at_most = made.signatures.items[item].at_most;
  if (holders * at_most.den > at_most.num * rows) return false;
  if (made.l[item] == 0) return true;
  const LogCost left = made.left[row * made.items() + item];
  const LogCost budget = BudgetOfLimit(made.l[item]);
  const LogCost cost = CostOfExposure(holders, rows);
  const Schedule& schedule = made.options.schedule;
  const bool may_spend_all = (schedule.horizon == Horizon::kKnown && schedule.releases_left == 1) ||
                             (schedule.horizon == Horizon::kPart && schedule.part.den == 1);
  if (may_spend_all && left == budget) return holders * made.l[item] <= rows;
  switch (schedule.horizon) {
    case Horizon::kKnown:
      return cost <= left / schedule.releases_left;
    case Horizon::kPart:
      return cost <= left / schedule.part.den;
    case Horizon::kOpen:
      break;
  }
  // With this release somebody was in c of them; then at least 1/(c+1) of the budget is left.
  const std::uint64_t c = made.appearances[row] + 1;
  return cost == 0 || (cost <= left && left - cost >= budget / (c + 1));
}

std::map<ClassNumber, std::vector<std::size_t>> MembersOf(const Classes& grouping) {
  std::map<ClassNumber, std::vector<std::size_t>> members;
  for (std::size_t row = 0; row < grouping.of_row.size(); ++row) members[grouping.of_row[row]].push_back(row);
  return members;
}

std::uint64_t Holders(const Case& made, std::span<const std::size_t> rows, std::size_t item) {
  return static_cast<std::uint64_t>(std::ranges::count_if(rows, [&](std::size_t row) { return made.Has(row, item); }));
}

bool MayBeOneGroup(const Case& made, std::span<const std::size_t> rows) {
  for (std::size_t item = 0; item < made.items(); ++item) {
    const std::uint64_t holders = Holders(made, rows, item);
    for (const std::size_t row : rows) {
      if (!MayBeExposed(made, row, item, holders, rows.size())) return false;
    }
  }
  return rows.size() >= made.options.k;
}

// Straight from the definition: who stays where the ledger withholds whoever has too little room for what is expected.
std::vector<std::size_t> RowsWithRoom(const Case& made) {
  std::vector<std::size_t> rows(made.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (made.expected.empty()) return rows;
  const Spending spending(made.options.schedule, made.l);
  for (std::size_t item = 0; item < made.items(); ++item) {
    if (made.l[item] == 0) continue;
    // RandomCase expects 1 of n: 5 of 4n leaves room. Who has never been in a release decides what can be asked for.
    const LogCost untouched = spending.Limit(item, BudgetOfLimit(made.l[item]), 0);
    LogCost needed = CostOfExposure(5, 4 * made.expected[item].den);
    if (needed > untouched) needed = CostOfExposure(1, made.expected[item].den);
    if (needed > untouched) continue;
    std::erase_if(rows, [&](std::size_t row) {
      return spending.Limit(item, made.left[row * made.items() + item], made.appearances[row]) < needed;
    });
  }
  return rows;
}

void Permute(CodeColumn& column, Random& random) {
  for (std::size_t row = 0; row + 1 < column.size(); ++row) {
    const std::size_t other = row + random.Below(static_cast<std::uint32_t>(column.size() - row));
    const Code code = column[row];
    column.Set(row, column[other]);
    column.Set(other, code);
  }
}

std::vector<bool> Withheld(const GlobalGroups& groups) {
  std::vector<bool> withheld;
  for (const ClassNumber of_row : groups.classes.of_row) withheld.push_back(of_row == kWithheldClass);
  return withheld;
}

TEST(GlobalGroupsTest, EveryGroupKeepsWhatEachOfItsMembersHasLeftAndHasKRows) {
  Random random(SeedFromNumber(1), "serial test");
  int made_groups = 0, withheld = 0, withheld_for_room = 0, refused = 0;
  for (std::size_t round = 0; round < TestRounds(4000); ++round) {
    const Case made = RandomCase(random);
    const Result<GlobalGroups> result = made.Group();
    std::vector<std::size_t> everybody(made.rows());
    std::iota(everybody.begin(), everybody.end(), std::size_t{0});
    const bool has_room = made.options.schedule.horizon != Horizon::kKnown;
    const std::vector<std::size_t> with_room = has_room ? RowsWithRoom(made) : everybody;
    if (MayBeOneGroup(made, with_room)) {
      ASSERT_TRUE(result.ok()) << "round " << round << ": one group of whoever has room is possible";
      EXPECT_EQ(result.value().withheld, everybody.size() - with_room.size());
      withheld_for_room += with_room.size() < everybody.size() ? 1 : 0;
    }
    if (!result.ok()) {
      EXPECT_EQ(result.error().code, ErrorCode::kRefused);
      ++refused;
      continue;
    }
    const GlobalGroups& groups = result.value();
    auto members = MembersOf(groups.classes);
    withheld += groups.withheld > 0 ? 1 : 0;
    EXPECT_EQ(members[kWithheldClass].size(), groups.withheld);
    members.erase(kWithheldClass);
    ASSERT_EQ(members.size(), groups.classes.count());
    ASSERT_EQ(groups.classes.boxes.size(), groups.classes.count() * made.domains.size());
    made_groups += static_cast<int>(members.size());
    for (const auto& [group, rows] : members) {
      ASSERT_LT(group, groups.classes.count());
      EXPECT_TRUE(MayBeOneGroup(made, rows)) << "round " << round << ", group " << group;
      for (std::size_t c = 0; c < made.domains.size(); ++c) {
        Interval codes{made.table.quasi_identifiers[c][rows[0]], made.table.quasi_identifiers[c][rows[0]]};
        for (const std::size_t row : rows) {
          codes.lo = std::min(codes.lo, made.table.quasi_identifiers[c][row]);
          codes.hi = std::max(codes.hi, made.table.quasi_identifiers[c][row]);
        }
        EXPECT_EQ(groups.classes.boxes[group * made.domains.size() + c],
                  made.domains[c].Cover(codes, made.options.form));
      }
    }
  }
  EXPECT_GT(made_groups, TestRounds(4000));
  EXPECT_GT(withheld, TestRounds(50));
  EXPECT_GT(withheld_for_room, TestRounds(50));
  EXPECT_GT(refused, TestRounds(300));
}

TEST(GlobalGroupsTest, PeopleOfTheSeriesWhoAreNotInTheReleaseMakeNoDifference) {
  Random random(SeedFromNumber(8), "serial test");
  int compared = 0;
  for (std::size_t round = 0; round < TestRounds(500); ++round) {
    const Case made = RandomCase(random);
    const Result<GlobalGroups> alone = made.Group();
    // The account has its own order, and twice as many people, of whom the others have nothing left.
    const std::size_t people = 2 * made.rows(), items = made.items();
    std::vector<std::uint32_t> person_of_row(people), appearances(people, 9);
    std::iota(person_of_row.begin(), person_of_row.end(), 0U);
    for (std::size_t p = 0; p + 1 < people; ++p)
      std::swap(person_of_row[p], person_of_row[p + random.Below(static_cast<std::uint32_t>(people - p))]);
    person_of_row.resize(made.rows());
    const std::vector<LogCost> of_rows = made.spent();
    std::vector<LogCost> spent(people * items, BudgetOfLimit(2));
    for (std::size_t row = 0; row < made.rows(); ++row) {
      appearances[person_of_row[row]] = made.appearances[row];
      for (std::size_t item = 0; item < items; ++item)
        spent[person_of_row[row] * items + item] = of_rows[row * items + item];
    }
    const Result<GlobalGroups> among_others = GroupWithinBudgets(
        made.table, made.domains, {&made.signatures, made.l, {items, spent, appearances}, person_of_row, made.expected},
        made.options);
    ASSERT_EQ(alone.ok(), among_others.ok()) << "round " << round;
    if (!alone.ok()) continue;
    EXPECT_EQ(alone.value().classes.of_row, among_others.value().classes.of_row) << "round " << round;
    ++compared;
  }
  EXPECT_GT(compared, TestRounds(100));
}

TEST(GlobalGroupsTest, ValuesThatChangeHandsLeaveTheWithheldAndTheLevelsUnchanged) {
  Random random(SeedFromNumber(2), "serial test");
  int compared = 0;
  for (std::size_t round = 0; round < TestRounds(3000); ++round) {
    Case made = RandomCase(random);
    made.expected.assign(4, Ratio{1, 2 + random.Below(12)});
    const Result<GlobalGroups> before = made.Group();
    Permute(made.signatures.of_row, random);
    const Result<GlobalGroups> after = made.Group();
    if (!before.ok() || !after.ok()) continue;
    EXPECT_EQ(Withheld(before.value()), Withheld(after.value())) << "round " << round;
    compared += before.value().withheld > 0 ? 1 : 0;
  }
  EXPECT_GT(compared, TestRounds(10));
}

TEST(GlobalGroupsTest, SomebodyWithNothingLeftIsWithheldWhoeverHoldsTheItem) {
  for (Code holder = 1; holder < 10; ++holder) {
    std::vector<Code> holds(10, 0);
    holds[holder] = 1;
    Case made = OneItem({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, holds, 1, 1);
    made.left[0] = 0;
    made.expected = {{1, 10}};
    const GlobalGroups groups = made.Group().value();
    EXPECT_EQ(groups.withheld, 1U);
    EXPECT_EQ(groups.classes.of_row[0], kWithheldClass);
  }
}

TEST(GlobalGroupsTest, NobodyIsWithheldBecauseOfWhatTheyHold) {
  Case made = OneItem({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 1, 1);
  made.left[0] = 0;
  made.expected = {{1, 10}};
  // Without the first everybody else could be published, but everybody would know why it is missing.
  EXPECT_FALSE(made.Group().ok());
  made.signatures.of_row.Set(0, 0);
  EXPECT_EQ(made.Group().value().withheld, 0U);
}

TEST(GlobalGroupsTest, TwoGroupsThatAreFineApartAreNotJoined) {
  // {s, x} with caps of one half and {x, x} with caps of nothing: no group of all four.
  Case made = OneItem({0, 0, 9, 9}, {1, 0, 0, 0}, 1, 2);
  made.left[2] = made.left[3] = 0;
  EXPECT_FALSE(made.Group().ok());
  made.expected = {{1, 4}};
  const GlobalGroups groups = made.Group().value();
  EXPECT_EQ(groups.withheld, 2U);
  EXPECT_EQ(groups.classes.of_row, (std::vector<ClassNumber>{0, 0, kWithheldClass, kWithheldClass}));
}

TEST(GlobalGroupsTest, ExactlyOneInLIsAllowedInASingleRelease) {
  Case two = OneItem({0, 0, 9, 9}, {1, 0, 0, 1}, 1, 2);
  EXPECT_EQ(two.Group().value().classes.count(), 2U);
  Case three = OneItem({0, 0, 0, 9, 9, 9}, {1, 0, 0, 0, 0, 1}, 1, 2);
  three.l = {3};
  three.left.assign(6, BudgetOfLimit(3));
  EXPECT_EQ(three.Group().value().classes.count(), 2U);
  // With a release to come a share of one half is too much.
  two.options.schedule.releases_left = 2;
  EXPECT_FALSE(two.Group().ok());
}

TEST(GlobalGroupsTest, WhereSomebodyHasLittleLeftOnlyTheirGroupIsLarge) {
  // Eighty people, of whom the upper half has much left: its holders need fewer neighbours.
  std::vector<Code> codes(80), holds(80, 0);
  for (Code row = 0; row < 80; ++row) codes[row] = row;
  for (const Code holder : {5, 45, 55, 65, 75}) holds[static_cast<std::size_t>(holder)] = 1;
  Case made = OneItem(codes, holds, 1, 4);
  for (std::size_t row = 0; row < 40; ++row) made.left[row] = CostOfExposure(1, 15);
  const GlobalGroups groups = made.Group().value();
  made.options.budget_levels = 1;
  EXPECT_GT(groups.classes.count(), made.Group().value().classes.count());
}

TEST(GlobalGroupsTest, BlindGroupsDoNotDependOnWhoHoldsWhat) {
  Random random(SeedFromNumber(3), "serial test");
  std::size_t compared = 0, others_differ = 0;
  const std::size_t rounds = std::max<std::size_t>(TestRounds(300), 300);  // quick: all of them under sanitizers, too
  for (std::size_t round = 0; round < rounds; ++round) {
    Case made = RandomCase(random);
    made.expected = {};
    made.options.blind = true;
    const Result<GlobalGroups> before = made.Group();
    if (!before.ok()) continue;
    for (int permutation = 0; permutation < 5; ++permutation) {
      Permute(made.signatures.of_row, random);
      made.options.blind = true;
      const Result<GlobalGroups> after = made.Group();
      made.options.blind = false;
      const GlobalGroups open_eyed = made.Group().value();
      if (!after.ok()) continue;
      EXPECT_EQ(before->fewest_rows, after->fewest_rows);
      EXPECT_EQ(before->classes.of_row, after->classes.of_row);
      ++compared;
      others_differ += open_eyed.classes.of_row == after->classes.of_row ? 0 : 1;
    }
  }
  EXPECT_GT(compared, rounds);
  EXPECT_GT(others_differ, rounds / 6);
}

// One value is limited strictly and the other hardly, so that it matters who gets which of them.
TEST(GlobalGroupsTest, TheSizeOfBlindGroupsDoesNotDependOnWhoHoldsWhichValue) {
  Random random(SeedFromNumber(5), "serial test");
  constexpr std::size_t kPeople = 240;
  std::vector<Code> codes(kPeople), holds(kPeople, 0);
  std::iota(codes.begin(), codes.end(), Code{0});
  Case made = OneItem(codes, holds, 2, 2);
  made.signatures = {CodeColumn(3, kPeople), 3, {{{1}, {1, 1}}, {{2}, {1, 1}}}};
  made.l = {2, 6};
  made.left.clear();
  for (std::size_t row = 0; row < kPeople; ++row)
    made.left.insert(made.left.end(), {BudgetOfLimit(2), BudgetOfLimit(6)});
  made.options.blind = true;
  int made_groups = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    made.options.seed = SeedFromNumber(seed);
    for (std::size_t row = 0; row < kPeople; ++row) made.signatures.of_row.Set(row, 0);
    for (std::size_t row = 0; row < 8 + seed % 12; ++row) made.signatures.of_row.Set(row, 1 + row % 2);
    std::set<std::uint64_t> sizes;
    for (int permutation = 0; permutation < 10; ++permutation) {
      Permute(made.signatures.of_row, random);
      const Result<GlobalGroups> groups = made.Group();
      if (!groups.ok()) continue;
      sizes.insert(groups->fewest_rows);
      ++made_groups;
    }
    EXPECT_LE(sizes.size(), 1U) << "seed " << seed;
  }
  EXPECT_GT(made_groups, 100);
}

// Two columns that are published in tables of their own: nobody is told who is in both, so nothing may depend on it.
TEST(GlobalGroupsTest, BlindGroupsDoNotDependOnJointCountsThatAreNotPublished) {
  Random random(SeedFromNumber(6), "serial test");
  constexpr std::size_t kPeople = 240;
  std::vector<Code> codes(kPeople), holds(kPeople, 0);
  std::iota(codes.begin(), codes.end(), Code{0});
  Case made = OneItem(codes, holds, 2, 2);
  // Signature 1 has the first item, 2 the second, 3 both.
  made.signatures = {CodeColumn(4, kPeople), 4, {{{1, 3}, {1, 1}}, {{2, 3}, {1, 1}}}};
  made.l = {2, 2};
  made.left.assign(2 * kPeople, BudgetOfLimit(2));
  made.table_of_item = {0, 1};
  made.options.blind = true;
  int several = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    made.options.seed = SeedFromNumber(seed);
    const std::size_t holders = 6 + seed % 12;
    std::set<std::vector<ClassNumber>> groupings;
    int made_groups = 0;
    for (std::size_t of_both = 0; of_both <= holders; of_both += 3) {
      for (std::size_t row = 0; row < kPeople; ++row) {
        const bool has_first = row < holders;
        const bool has_second = row >= holders - of_both && row < 2 * holders - of_both;
        made.signatures.of_row.Set(row, (has_first ? 1 : 0) + (has_second ? 2 : 0));
      }
      Permute(made.signatures.of_row, random);
      const Result<GlobalGroups> groups = made.Group();
      if (!groups.ok()) continue;
      groupings.insert(groups->classes.of_row);
      ++made_groups;
    }
    EXPECT_LE(groupings.size(), 1U) << "seed " << seed;
    several += made_groups > 1 ? 1 : 0;
  }
  EXPECT_GT(several, 40);
}

TEST(GlobalGroupsTest, BlindGroupsAreRefusedWhereHoldersLieTogether) {
  std::vector<Code> codes(400), together(400, 0), apart(400, 0);
  for (Code row = 0; row < 400; ++row) codes[row] = row;
  for (std::size_t holder = 0; holder < 8; ++holder) together[holder] = apart[holder * 50] = 1;
  Case clustered = OneItem(codes, together, 3, 2);
  Case scattered = OneItem(codes, apart, 3, 2);
  clustered.options.blind = scattered.options.blind = true;
  const GlobalGroups small = scattered.Group().value();
  for (const auto& [group, rows] : MembersOf(small.classes)) EXPECT_TRUE(MayBeOneGroup(scattered, rows));
  const Result<GlobalGroups> refused = clustered.Group();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kRefused);
  EXPECT_NE(refused.error().message.find("without a look at the values"), std::string::npos);
  // Larger groups do, if they are asked for whatever the values are.
  clustered.options.k = 100;
  EXPECT_TRUE(clustered.Group().ok());
}

TEST(GlobalGroupsTest, AnyNumberOfThreadsMakesTheSameGroups) {
  Random random(SeedFromNumber(4), "serial test");
  std::vector<Code> codes(100'000), holds(100'000);
  for (std::size_t row = 0; row < codes.size(); ++row) {
    codes[row] = random.Below(1000);
    holds[row] = random.Below(50) == 0 ? 1 : 0;
  }
  Case made = OneItem(codes, holds, 25, 3);
  made.domains.push_back(Names(20));
  CodeColumn& names = made.table.quasi_identifiers.emplace_back(20, codes.size());
  for (std::size_t row = 0; row < codes.size(); ++row) {
    names.Set(row, random.Below(20));
    made.left[row] -= made.left[row] / 1000 * random.Below(20);
  }
  std::vector<GlobalGroups> made_with;
  for (const std::size_t threads : {1, 2, 8}) {
    const ThreadLimit limit(threads);
    made_with.push_back(made.Group().value());
  }
  for (const GlobalGroups& groups : made_with) {
    EXPECT_EQ(groups.classes.of_row, made_with[0].classes.of_row);
    EXPECT_EQ(groups.classes.boxes, made_with[0].classes.boxes);
  }
  EXPECT_GT(made_with[0].classes.count(), 1000U);
}

TEST(GlobalGroupsTest, CodesThatShareACoarseBinAreStillToldApart) {
  std::vector<Code> codes(21, 0), holds(21, 0);
  for (std::size_t row = 10; row < 20; ++row) codes[row] = 1;
  codes[20] = 999;
  const GlobalGroups groups = OneItem(codes, holds, 1, 5).Group().value();
  EXPECT_EQ(groups.classes.count(), 2U);
  EXPECT_NE(groups.classes.of_row[0], groups.classes.of_row[10]);
}

TEST(GlobalGroupsTest, FewerThanKRowsAreRefused) {
  EXPECT_FALSE(OneItem({0, 1, 2}, {0, 0, 0}, 1, 4).Group().ok());
  EXPECT_TRUE(OneItem({0, 1, 2, 3}, {0, 0, 0, 0}, 1, 4).Group().ok());
  EXPECT_FALSE(OneItem({}, {}, 1, 1).Group().ok());
}

// Charges everybody, and returns false where a budget does not suffice.
bool Charge(Case& made, const Classes& grouping) {
  for (const auto& [group, rows] : MembersOf(grouping)) {
    const LogCost cost = CostOfExposure(Holders(made, rows, 0), rows.size());
    for (const std::size_t row : rows) {
      if (cost > made.left[row]) return false;
      made.left[row] -= cost;
      ++made.appearances[row];
    }
  }
  return true;
}

// 34 releases is the most that a fixed population of whom 2 in 100 have the item can have with l = 2.
std::size_t ReleasesOf(const Schedule& schedule, std::size_t horizon) {
  Random random(SeedFromNumber(5), "serial test");
  std::vector<Code> codes(2000), holds(2000, 0);
  for (Code& code : codes) code = random.Below(1000);
  std::fill_n(holds.begin(), 40, 1);
  Case made = OneItem(codes, holds, 1, 5);
  for (std::size_t release = 0; release < horizon; ++release) {
    Permute(made.signatures.of_row, random);
    made.options.schedule = schedule;
    made.options.schedule.releases_left = horizon - release;
    const Result<GlobalGroups> groups = made.Group();
    if (!groups.ok()) return release;
    EXPECT_GT(groups.value().classes.count(), 10U);
    if (!Charge(made, groups.value().classes)) return 0;
  }
  return horizon;
}

TEST(GlobalGroupsTest, AKnownSeriesLastsAsLongAsItIsPlannedUpTo85PercentOfWhatIsPossible) {
  EXPECT_EQ(ReleasesOf({Horizon::kKnown, 29, {1, 1}}, 29), 29U);
}

TEST(GlobalGroupsTest, AnOpenSeriesLasts85PercentOfWhatIsPossible) {
  EXPECT_GE(ReleasesOf({Horizon::kOpen, 1, {1, 1}}, 100), 29U);
  // Without an aim below the limit it would be over at once.
  EXPECT_LT(ReleasesOf({Horizon::kOpen, 1, {1, 1}, {1000, 1}}, 100), 15U);
}

TEST(BudgetLevelsTest, CapsSuitEverybodyOfTheirLevelAndAbove) {
  Random random(SeedFromNumber(6), "serial test");
  std::size_t most_levels = 0;
  for (std::size_t round = 0; round < TestRounds(1000); ++round) {
    const Case made = RandomCase(random);
    const std::vector<LogCost> spent = made.spent();
    Spending spending(made.options.schedule, made.l);
    const std::vector<std::uint64_t> holders = {1 + random.Below(9), random.Below(9), 1, 0};
    spending.AimFor(holders, made.rows() + 9);
    const BudgetLevels levels = LevelBudgets({4, spent, made.appearances}, spending, {}, {made.l, &made.signatures},
                                             holders, made.options.budget_levels);
    ASSERT_LE(levels.count, made.options.budget_levels);
    std::set<std::size_t> used;
    for (std::size_t row = 0; row < made.rows(); ++row) {
      ASSERT_LT(levels.of_person[row], levels.count);
      used.insert(levels.of_person[row]);
      for (std::size_t level = 0; level <= levels.of_person[row]; ++level) {
        for (std::size_t item = 0; item < 4; ++item) {
          const Cap cap = levels.CapsOf(level)[item];
          const std::uint64_t holders_allowed = cap.num * 1'000'000 / cap.den;
          EXPECT_TRUE(MayBeExposed(made, row, item, holders_allowed, 1'000'000)) << "round " << round;
        }
      }
    }
    most_levels = std::max(most_levels, used.size());
  }
  EXPECT_GT(most_levels, 8U);
}

TEST(ScheduleTest, WhatIsLeftIsSpreadOverTheReleasesThatRemain) {
  const std::array<std::uint64_t, 1> l = {2};
  const LogCost budget = BudgetOfLimit(2);
  const Spending three({Horizon::kKnown, 3, {1, 1}}, l);
  EXPECT_NEAR(static_cast<double>(three.Limit(0, budget, 0)), static_cast<double>(budget) / 3, 1000);
  EXPECT_LE(three.Limit(0, budget, 0), budget / 3);
  // Who was spared has more for each of the others.
  EXPECT_GT(three.Limit(0, budget, 5), three.Limit(0, budget / 2, 5));
  EXPECT_EQ(Spending({Horizon::kKnown, 1, {1, 1}}, l).Limit(0, budget, 0), budget);
}

TEST(ScheduleTest, AnOpenSeriesAlwaysKeepsSomethingBack) {
  const std::array<std::uint64_t, 1> l = {2};
  const LogCost budget = BudgetOfLimit(2);
  const Spending open({Horizon::kOpen, 1, {1, 1}}, l);
  LogCost left = budget;
  for (std::uint32_t c = 0; c < 1000; ++c) {
    const LogCost limit = open.Limit(0, left, c);
    EXPECT_GT(limit, 0U);
    left -= limit;
    EXPECT_GE(left, budget / (c + 2));
  }
}

TEST(ScheduleTest, AnOpenSeriesAimsAtALittleMoreThanTheMean) {
  const std::array<std::uint64_t, 2> l = {2, 2};
  Spending open({Horizon::kOpen, 1, {1, 1}}, l);
  open.AimFor(std::array<std::uint64_t, 2>{160, 16}, 8000);
  const LogCost budget = BudgetOfLimit(2);
  // 30 releases at 9/8 of 2 %; the rarer item need not last longer than the series.
  EXPECT_EQ(open.Aim(0, budget, 0), budget / 30);
  EXPECT_EQ(open.Aim(1, budget, 0), budget / 30);
  // Who has spent more than planned may still be where the item is as frequent as on the whole.
  EXPECT_EQ(open.Aim(0, budget / 4, 3), CostOfExposure(180, 8000));
  // Nobody goes beyond the limit.
  EXPECT_EQ(open.Aim(0, budget / 31, 29), open.Limit(0, budget / 31, 29));
}

// Two items, of which one leaves room and the other does not: whoever has too small a budget for the other is withheld
// as well.
TEST(GlobalGroupsTest, AnItemWithoutRoomAsksForItsFrequency) {
  Case made = OneItem({}, {}, 1, 2);
  made.table.rows = 200;
  made.table.quasi_identifiers = {CodeColumn(1000, 200)};
  made.signatures = {CodeColumn(3, 200), 3, {{{1}, {1, 2}}, {{2}, {1, 2}}}};
  for (std::size_t row = 0; row < 200; ++row) made.table.quasi_identifiers[0].Set(row, static_cast<Code>(row));
  for (const std::size_t row : {10, 60}) made.signatures.of_row.Set(row, 1);
  for (const std::size_t row : {20, 70, 120, 170}) made.signatures.of_row.Set(row, 2);
  made.l = {2, 2};
  made.left.assign(400, BudgetOfLimit(2));
  made.appearances.assign(200, 1);
  made.expected = {{1, 100}, {2, 100}};
  made.options.schedule = {Horizon::kPart, 1, {1, 30}};
  EXPECT_EQ(made.Group().value().withheld, 0U);
  made.left[2 * 5 + 1] = BudgetOfLimit(2) / 100 * 80;
  const Result<GlobalGroups> groups = made.Group();
  ASSERT_TRUE(groups.ok()) << groups.error().message;
  EXPECT_EQ(groups->withheld, 1U);
  EXPECT_EQ(groups->classes.of_row[5], kWithheldClass);
}

TEST(ScheduleTest, RoomIsAskedForOnlyWhereAnUntouchedBudgetHasIt) {
  const std::array<std::uint64_t, 1> l = {2};
  const LogCost budget = BudgetOfLimit(2);
  const Spending open({Horizon::kOpen, 1, {1, 1}}, l);
  const auto expect_just_above = [](LogCost needed, LogCost cost) {
    EXPECT_GE(needed, cost);
    EXPECT_LT(needed, cost + cost / 1'000'000);
  };
  expect_just_above(open.NeededFor(0, {1, 40}), CostOfExposure(5, 160));
  // Somebody who comes may spend half of the budget: 1 - sqrt(1/2) is 0.2929 of a group, and 5/4 of 0.2343.
  EXPECT_GT(open.NeededFor(0, {234, 1000}), budget / 2 - budget / 500);
  expect_just_above(open.NeededFor(0, {235, 1000}), CostOfExposure(235, 1000));
  EXPECT_EQ(open.NeededFor(0, {293, 1000}), 0U);
  // A part that nobody could spare room from asks for the frequency alone: 1/30 of ln 2 is 2.28 % of a group.
  const Spending part({Horizon::kPart, 1, {1, 30}}, l);
  expect_just_above(part.NeededFor(0, {2, 100}), CostOfExposure(2, 100));
  EXPECT_EQ(part.NeededFor(0, {23, 1000}), 0U);
  expect_just_above(part.NeededFor(0, {18, 1000}), CostOfExposure(18 * 5, 4000));
  EXPECT_FALSE(Spending({Horizon::kKnown, 29, {1, 1}}, l).withholds_by_ledger());
}

// What the rule for a known number of releases rests on.
TEST(ScheduleTest, WithAKnownNumberOfReleasesNobodysLimitFalls) {
  const std::array<std::uint64_t, 1> l = {2};
  Random random(SeedFromNumber(11), "schedule");
  for (std::size_t round = 0; round < TestRounds(200); ++round) {
    LogCost left = BudgetOfLimit(2), before = 0;
    const std::uint64_t releases = 2 + random.Below(40);
    for (std::uint64_t r = releases; r > 0; --r) {
      const LogCost limit = Spending({Horizon::kKnown, r, {1, 1}}, l).Limit(0, left, 0);
      EXPECT_GE(limit + releases, before);  // a unit of rounding in each
      before = limit;
      left -= random.Below(3) == 0 ? limit : limit / 100 * random.Below(100);
    }
  }
}

TEST(ScheduleTest, APartOfWhatIsLeftIsNeverRoundedUp) {
  const std::array<std::uint64_t, 1> l = {2};
  const Spending third({Horizon::kPart, 1, {1, 3}}, l);
  EXPECT_LE(third.Limit(0, 10, 0), 3U);
  EXPECT_EQ(third.Limit(0, 0, 0), 0U);
  EXPECT_NEAR(static_cast<double>(third.Limit(0, 3'000'000, 7)), 1e6, 1);
}

}  // namespace
}  // namespace pentimento::serial_test
