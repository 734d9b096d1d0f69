// The partition where sensitive values are limited, against the definition: no code is shared with what is tested.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "anonymize/partition/packed_rows.h"
#include "anonymize/partition/partition.h"
#include "anonymize/partition/partition_testing.h"
#include "anonymize/partition/tree.h"
#include "base/parallel.h"
#include "base/random.h"

namespace pentimento {
namespace {

using namespace partition_testing;
using RowSet = std::vector<std::size_t>;

struct LimitedCase {
  Case given;
  std::vector<CodeColumn> sensitive;
  AlphaKClaim claim;
  Signatures signatures;

  PartitionOptions options() const {
    PartitionOptions options = given.options;
    options.signatures = &signatures;
    return options;
  }
};

LimitedCase Limited(Case given, std::vector<CodeColumn> sensitive, std::vector<Code> sizes, AlphaKClaim claim) {
  std::vector<const CodeColumn*> columns;
  for (const CodeColumn& column : sensitive) columns.push_back(&column);
  Signatures signatures = CollectSignatures(given.table.rows, columns, sizes, claim);
  given.options.k = claim.k;
  return {std::move(given), std::move(sensitive), std::move(claim), std::move(signatures)};
}

// One column, every value limited.
LimitedCase Limited(Case given, std::vector<Code> values, Ratio alpha, std::uint64_t k = 1) {
  const Code size = 1 + *std::ranges::max_element(values);
  CodeColumn column(size, values.size());
  SensitiveLimit limit{0, {}, false, alpha};
  for (Code value = 0; value < size; ++value) limit.values.push_back(value);
  for (std::size_t row = 0; row < values.size(); ++row) column.Set(row, values[row]);
  return Limited(std::move(given), {column}, {size}, {k, {limit}});
}

std::vector<std::vector<Code>> ItemsOf(const SensitiveLimit& limit) {
  if (limit.together) return {limit.values};
  std::vector<std::vector<Code>> items;
  for (const Code value : limit.values) items.push_back({value});
  return items;
}

// What the maker promises of a class: see SensitiveRule.
bool MayBeClass(const LimitedCase& limited, const RowSet& rows) {
  std::map<std::uint32_t, std::uint64_t> rows_in_table;
  for (std::size_t row = 0; row < limited.given.table.rows; ++row) ++rows_in_table[limited.given.person(row)];
  std::uint64_t most_rows = 1;
  for (const std::size_t row : rows) most_rows = std::max(most_rows, rows_in_table[limited.given.person(row)]);
  const std::uint64_t persons = limited.given.PersonsIn(rows);
  if (persons < limited.claim.k) return false;
  for (const SensitiveLimit& limit : limited.claim.limits) {
    for (const std::vector<Code>& values : ItemsOf(limit)) {
      const auto count = static_cast<std::uint64_t>(std::ranges::count_if(rows, [&](std::size_t row) {
        return std::ranges::find(values, limited.sensitive[limit.column][row]) != values.end();
      }));
      if (count * most_rows * limit.at_most.den > limit.at_most.num * persons) return false;
    }
  }
  return true;
}

bool HasLegalCut(const LimitedCase& limited, const RowSet& rows) {
  const Case& given = limited.given;
  for (std::size_t c = 0; c < given.domains.size(); ++c) {
    std::vector<Code> codes;
    for (const std::size_t row : rows) codes.push_back(given.code(row, c));
    for (const Code at : Boundaries(given.domains[c], given.options.form, codes)) {
      RowSet below, above;
      for (const std::size_t row : rows) (given.code(row, c) < at ? below : above).push_back(row);
      if (!below.empty() && !above.empty() && MayBeClass(limited, below) && MayBeClass(limited, above)) return true;
    }
  }
  return false;
}

template <typename Packed>
std::vector<RowSet> LeavesWith(const LimitedCase& limited) {
  PartitionOptions options = limited.options();
  const Result<partition::ClassLimits> limits = partition::LimitsOf(limited.given.table, limited.signatures, options.k);
  options.k = limits->rule.fewest_persons();
  Packed rows(limited.given.table, &limited.signatures.of_row);
  partition::PartitionTree tree(rows, limited.given.domains, options, &*limits);
  std::vector<RowSet> leaves;
  std::size_t record = 0;
  RegionRoot root{0, rows.size(), {}};
  for (const Domain& domain : limited.given.domains) root.region.push_back(domain.root());
  for (const partition::SubtreeLeaves& subtree : tree.Grow({&root, 1})) {
    for (const std::uint32_t end : subtree.ends) {
      leaves.emplace_back();
      for (; record < end; ++record) leaves.back().push_back(rows.records(partition::Buffer::kFront).row(record));
    }
  }
  EXPECT_EQ(record, limited.given.table.rows);
  return leaves;
}
std::vector<RowSet> LeavesOf(const LimitedCase& limited) {
  using partition::PackedRows;
  const bool has_persons = limited.given.table.persons && !limited.given.table.persons->one_row_each();
  const auto leaves = has_persons ? LeavesWith<PackedRows<std::uint16_t, 8, true, true>>(limited)
                                  : LeavesWith<PackedRows<std::uint16_t, 8, false, true>>(limited);
  const auto wide_leaves = has_persons ? LeavesWith<PackedRows<std::uint32_t, 0, true, true>>(limited)
                                       : LeavesWith<PackedRows<std::uint32_t, 0, false, true>>(limited);
  EXPECT_EQ(leaves, wide_leaves);
  return leaves;
}

template <typename Numbers>
std::vector<RowSet> RowsOfGroups(const Numbers& group_of_row, std::size_t groups) {
  std::vector<RowSet> rows(groups);
  for (std::size_t row = 0; row < group_of_row.size(); ++row) rows.at(group_of_row[row]).push_back(row);
  return rows;
}

// What readers are promised: persons, rows, and the chance that a person has a value in any of the person's rows.
void ExpectKeepsTheClaim(const LimitedCase& limited, const std::vector<RowSet>& classes) {
  const Case& given = limited.given;
  for (const SensitiveLimit& limit : limited.claim.limits) {
    for (const std::vector<Code>& values : ItemsOf(limit)) {
      const auto has = [&](std::size_t row) {
        return std::ranges::find(values, limited.sensitive[limit.column][row]) != values.end();
      };
      std::map<std::uint32_t, double> chance_of_none;
      for (const RowSet& rows : classes) {
        std::map<std::uint32_t, std::size_t> rows_of_person;
        std::set<std::uint32_t> with_value;
        for (const std::size_t row : rows) {
          ++rows_of_person[given.person(row)];
          if (has(row)) with_value.insert(given.person(row));
        }
        const auto count = static_cast<std::size_t>(std::ranges::count_if(rows, has));
        EXPECT_GE(rows_of_person.size(), limited.claim.k);
        EXPECT_LE(with_value.size() * limit.at_most.den, limit.at_most.num * rows_of_person.size());
        EXPECT_LE(count * limit.at_most.den, limit.at_most.num * rows.size());
        for (const auto& [person, own] : rows_of_person) {
          double& none = chance_of_none.try_emplace(person, 1).first->second;
          for (std::size_t i = 0; i < own; ++i) {
            const double left = static_cast<double>(rows.size() - i);
            none *= std::max(0.0, left - static_cast<double>(count)) / left;
          }
        }
      }
      const double at_most = static_cast<double>(limit.at_most.num) / static_cast<double>(limit.at_most.den);
      for (const auto& [person, none] : chance_of_none) EXPECT_LE(1 - none, at_most + 1e-9);
    }
  }
}

// One or two sensitive columns; every value limited, or some, or a set, or several of these.
LimitedCase RandomLimitedCase(Random& random) {
  Case given = RandomCase(random);
  constexpr Ratio kLimits[] = {{1, 2}, {1, 3}, {2, 3}, {2, 5}, {1, 4}, {1, 1}};
  std::vector<CodeColumn> sensitive;
  std::vector<Code> sizes;
  AlphaKClaim claim{1 + random.Below(3), {}};
  for (std::uint32_t c = 0; c <= random.Below(2); ++c) {
    const Code size = 2 + random.Below(8);
    CodeColumn column(size, given.table.rows);
    for (std::size_t row = 0; row < given.table.rows; ++row) column.Set(row, random.Below(size));
    SensitiveLimit every{c, {}, false, kLimits[random.Below(6)]};
    for (Code value = random.Below(2); value < size; ++value) every.values.push_back(value);
    if (random.Below(4) > 0) claim.limits.push_back(every);
    if (random.Below(3) == 0) claim.limits.push_back({c, {0, size - 1}, true, kLimits[random.Below(6)]});
    sensitive.push_back(std::move(column));
    sizes.push_back(size);
  }
  return Limited(std::move(given), std::move(sensitive), std::move(sizes), std::move(claim));
}

RowSet AllRows(const LimitedCase& limited) {
  RowSet rows(limited.given.table.rows);
  for (std::size_t row = 0; row < rows.size(); ++row) rows[row] = row;
  return rows;
}

TEST(LimitedPartition, EveryCutIsLegalAndNoLegalCutIsLeftOnRandomTables) {
  Random random(SeedFromNumber(11), "limited");
  int cut = 0, refused = 0;
  for (int repeat = 0; repeat < 6000 && !testing::Test::HasFailure(); ++repeat) {
    SCOPED_TRACE(repeat);
    const LimitedCase limited = RandomLimitedCase(random);
    if (!MayBeClass(limited, AllRows(limited))) {
      ++refused;
      EXPECT_FALSE(AnonymizeByPartition(limited.given.table, limited.given.domains, limited.options()).ok());
      continue;
    }
    const std::vector<RowSet> leaves = LeavesOf(limited);
    cut += leaves.size() > 1;
    for (const RowSet& leaf : leaves) {
      EXPECT_TRUE(MayBeClass(limited, leaf));
      EXPECT_FALSE(HasLegalCut(limited, leaf)) << leaf.size() << " rows";
    }
  }
  EXPECT_GT(cut, 500);
  EXPECT_GT(refused, 500);
}

TEST(LimitedPartition, KeepsTheClaimAfterEqualBoxesBecameOneGroup) {
  Random random(SeedFromNumber(12), "claim");
  for (int repeat = 0; repeat < 6000 && !testing::Test::HasFailure(); ++repeat) {
    SCOPED_TRACE(repeat);
    const LimitedCase limited = RandomLimitedCase(random);
    const Result<Draft> draft = AnonymizeByPartition(limited.given.table, limited.given.domains, limited.options());
    if (!draft.ok()) continue;
    ExpectKeepsTheClaim(limited, RowsOfGroups(draft->group_of_row, draft->group_count()));
  }
}

TEST(LimitedPartition, AGroupingIsTheLeavesOfCutsAtAnyBoundary) {
  Random random(SeedFromNumber(13), "grouping");
  for (int repeat = 0; repeat < 3000 && !testing::Test::HasFailure(); ++repeat) {
    SCOPED_TRACE(repeat);
    LimitedCase limited = RandomLimitedCase(random);
    const Result<Grouping> grouping = GroupByPartition(limited.given.table, limited.given.domains, limited.options());
    ASSERT_EQ(grouping.ok(), MayBeClass(limited, AllRows(limited)));
    if (!grouping.ok()) continue;
    limited.given.options.form = CategoryForm::kSets;
    const auto classes = RowsOfGroups(grouping->class_of_row, grouping->classes);
    for (const RowSet& rows : classes) {
      EXPECT_TRUE(MayBeClass(limited, rows));
      EXPECT_FALSE(HasLegalCut(limited, rows));
    }
    ExpectKeepsTheClaim(limited, classes);
  }
}

TEST(LimitedPartition, DividesLeavesIntoBagsThatKeepTheLimits) {
  Random random(SeedFromNumber(16), "bags");
  std::size_t leaves = 0, bags = 0;
  for (int repeat = 0; repeat < 3000 && !testing::Test::HasFailure(); ++repeat) {
    SCOPED_TRACE(repeat);
    const LimitedCase limited = RandomLimitedCase(random);
    PartitionOptions options = limited.options();
    const Result<Grouping> whole = GroupByPartition(limited.given.table, limited.given.domains, options);
    options.dealing = SeedFromNumber(3);
    const Result<Grouping> divided = GroupByPartition(limited.given.table, limited.given.domains, options);
    ASSERT_EQ(whole.ok(), divided.ok());
    if (!whole.ok()) continue;
    const auto classes = RowsOfGroups(divided->class_of_row, divided->classes);
    for (const RowSet& rows : classes) {
      EXPECT_TRUE(MayBeClass(limited, rows));
      for (const std::size_t row : rows) EXPECT_EQ(whole->class_of_row[row], whole->class_of_row[rows.front()]);
    }
    ExpectKeepsTheClaim(limited, classes);
    leaves += whole->classes;
    bags += divided->classes;
  }
  EXPECT_GT(bags, leaves + leaves / 5);
}

TEST(LimitedPartition, DividesEqualRowsIntoAsManyBagsAsTheLimitsAllow) {
  const std::size_t rows = 30;
  std::vector<Code> values;
  for (Code row = 0; row < rows; ++row) values.push_back(row % 3);
  const auto bags_with = [&](std::vector<Code> of_row, Ratio alpha, std::uint64_t k) {
    const auto limited = Limited(MakeCase({Numbers(0, 9)}, Rows(rows, {4}), {}), std::move(of_row), alpha, k);
    PartitionOptions options = limited.options();
    options.dealing = SeedFromNumber(3);
    return GroupByPartition(limited.given.table, limited.given.domains, options)->classes;
  };
  EXPECT_EQ(bags_with(values, {1, 3}, 2), 10U);
  EXPECT_EQ(bags_with(values, {1, 3}, 5), 5U);  // bags of six: with five rows some value would have two
  EXPECT_EQ(bags_with(values, {2, 3}, 2), 15U);
  EXPECT_EQ(bags_with(values, {1, 1}, 7), 4U);
}

// Whoever knows how leaves are dealt, and sees who is in which bag, learns no more than the bags say. Six rows that
// differ only in a code, three with each of two values: over many seeds every way of having the values that fits the
// bags is equally frequent.
TEST(LimitedPartition, WhoIsDealtTogetherTellsNothingOfWhoHasWhat) {
  std::map<std::vector<ClassNumber>, std::map<std::vector<Code>, int>> seen;  // bags -> values -> how often
  std::vector<Code> values = {0, 0, 0, 1, 1, 1};
  std::vector<std::vector<Code>> worlds;
  do worlds.push_back(values);
  while (std::ranges::next_permutation(values).found);
  constexpr int kSeeds = 1500;
  for (const std::vector<Code>& world : worlds) {
    const auto limited = Limited(MakeCase({Numbers(0, 9)}, Rows(6, {4}), {}), world, {1, 2}, 2);
    PartitionOptions options = limited.options();
    for (int seed = 0; seed < kSeeds; ++seed) {
      options.dealing = SeedFromNumber(static_cast<std::uint64_t>(seed));
      const Grouping dealt = GroupByPartition(limited.given.table, limited.given.domains, options).value();
      ASSERT_EQ(dealt.classes, 3U);
      ++seen[dealt.class_of_row][world];
    }
  }
  EXPECT_EQ(seen.size(), 90U);  // six rows in three pairs with names
  for (const auto& [bags, by_world] : seen) {
    EXPECT_EQ(by_world.size(), 8U);  // each bag has both values, in one of two ways
    for (const auto& [world, count] : by_world) EXPECT_NEAR(count, kSeeds / 36.0, 6 * std::sqrt(kSeeds / 36.0));
  }
}

TEST(LimitedPartition, WithoutLimitsAGroupingIsWhatTheDraftIs) {
  Random random(SeedFromNumber(14), "plain grouping");
  for (int repeat = 0; repeat < 500; ++repeat) {
    Case given = RandomCase(random);
    given.options.form = CategoryForm::kSets;
    given.options.boxes = BoxKind::kMembers;
    const Draft draft = AnonymizeByPartition(given.table, given.domains, given.options).value();
    const Grouping grouping = GroupByPartition(given.table, given.domains, given.options).value();
    EXPECT_GE(grouping.classes, draft.group_count());
    std::map<ClassNumber, GroupId> group_of_class;
    for (std::size_t row = 0; row < given.table.rows; ++row) {
      const auto entry = group_of_class.try_emplace(grouping.class_of_row[row], draft.group_of_row[row]).first;
      EXPECT_EQ(entry->second, draft.group_of_row[row]);
    }
  }
}

// What small nodes of few limits are judged by must not show.
TEST(LimitedPartition, CountedMembersSayWhatOrderedMembersSay) {
  using Packed = partition::PackedRows<std::uint16_t, 8, false, true>;
  Random random(SeedFromNumber(17), "members");
  for (int repeat = 0; repeat < 1000 && !testing::Test::HasFailure(); ++repeat) {
    LimitedCase limited = RandomLimitedCase(random);
    limited.given.table.persons.reset();
    const partition::ClassLimits limits(SensitiveRule(limited.signatures, limited.claim.k), {});
    Packed rows(limited.given.table, &limited.signatures.of_row);
    Box bounds(limited.given.domains.size());
    rows.Bounds(partition::Buffer::kFront, 0, rows.size(), bounds);
    const partition::NodeView node{0, rows.size(), partition::Buffer::kFront, bounds, {}};
    partition::OrderedMembers<Packed> ordered(rows, limits);
    partition::CountedMembers<Packed> counted(rows, limits);
    for (std::size_t c = 0; c < bounds.size(); ++c) {
      ordered.Load(node, c);
      counted.Load(node, c);
      ordered.FindBoundaries();
      ASSERT_EQ(ordered.slots().size(), counted.slots().size());
      for (std::size_t s = 0; s < ordered.slots().size(); ++s) {
        EXPECT_EQ(ordered.slots()[s].code, counted.slots()[s].code);
        EXPECT_EQ(ordered.slots()[s].first, counted.slots()[s].first);
        EXPECT_EQ(s > 0 && ordered.BoundaryAt(s).is_legal(), s > 0 && counted.BoundaryAt(s).is_legal());
        for (std::size_t past = s + 1; past <= ordered.slots().size(); ++past) {
          EXPECT_EQ(ordered.Of(s, past).persons, counted.Of(s, past).persons);
          EXPECT_EQ(ordered.Of(s, past).keeps, counted.Of(s, past).keeps);
        }
      }
    }
  }
}

// k alone would cut after 1, where everybody is ill below; one row further both sides are mixed.
TEST(LimitedPartition, TakesAnotherBoundaryOfTheColumnWhereTheBestBreaksALimit) {
  const auto limited =
      Limited(MakeCase({Numbers(0, 9)}, {{0}, {0}, {1}, {8}, {9}, {9}}, {}), {0, 0, 1, 2, 0, 1}, {2, 3});
  const Draft draft = AnonymizeByPartition(limited.given.table, limited.given.domains, limited.options()).value();
  EXPECT_EQ(draft.group_of_row, (std::vector<GroupId>{0, 0, 0, 1, 1, 1}));
}

TEST(LimitedPartition, TakesAnotherColumnWhereNoBoundaryOfTheWidestIsLegal) {
  // The first column tells the value; the second does not.
  const auto limited =
      Limited(MakeCase({Numbers(0, 9), Numbers(0, 9)}, {{0, 0}, {9, 0}, {0, 1}, {9, 1}}, {}), {0, 1, 0, 1}, {1, 2});
  const Draft draft = AnonymizeByPartition(limited.given.table, limited.given.domains, limited.options()).value();
  EXPECT_EQ(draft.group_of_row, (std::vector<GroupId>{0, 0, 1, 1}));
}

TEST(LimitedPartition, ChildrenThatTellAValueJoinNeighboursUntilTheyDoNot) {
  // v0 and v1 have one value each, v2 and v3 are mixed.
  const Rows rows = {{0}, {0}, {1}, {1}, {2}, {2}, {3}, {3}};
  const auto limited = Limited(MakeCase({Flat(4)}, rows, {}), {0, 0, 1, 1, 0, 1, 0, 1}, {1, 2});
  const Draft draft = AnonymizeByPartition(limited.given.table, limited.given.domains, limited.options()).value();
  EXPECT_EQ(draft.boxes, (Box{{0, 3}, {2, 2}, {3, 3}}));
  EXPECT_EQ(draft.group_of_row, (std::vector<GroupId>{0, 0, 0, 0, 1, 1, 2, 2}));
}

TEST(LimitedPartition, TakesTheLimitAsAnExactFraction) {
  const Rows six = {{0}, {1}, {2}, {3}, {4}, {5}};
  const std::vector<Code> values = {0, 1, 2, 0, 1, 2};
  const auto groups_with = [&](Ratio alpha) -> std::size_t {
    const auto limited = Limited(MakeCase({Numbers(0, 9)}, six, {}), values, alpha);
    const auto draft = AnonymizeByPartition(limited.given.table, limited.given.domains, limited.options());
    return draft.ok() ? draft->group_count() : 0;
  };
  EXPECT_EQ(groups_with({1, 3}), 2U);
  EXPECT_EQ(groups_with({33, 100}), 0U);
  EXPECT_EQ(groups_with({34, 100}), 2U);
}

TEST(LimitedPartition, TwentyNineOfAHundredAreLegalAtTwentyNinePercentAndThirtyAreNot) {
  const auto groups_with = [&](std::size_t ill) {
    // A hundred on each side, of whom `ill` on the left and none on the right.
    Rows rows;
    std::vector<Code> values;
    for (std::size_t row = 0; row < 200; ++row) {
      rows.push_back({row < 100 ? Code{0} : Code{1}});
      values.push_back(row < ill ? 1 : 0);
    }
    CodeColumn column(2, 200);
    for (std::size_t row = 0; row < 200; ++row) column.Set(row, values[row]);
    const auto limited = Limited(MakeCase({Numbers(0, 1)}, rows, {}), {column}, {2}, {2, {{0, {1}, false, {29, 100}}}});
    return AnonymizeByPartition(limited.given.table, limited.given.domains, limited.options())->group_count();
  };
  EXPECT_EQ(groups_with(29), 2U);
  EXPECT_EQ(groups_with(30), 1U);
}

TEST(LimitedPartition, ASetOfValuesIsLimitedTogether) {
  // Each value alone is rare enough on both sides, the set {0, 1} is not on the left.
  const Rows rows = {{0}, {0}, {0}, {0}, {1}, {1}, {1}, {1}};
  CodeColumn column(4, 8);
  const Code values[] = {0, 1, 2, 3, 2, 3, 2, 3};
  for (std::size_t row = 0; row < 8; ++row) column.Set(row, values[row]);
  const auto groups_with = [&](bool together) {
    const auto limited =
        Limited(MakeCase({Numbers(0, 1)}, rows, {}), {column}, {4}, {2, {{0, {0, 1}, together, {1, 4}}}});
    return AnonymizeByPartition(limited.given.table, limited.given.domains, limited.options())->group_count();
  };
  EXPECT_EQ(groups_with(false), 2U);
  EXPECT_EQ(groups_with(true), 1U);
}

TEST(LimitedPartition, ATableThatBreaksALimitAsAWholeIsRefusedWithoutNamingTheValue) {
  const auto limited = Limited(MakeCase({Numbers(0, 9)}, {{0}, {1}, {2}}, {}), {0, 0, 1}, {1, 2});
  const auto draft = AnonymizeByPartition(limited.given.table, limited.given.domains, limited.options());
  ASSERT_FALSE(draft.ok());
  EXPECT_EQ(draft.error().code, ErrorCode::kRefused);
  EXPECT_NE(draft.error().message.find("2 rows have it"), std::string::npos) << draft.error().message;
}

TEST(LimitedPartition, WithoutQuasiIdentifiersTheWholeTableIsJudgedToo) {
  Case given;
  given.table.rows = 4;
  const auto groups_with = [&](std::vector<Code> values) -> std::size_t {
    const auto limited = Limited(given, std::move(values), {1, 2});
    const auto grouping = GroupByPartition(given.table, {}, limited.options());
    EXPECT_EQ(grouping.ok(), AnonymizeByPartition(given.table, {}, limited.options()).ok());
    return grouping.ok() ? grouping->classes : 0;
  };
  EXPECT_EQ(groups_with({0, 1, 0, 1}), 1U);
  EXPECT_EQ(groups_with({0, 1, 0, 0}), 0U);
}

TEST(LimitedPartition, OnePersonWithTwoRowsCountsOnceAndIsNotSureToHaveAValue) {
  // Two rows of one person and two of others, all different in value: by rows each side would be legal.
  Case given = MakeCase({Numbers(0, 9)}, {{0}, {0}, {9}, {9}}, {});
  given.table.persons = Persons{{0, 0, 1, 2}, 3};
  const auto limited = Limited(given, {0, 1, 2, 3}, {2, 3});
  EXPECT_EQ(GroupByPartition(given.table, given.domains, limited.options())->classes, 1U);
}

// v0 to v7 are published as "*" in pairs, which makes the four pairs one class. Person 0 has two rows in the first, and
// in the others half of the people are ill: for people with one row that is legal, for person 0 it is not.
TEST(LimitedPartition, PairsThatAreLegalAloneAreNotJoinedWhereSomebodyHasSeveralRows) {
  Rows rows = {{0}, {0}, {1}, {1}, {1}};
  std::vector<std::uint32_t> persons = {0, 1, 0, 2, 3};
  std::vector<Code> ill(rows.size(), 0);
  std::uint32_t next_person = 4;
  const auto add = [&](Code code, Code is_ill) {
    rows.push_back({code});
    persons.push_back(next_person++);
    ill.push_back(is_ill);
  };
  for (Code code = 2; code < 8; ++code) add(code, 0), add(code, 1);
  for (int healthy = 0; healthy < 8; ++healthy) add(8, 0);
  Case given = MakeCase({Flat(9)}, rows, {});
  given.table.persons = Persons{persons, next_person};
  CodeColumn column(2, rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) column.Set(row, ill[row]);
  const auto limited = Limited(std::move(given), {column}, {2}, {4, {{0, {1}, false, {1, 2}}}});
  EXPECT_EQ(LeavesOf(limited).size(), 5U);
  const Draft draft = AnonymizeByPartition(limited.given.table, limited.given.domains, limited.options()).value();
  ExpectKeepsTheClaim(limited, RowsOfGroups(draft.group_of_row, draft.group_count()));
  EXPECT_EQ(draft.group_count(), 1U);
}

LimitedCase LargeLimitedCase(CategoryForm form, bool with_persons) {
  Random random(SeedFromNumber(15), "large limited");
  const std::vector<Domain> domains = {Numbers(0, 99), Numbers(0, 499, true), Flat(7), Tree(kDeepTree, true)};
  Rows rows(150'000, std::vector<Code>(domains.size()));
  std::vector<Code> values(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t c = 0; c < domains.size(); ++c)
      rows[row][c] = std::min(random.Below(domains[c].size()), random.Below(domains[c].size()));
    // Neighbours in the third column tend to have one value.
    values[row] = random.Below(3) == 0 ? rows[row][2] : random.Below(20);
  }
  Case made = MakeCase(domains, rows, {10, form, BoxKind::kMembers});
  if (with_persons) {
    made.table.persons = Persons{{}, 140'000};
    for (std::uint32_t row = 0; row < rows.size(); ++row) made.table.persons->person_of_row.push_back(row % 140'000);
  }
  return Limited(std::move(made), std::move(values), {1, 3}, 10);
}

TEST(LimitedPartition, TheNumberOfThreadsChangesNothing) {
  for (const CategoryForm form : {CategoryForm::kTaxonomy, CategoryForm::kSets}) {
    for (const bool with_persons : {false, true}) {
      const LimitedCase limited = LargeLimitedCase(form, with_persons);
      const auto draft_with = [&](std::size_t threads) {
        const ThreadLimit limit(threads);
        return AnonymizeByPartition(limited.given.table, limited.given.domains, limited.options()).value();
      };
      const auto bags_with = [&](std::size_t threads) {
        const ThreadLimit limit(threads);
        PartitionOptions options = limited.options();
        options.dealing = SeedFromNumber(3);
        return GroupByPartition(limited.given.table, limited.given.domains, options).value();
      };
      const Draft alone = draft_with(1);
      EXPECT_GT(alone.group_count(), 100U);
      for (const std::size_t threads : {2, 8}) {
        const Draft together = draft_with(threads);
        EXPECT_EQ(alone.boxes, together.boxes);
        EXPECT_EQ(alone.group_of_row, together.group_of_row);
      }
      EXPECT_EQ(bags_with(1).class_of_row, bags_with(8).class_of_row);
    }
  }
}

}  // namespace
}  // namespace pentimento
