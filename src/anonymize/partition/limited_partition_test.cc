// The partition where sensitive values are limited, against the definition: no code is shared with what is tested.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "anonymize/partition/limited_partition_testing.h"
#include "anonymize/partition/packed_rows.h"
#include "anonymize/partition/partition_run.h"
#include "base/parallel.h"
#include "base/rounds_testing.h"

namespace pentimento::limited_partition_test {
namespace {

using namespace partition_testing;

template <typename Packed>
std::vector<RowSet> LeavesWith(const LimitedCase& limited) {
  PartitionOptions options = limited.options();
  const Result<partition::TableLimits> limits = partition::LimitsOf(limited.given.table, limited.signatures, options.k);
  options.k = limits->rule.fewest_persons();
  Packed rows(limited.given.table, &limited.signatures.of_row);
  const partition::Task task{limited.given.table, limited.given.domains, options, &*limits};
  std::vector<RowSet> leaves;
  std::size_t record = 0;
  for (const partition::SubtreeLeaves& subtree : partition::GrowLeaves(rows, task)) {
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
  if (!has_persons && partition::FitBits(limited.given.domains, 8)) {
    EXPECT_EQ(leaves, (LeavesWith<PackedRows<std::uint8_t, 8, false, true>>(limited)));
  }
  return leaves;
}

TEST(LimitedPartition, EveryCutIsLegalAndNoLegalCutIsLeftOnRandomTables) {
  Random random(SeedFromNumber(11), "limited");
  int cut = 0, refused = 0;
  for (std::size_t repeat = 0; repeat < TestRounds(6000) && !testing::Test::HasFailure(); ++repeat) {
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
  EXPECT_GT(cut, TestRounds(500));
  EXPECT_GT(refused, TestRounds(500));
}

TEST(LimitedPartition, KeepsTheClaimAfterEqualBoxesBecameOneGroup) {
  Random random(SeedFromNumber(12), "claim");
  for (std::size_t repeat = 0; repeat < TestRounds(6000) && !testing::Test::HasFailure(); ++repeat) {
    SCOPED_TRACE(repeat);
    const LimitedCase limited = RandomLimitedCase(random);
    const Result<Classes> draft = AnonymizeByPartition(limited.given.table, limited.given.domains, limited.options());
    if (!draft.ok()) continue;
    ExpectKeepsTheClaim(limited, RowsOfGroups(draft->of_row, draft->count()));
  }
}

TEST(LimitedPartition, AGroupingIsTheLeavesOfCutsAtAnyBoundary) {
  Random random(SeedFromNumber(13), "grouping");
  for (std::size_t repeat = 0; repeat < TestRounds(3000) && !testing::Test::HasFailure(); ++repeat) {
    SCOPED_TRACE(repeat);
    LimitedCase limited = RandomLimitedCase(random);
    const Result<Classes> grouping = GroupByPartition(limited.given.table, limited.given.domains, limited.options());
    ASSERT_EQ(grouping.ok(), MayBeClass(limited, AllRows(limited)));
    if (!grouping.ok()) continue;
    limited.given.options.form = CategoryForm::kSets;
    const auto classes = RowsOfGroups(grouping->of_row, grouping->count());
    for (const RowSet& rows : classes) {
      EXPECT_TRUE(MayBeClass(limited, rows));
      EXPECT_FALSE(HasLegalCut(limited, rows));
    }
    ExpectKeepsTheClaim(limited, classes);
  }
}

TEST(LimitedPartition, WithoutLimitsAGroupingIsWhatTheDraftIs) {
  Random random(SeedFromNumber(14), "plain grouping");
  for (std::size_t repeat = 0; repeat < TestRounds(500); ++repeat) {
    Case given = RandomCase(random);
    given.options.form = CategoryForm::kSets;
    given.options.boxes = BoxKind::kMembers;
    const Classes draft = AnonymizeByPartition(given.table, given.domains, given.options).value();
    const Classes grouping = GroupByPartition(given.table, given.domains, given.options).value();
    EXPECT_GE(grouping.count(), draft.count());
    std::map<ClassNumber, ClassNumber> group_of_class;
    for (std::size_t row = 0; row < given.table.rows; ++row) {
      const auto entry = group_of_class.try_emplace(grouping.of_row[row], draft.of_row[row]).first;
      EXPECT_EQ(entry->second, draft.of_row[row]);
    }
  }
}

// k alone would cut after 1, where everybody is ill below; one row further both sides are mixed.
TEST(LimitedPartition, TakesAnotherBoundaryOfTheColumnWhereTheBestBreaksALimit) {
  const auto limited =
      Limited(MakeCase({Numbers(0, 9)}, {{0}, {0}, {1}, {8}, {9}, {9}}, {}), {0, 0, 1, 2, 0, 1}, {2, 3});
  const Classes draft = AnonymizeByPartition(limited.given.table, limited.given.domains, limited.options()).value();
  EXPECT_EQ(draft.of_row, (std::vector<ClassNumber>{0, 0, 0, 1, 1, 1}));
}

TEST(LimitedPartition, TakesAnotherColumnWhereNoBoundaryOfTheWidestIsLegal) {
  // The first column tells the value; the second does not.
  const auto limited =
      Limited(MakeCase({Numbers(0, 9), Numbers(0, 9)}, {{0, 0}, {9, 0}, {0, 1}, {9, 1}}, {}), {0, 1, 0, 1}, {1, 2});
  const Classes draft = AnonymizeByPartition(limited.given.table, limited.given.domains, limited.options()).value();
  EXPECT_EQ(draft.of_row, (std::vector<ClassNumber>{0, 0, 1, 1}));
}

TEST(LimitedPartition, ChildrenThatTellAValueJoinNeighboursUntilTheyDoNot) {
  // v0 and v1 have one value each, v2 and v3 are mixed.
  const Rows rows = {{0}, {0}, {1}, {1}, {2}, {2}, {3}, {3}};
  const auto limited = Limited(MakeCase({Flat(4)}, rows, {}), {0, 0, 1, 1, 0, 1, 0, 1}, {1, 2});
  const Classes draft = AnonymizeByPartition(limited.given.table, limited.given.domains, limited.options()).value();
  EXPECT_EQ(draft.boxes, (Box{{0, 3}, {2, 2}, {3, 3}}));
  EXPECT_EQ(draft.of_row, (std::vector<ClassNumber>{0, 0, 0, 0, 1, 1, 2, 2}));
}

TEST(LimitedPartition, TakesTheLimitAsAnExactFraction) {
  const Rows six = {{0}, {1}, {2}, {3}, {4}, {5}};
  const std::vector<Code> values = {0, 1, 2, 0, 1, 2};
  const auto groups_with = [&](Ratio alpha) -> std::size_t {
    const auto limited = Limited(MakeCase({Numbers(0, 9)}, six, {}), values, alpha);
    const auto draft = AnonymizeByPartition(limited.given.table, limited.given.domains, limited.options());
    return draft.ok() ? draft->count() : 0;
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
    return AnonymizeByPartition(limited.given.table, limited.given.domains, limited.options())->count();
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
    return AnonymizeByPartition(limited.given.table, limited.given.domains, limited.options())->count();
  };
  EXPECT_EQ(groups_with(false), 2U);
  EXPECT_EQ(groups_with(true), 1U);
}

TEST(LimitedPartition, ATableThatBreaksALimitAsAWholeIsRefusedWithoutNamingTheValue) {
  const auto limited = Limited(MakeCase({Numbers(0, 9)}, {{0}, {1}, {2}}, {}), {0, 0, 1}, {1, 2});
  const auto draft = AnonymizeByPartition(limited.given.table, limited.given.domains, limited.options());
  ASSERT_FALSE(draft.ok());
  EXPECT_EQ(draft.error().code, ErrorCode::kRefused);
  EXPECT_NE(draft.error().message.find("too frequent in the table as a whole"), std::string::npos)
      << draft.error().message;
}

TEST(LimitedPartition, WithoutQuasiIdentifiersTheWholeTableIsVerifiedToo) {
  Case given;
  given.table.rows = 4;
  const auto groups_with = [&](std::vector<Code> values) -> std::size_t {
    const auto limited = Limited(given, std::move(values), {1, 2});
    const auto grouping = GroupByPartition(given.table, {}, limited.options());
    EXPECT_EQ(grouping.ok(), AnonymizeByPartition(given.table, {}, limited.options()).ok());
    return grouping.ok() ? grouping->count() : 0;
  };
  EXPECT_EQ(groups_with({0, 1, 0, 1}), 1U);
  EXPECT_EQ(groups_with({0, 1, 0, 0}), 0U);
}

TEST(LimitedPartition, OnePersonWithTwoRowsCountsOnceAndIsNotSureToHaveAValue) {
  // Two rows of one person and two of others, all different in value: by rows each side would be legal.
  Case given = MakeCase({Numbers(0, 9)}, {{0}, {0}, {9}, {9}}, {});
  given.table.persons = Persons{{0, 0, 1, 2}, 3};
  const auto limited = Limited(given, {0, 1, 2, 3}, {2, 3});
  EXPECT_EQ(GroupByPartition(given.table, given.domains, limited.options())->count(), 1U);
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
  const Classes draft = AnonymizeByPartition(limited.given.table, limited.given.domains, limited.options()).value();
  ExpectKeepsTheClaim(limited, RowsOfGroups(draft.of_row, draft.count()));
  EXPECT_EQ(draft.count(), 1U);
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
        options.bags = SeedFromNumber(3);
        return GroupByPartition(limited.given.table, limited.given.domains, options).value();
      };
      const Classes alone = draft_with(1);
      EXPECT_GT(alone.count(), 100U);
      for (const std::size_t threads : {2, 8}) {
        const Classes together = draft_with(threads);
        EXPECT_EQ(alone.boxes, together.boxes);
        EXPECT_EQ(alone.of_row, together.of_row);
      }
      EXPECT_EQ(bags_with(1).of_row, bags_with(8).of_row);
    }
  }
}

}  // namespace
}  // namespace pentimento::limited_partition_test
