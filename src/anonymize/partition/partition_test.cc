#include "anonymize/partition/partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "anonymize/partition/cut_finder.h"
#include "anonymize/partition/packed_rows.h"
#include "anonymize/partition/partition_testing.h"
#include "anonymize/partition/tree.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/rounds_testing.h"

namespace pentimento::partition_test {
namespace {

using namespace partition_testing;

Classes Anonymized(const Case& given) {
  Result<Classes> draft = AnonymizeByPartition(given.table, given.domains, given.options);
  EXPECT_TRUE(draft.ok());
  return std::move(draft).value();
}

// The groups as the tree leaves them, before those with equal boxes become one.
template <typename Packed>
std::vector<std::vector<std::size_t>> LeavesWith(const Case& given) {
  Packed rows(given.table);
  std::vector<partition::ColumnShape> shapes;
  for (const Domain& domain : given.domains) shapes.emplace_back(domain, given.options.form);
  const partition::CutPrices prices(given.options.k, rows.size());
  partition::CutTree tree(rows, given.domains, given.options,
                          [&] { return partition::CutFinder<Packed>(rows, shapes, prices); });
  std::vector<std::vector<std::size_t>> leaves;
  std::size_t record = 0;
  RegionRoot root{0, rows.size(), {}};
  for (const Domain& domain : given.domains) root.region.push_back(domain.root());
  for (const partition::SubtreeLeaves& subtree : tree.Grow({&root, 1})) {
    EXPECT_EQ(subtree.begin, record);
    for (const std::uint32_t end : subtree.ends) {
      leaves.emplace_back();
      for (; record < end; ++record) leaves.back().push_back(rows.records(partition::Buffer::kFront).row(record));
    }
  }
  EXPECT_EQ(record, given.table.rows);
  return leaves;
}
std::vector<std::vector<std::size_t>> LeavesOf(const Case& given) {
  using partition::PackedRows;
  // Small tables fit every way to pack them, and the way must not show.
  const auto leaves = given.table.persons ? LeavesWith<PackedRows<std::uint16_t, 8, true>>(given)
                                          : LeavesWith<PackedRows<std::uint16_t, 8, false>>(given);
  const auto wide_leaves = given.table.persons ? LeavesWith<PackedRows<std::uint32_t, 0, true>>(given)
                                               : LeavesWith<PackedRows<std::uint32_t, 0, false>>(given);
  EXPECT_EQ(leaves, wide_leaves);
  return leaves;
}

bool HasLegalCut(const Case& given, const std::vector<std::size_t>& rows) {
  // Along a taxonomy regions are cut only where it shows: see grow_regions_test.cc, which knows them.
  const bool leaves_invisible_cuts = given.options.boxes == BoxKind::kRegion && !given.table.persons;
  for (std::size_t c = 0; c < given.domains.size(); ++c) {
    if (leaves_invisible_cuts && !given.domains[c].is_cut_anywhere(given.options.form)) continue;
    std::vector<Code> codes;
    for (const std::size_t row : rows) codes.push_back(given.code(row, c));
    for (const Code at : Boundaries(given.domains[c], given.options.form, codes)) {
      std::vector<std::size_t> below, above;
      for (const std::size_t row : rows) (given.code(row, c) < at ? below : above).push_back(row);
      if (given.PersonsIn(below) >= given.options.k && given.PersonsIn(above) >= given.options.k) return true;
    }
  }
  return false;
}

// Every promise of the header but finality, from the published draft alone.
void ExpectKeepsItsPromises(const Case& given, const Classes& draft) {
  ASSERT_EQ(draft.of_row.size(), given.table.rows);
  ASSERT_EQ(draft.columns, given.domains.size());
  std::vector<std::vector<std::size_t>> rows_of_group(draft.count());
  std::map<std::vector<Code>, ClassNumber> group_of_codes;
  for (std::size_t row = 0; row < given.table.rows; ++row) {
    const ClassNumber group = draft.of_row[row];
    ASSERT_LT(group, draft.count());
    rows_of_group[group].push_back(row);
    std::vector<Code> codes;
    for (std::size_t c = 0; c < draft.columns; ++c) {
      codes.push_back(given.code(row, c));
      EXPECT_TRUE(draft.box(group)[c].Contains(codes.back())) << "row " << row << " column " << c;
    }
    EXPECT_EQ(group_of_codes.try_emplace(codes, group).first->second, group) << "equal rows, other groups";
  }
  std::set<Box> boxes;
  for (ClassNumber group = 0; group < draft.count(); ++group) {
    EXPECT_GE(given.PersonsIn(rows_of_group[group]), given.options.k);
    EXPECT_TRUE(boxes.insert(Box(draft.box(group).begin(), draft.box(group).end())).second) << "two groups, one box";
    for (std::size_t c = 0; c < draft.columns; ++c) {
      EXPECT_EQ(given.domains[c].Cover(draft.box(group)[c], given.options.form), draft.box(group)[c])
          << "not publishable";
    }
  }
}

TEST(Partition, KeepsItsPromisesOnRandomTables) {
  Random random(SeedFromNumber(1), "promises");
  for (std::size_t repeat = 0; repeat < TestRounds(4000) && !testing::Test::HasFailure(); ++repeat) {
    SCOPED_TRACE(repeat);
    const Case given = RandomCase(random);
    ExpectKeepsItsPromises(given, Anonymized(given));
  }
}

TEST(Partition, LeavesNoGroupThatHasALegalCut) {
  Random random(SeedFromNumber(2), "finality");
  for (std::size_t repeat = 0; repeat < TestRounds(4000) && !testing::Test::HasFailure(); ++repeat) {
    SCOPED_TRACE(repeat);
    const Case given = RandomCase(random);
    for (const auto& leaf : LeavesOf(given)) {
      EXPECT_GE(given.PersonsIn(leaf), given.options.k);
      EXPECT_FALSE(HasLegalCut(given, leaf)) << leaf.size() << " rows, k = " << given.options.k;
    }
  }
}

TEST(Partition, FindsNoCutInACrossOfFivePoints) {
  const Case given = MakeCase({Numbers(-1, 1), Numbers(-1, 1)}, {{1, 0}, {1, 2}, {0, 1}, {2, 1}, {1, 1}}, {.k = 2});
  EXPECT_EQ(Anonymized(given).count(), 1U);
}

TEST(Partition, CutsBesideTheMedianWhereTheMedianItselfIsNoCut) {
  const Classes draft = Anonymized(MakeCase({Numbers(1, 3)}, {{0}, {0}, {1}, {1}, {1}}, {.k = 2}));
  EXPECT_EQ(draft.boxes, (Box{{0, 0}, {1, 1}}));
  EXPECT_EQ(draft.of_row, (std::vector<ClassNumber>{0, 0, 1, 1, 1}));
}

TEST(Partition, CutsNothingWhereOneValueInTheMiddleHoldsTooMany) {
  const Classes draft = Anonymized(MakeCase({Numbers(1, 3)}, {{0}, {1}, {1}, {1}, {1}, {2}}, {.k = 2}));
  EXPECT_EQ(draft.boxes, (Box{{0, 2}}));
}

TEST(Partition, FewerThanKPersonsAreRefused) {
  const Case empty = MakeCase({Numbers(0, 9)}, {}, {.k = 1});
  const Case few = MakeCase({Numbers(0, 9)}, {{1}, {2}, {3}}, {.k = 4});
  Case one_person = MakeCase({Numbers(0, 9)}, {{1}, {2}, {3}}, {.k = 2});
  one_person.table.persons = Persons{{0, 0, 0}, 1};
  const Case huge_k = MakeCase({Numbers(0, 9)}, {{1}, {2}, {3}}, {.k = (std::uint64_t{1} << 40)});
  for (const Case& given : {empty, few, one_person, huge_k}) {
    const Result<Classes> draft = AnonymizeByPartition(given.table, given.domains, given.options);
    ASSERT_FALSE(draft.ok());
    EXPECT_EQ(draft.error().code, ErrorCode::kRefused);
  }
}

TEST(Partition, SizesAroundKGiveTheGroupsTheyCan) {
  const auto groups_of = [](std::size_t rows) {
    Rows distinct;
    for (Code row = 0; row < rows; ++row) distinct.push_back({row});
    return Anonymized(MakeCase({Numbers(0, 99)}, distinct, {.k = 5})).count();
  };
  EXPECT_EQ(groups_of(5), 1U);
  EXPECT_EQ(groups_of(9), 1U);
  EXPECT_EQ(groups_of(10), 2U);
  EXPECT_EQ(groups_of(50), 10U);
}

TEST(Partition, EqualRowsAreOneGroupHoweverMany) {
  const Classes draft = Anonymized(MakeCase({Numbers(0, 9), Flat(3)}, Rows(100, {4, 1}), {.k = 2}));
  EXPECT_EQ(draft.boxes, (Box{{4, 4}, {1, 1}}));
}

TEST(Partition, WithoutQuasiIdentifiersAllRowsAreOneGroup) {
  Case given;
  given.table.rows = 7;
  given.options.k = 7;
  const Classes draft = Anonymized(given);
  EXPECT_EQ(draft.count(), 1U);
  EXPECT_EQ(draft.of_row, std::vector<ClassNumber>(7, 0));
}

TEST(Partition, KOfOneKeepsEveryValue) {
  const Classes draft = Anonymized(MakeCase({Numbers(0, 9)}, {{3}, {1}, {3}, {9}}, {.k = 1}));
  EXPECT_EQ(draft.boxes, (Box{{1, 1}, {3, 3}, {9, 9}}));
}

TEST(Partition, AManifoldPersonCountsOnceOnEachSide) {
  // Two persons, each at both ends: both sides have two persons, although there are only two.
  Case given = MakeCase({Numbers(0, 9)}, {{0}, {9}, {0}, {9}}, {.k = 2});
  given.table.persons = Persons{{0, 0, 1, 1}, 2};
  EXPECT_EQ(Anonymized(given).boxes, (Box{{0, 0}, {9, 9}}));
  // Four rows on each side, but the upper ones are all of one person.
  given = MakeCase({Numbers(0, 9)}, {{0}, {0}, {0}, {0}, {9}, {9}, {9}, {9}}, {.k = 2});
  given.table.persons = Persons{{0, 1, 2, 3, 3, 3, 3, 3}, 4};
  EXPECT_EQ(Anonymized(given).boxes, (Box{{0, 9}}));
}

TEST(Partition, ATaxonomyNodeIsCutIntoAllItsChildrenWhereEachKeepsK) {
  const Classes draft = Anonymized(MakeCase({Flat(5)}, {{0}, {0}, {2}, {2}, {4}, {4}}, {.k = 2}));
  EXPECT_EQ(draft.boxes, (Box{{0, 0}, {2, 2}, {4, 4}}));
}

TEST(Partition, ChildrenThatAreTooFewJoinANeighbourAndGetTheParentsLabel) {
  // v1 and v2 have one row each: together they are enough, and only they are published as "*".
  const Classes draft = Anonymized(MakeCase({Flat(4)}, {{0}, {0}, {1}, {2}, {3}, {3}}, {.k = 2}));
  EXPECT_EQ(draft.boxes, (Box{{0, 0}, {0, 3}, {3, 3}}));
  // v1 alone is not enough: it costs the smaller neighbour its label.
  const Classes joined = Anonymized(MakeCase({Flat(3)}, {{0}, {0}, {1}, {2}, {2}, {2}}, {.k = 2}));
  EXPECT_EQ(joined.boxes, (Box{{0, 2}, {2, 2}}));
}

TEST(Partition, ACutInsideASubtreeIsPublishedWithThatSubtreesLabels) {
  // Leaves a..e below X: A = {a, b}, B = {c, d, e}.
  const Classes draft = Anonymized(MakeCase({Tree(kDeepTree)}, {{0}, {1}, {2}, {4}}, {.k = 2}));
  EXPECT_EQ(draft.boxes, (Box{{0, 1}, {2, 4}}));
}

TEST(Partition, MissingValuesAreCutOffWhereTheyAreEnoughAndHideNumbersWhereTheyAreNot) {
  const Classes enough = Anonymized(MakeCase({Numbers(0, 9, true)}, {{1}, {2}, {10}, {10}}, {.k = 2}));
  EXPECT_EQ(enough.boxes, (Box{{1, 2}, {10, 10}}));
  const Classes mixed = Anonymized(MakeCase({Numbers(0, 9, true)}, {{1}, {2}, {9}, {10}}, {.k = 2}));
  EXPECT_EQ(mixed.boxes, (Box{{1, 2}, {0, 10}}));
  const Classes flat = Anonymized(MakeCase({Flat(2, true)}, {{0}, {0}, {1}, {2}}, {.k = 2}));
  EXPECT_EQ(flat.boxes, (Box{{0, 0}, {0, 2}}));
}

TEST(Partition, MissingValuesAreFoundInDomainsTooWideForABinPerCode) {
  const Classes draft = Anonymized(
      MakeCase({Numbers(0, 69'999, true)}, {{0}, {69'998}, {69'999}, {70'000}, {70'000}, {70'000}}, {.k = 3}));
  EXPECT_EQ(draft.boxes, (Box{{0, 69'999}, {70'000, 70'000}}));
}

TEST(Partition, RegionsOfNumbersTileTheDeclaredDomain) {
  Random random(SeedFromNumber(3), "regions");
  for (std::size_t repeat = 0; repeat < TestRounds(200); ++repeat) {
    Rows rows(60, std::vector<Code>(2));
    for (auto& row : rows) row = {random.Below(30), random.Below(20)};
    Case given = MakeCase({Numbers(0, 29), Flat(20)}, rows, {3, CategoryForm::kSets, BoxKind::kRegion});
    const Classes draft = Anonymized(given);
    for (Code x = 0; x < 30; ++x) {
      for (Code y = 0; y < 20; ++y) {
        int holding = 0;
        for (ClassNumber g = 0; g < draft.count(); ++g)
          holding += draft.box(g)[0].Contains(x) && draft.box(g)[1].Contains(y);
        ASSERT_EQ(holding, 1);
      }
    }
  }
}

TEST(Partition, TheBoundaryOfARegionStandsInTheMiddleOfAGapAndNotAtAMember) {
  // With 2k different values only one cut is legal. Members that keep clear of the gap may be anywhere.
  Random random(SeedFromNumber(4), "moves");
  for (std::size_t repeat = 0; repeat < TestRounds(500); ++repeat) {
    const Code below = 1 + random.Below(40);
    const Code above = below + 1 + random.Below(40);
    const auto draft = Anonymized(MakeCase({Numbers(0, 99)}, {{random.Below(below)}, {below}, {above}, {above + 1}},
                                           {2, CategoryForm::kSets, BoxKind::kRegion}));
    const Code at = below + 1 + (above - below - 1) / 2;
    EXPECT_EQ(draft.boxes, (Box{{0, at - 1}, {at, 99}}));
  }
}

TEST(Partition, ARegionInATaxonomyIsTheNodeEvenWhereMembersAreInOneLeaf) {
  // Nobody is in b or d; the labels are still those of the nodes A and B that were cut.
  const PartitionOptions options{2, CategoryForm::kTaxonomy, BoxKind::kRegion};
  const Domain domain = Tree("a;A;*\nb;A;*\nc;B;*\nd;B;*\n");
  EXPECT_EQ(Anonymized(MakeCase({domain}, {{0}, {0}, {2}, {2}}, options)).boxes, (Box{{0, 1}, {2, 3}}));
}

TEST(Partition, AChildNobodyIsInBelongsToARegionBecauseSomebodyMayArriveThere) {
  const PartitionOptions options{2, CategoryForm::kTaxonomy, BoxKind::kRegion};
  // Nobody is right of B: what lies there goes with B, whose label is lost.
  const Classes draft = Anonymized(MakeCase({Tree(kDeepTree)}, {{0}, {0}, {2}, {2}}, options));
  EXPECT_EQ(draft.boxes, (Box{{0, 1}, {0, 9}}));
}

TEST(Partition, WideTablesAndWideDomainsKeepTheirPromises) {
  Random random(SeedFromNumber(5), "wide");
  for (const std::size_t columns : {1, 8, 9, 16, 17, 20, 70}) {
    for (const Code domain_size : {50, 65'536, 70'000}) {
      SCOPED_TRACE(testing::Message() << columns << " columns of " << domain_size << " codes");
      const Domain flat = Flat(domain_size);
      std::vector<Domain> domains;
      for (std::size_t c = 0; c < columns; ++c) domains.push_back(c % 3 == 2 ? flat : Numbers(0, domain_size - 1));
      Rows rows(1500, std::vector<Code>(columns));
      for (auto& row : rows) {
        for (Code& code : row) code = random.Below(4) == 0 ? domain_size - 1 : random.Below(domain_size);
      }
      for (const CategoryForm form : {CategoryForm::kTaxonomy, CategoryForm::kSets}) {
        Case given = MakeCase(domains, rows, {7, form, BoxKind::kMembers});
        ExpectKeepsItsPromises(given, Anonymized(given));
        given.table.persons = Persons{{}, 500};
        for (std::uint32_t row = 0; row < rows.size(); ++row) given.table.persons->person_of_row.push_back(row % 500);
        ExpectKeepsItsPromises(given, Anonymized(given));
      }
    }
  }
}

// Large enough for several tasks, with several rows per person where asked for.
Case LargeCase(CategoryForm form, BoxKind boxes, bool with_persons) {
  Random random(SeedFromNumber(6), "large");
  const std::vector<Domain> domains = {Numbers(0, 99), Numbers(0, 499, true), Flat(7), Tree(kDeepTree, true)};
  Rows rows(150'000, std::vector<Code>(domains.size()));
  for (auto& row : rows) {
    for (std::size_t c = 0; c < domains.size(); ++c)
      row[c] = std::min(random.Below(domains[c].size()), random.Below(domains[c].size()));
  }
  Case made = MakeCase(domains, rows, {10, form, boxes});
  if (with_persons) {
    made.table.persons = Persons{{}, 60'000};
    for (std::uint32_t row = 0; row < rows.size(); ++row) made.table.persons->person_of_row.push_back(row % 60'000);
  }
  return made;
}

TEST(Partition, TheNumberOfThreadsChangesNothing) {
  for (const CategoryForm form : {CategoryForm::kTaxonomy, CategoryForm::kSets}) {
    for (const BoxKind boxes : {BoxKind::kMembers, BoxKind::kRegion}) {
      for (const bool with_persons : {false, true}) {
        const Case given = LargeCase(form, boxes, with_persons);
        const auto draft_with = [&](std::size_t threads) {
          const ThreadLimit limit(threads);
          return Anonymized(given);
        };
        const Classes alone = draft_with(1);
        EXPECT_GT(alone.count(), 100U);
        for (const std::size_t threads : {2, 3, 8}) {
          const Classes together = draft_with(threads);
          EXPECT_EQ(alone.boxes, together.boxes);
          EXPECT_EQ(alone.of_row, together.of_row);
        }
      }
    }
  }
}

TEST(Partition, TheOrderOfTheRowsChangesNothing) {
  const Case given = LargeCase(CategoryForm::kTaxonomy, BoxKind::kMembers, true);
  Case reversed = given;
  for (std::size_t row = 0; row < given.table.rows; ++row) {
    const std::size_t from = given.table.rows - 1 - row;
    for (std::size_t c = 0; c < given.domains.size(); ++c)
      reversed.table.quasi_identifiers[c].Set(row, given.code(from, c));
    reversed.table.persons->person_of_row[row] = given.person(from);
  }
  const Classes draft = Anonymized(given);
  Classes mirrored = Anonymized(reversed);
  std::ranges::reverse(mirrored.of_row);
  EXPECT_EQ(draft.boxes, mirrored.boxes);
  EXPECT_EQ(draft.of_row, mirrored.of_row);
}

}  // namespace
}  // namespace pentimento::partition_test
