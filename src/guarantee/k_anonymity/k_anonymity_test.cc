// The boundaries and the traps. All small tables are held against the definition in tests/property.
#include "guarantee/k_anonymity/k_anonymity.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>
#include <vector>

namespace pentimento::k_anonymity_test {
namespace {

// One quasi-identifier; group g is published as [g, g] unless boxes are given.
Classes DraftOf(std::vector<ClassNumber> class_of_row, std::vector<Interval> boxes) {
  return {.columns = 1, .boxes = std::move(boxes), .of_row = std::move(class_of_row)};
}

EncodedTable TableOf(std::size_t rows) {
  return {.rows = rows, .quasi_identifiers = {CodeColumn(10, rows)}, .persons = std::nullopt};
}

EncodedTable TableOf(std::vector<std::uint32_t> person_of_row, std::uint32_t count) {
  EncodedTable table = TableOf(person_of_row.size());
  table.persons = Persons{std::move(person_of_row), count};
  return table;
}

const std::vector<Interval> kTwoBoxes = {{0, 0}, {1, 1}};

TEST(KAnonymity, GroupOfSizeKIsEnough) {
  EXPECT_FALSE(FindKAnonymityViolation(TableOf(6), DraftOf({0, 1, 0, 1, 0, 1}, kTwoBoxes), 3));
}

TEST(KAnonymity, GroupOfSizeKMinusOneIsRefused) {
  const auto violation = FindKAnonymityViolation(TableOf(7), DraftOf({0, 1, 0, 1, 0, 1, 0}, kTwoBoxes), 4);
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->group, 1U);
  EXPECT_EQ(violation->members, 3U);
}

TEST(KAnonymity, GroupOfSizeKPlusOneIsEnough) {
  EXPECT_FALSE(FindKAnonymityViolation(TableOf(4), DraftOf({0, 0, 0, 0}, {{0, 0}}), 3));
}

TEST(KAnonymity, TheSmallestClassIsTheWitnessAndOfEqualOnesTheFirst) {
  const auto violation =
      FindKAnonymityViolation(TableOf(6), DraftOf({3, 2, 3, 0, 2, 0}, {{0, 0}, {1, 1}, {2, 2}, {3, 3}}), 5);
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->group, 0U);
  EXPECT_EQ(violation->members, 2U);
}

TEST(KAnonymity, GroupsWithNumbersCountByThemselves) {
  const std::vector<Interval> equal_boxes = {{0, 1}, {0, 1}};
  const auto violation = FindSmallGroup(TableOf(5), DraftOf({0, 1, 0, 1, 0}, equal_boxes), 3);
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->group, 1U);
  EXPECT_EQ(violation->members, 2U);
  EXPECT_FALSE(FindSmallGroup(TableOf(5), DraftOf({0, 1, 0, 1, 0}, equal_boxes), 2));
  // Two rows of one person are one member.
  EXPECT_TRUE(FindSmallGroup(TableOf({0, 1, 2, 1, 3}, 4), DraftOf({0, 1, 0, 1, 0}, equal_boxes), 2));
}

TEST(KAnonymity, GroupsWithEqualBoxesCountTogether) {
  const Classes draft = DraftOf({0, 1, 2, 2}, {{0, 5}, {0, 5}, {1, 5}});
  EXPECT_FALSE(FindKAnonymityViolation(TableOf(4), draft, 2));
  const auto violation = FindKAnonymityViolation(TableOf(4), draft, 3);
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->members, 2U);
}

TEST(KAnonymity, OnePersonInManyRowsIsOnePerson) {
  const auto violation =
      FindKAnonymityViolation(TableOf({0, 0, 0, 0, 0, 1}, 2), DraftOf({0, 0, 0, 0, 0, 0}, {{0, 0}}), 3);
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->members, 2U);
}

TEST(KAnonymity, APersonCountsInEveryClassThatHoldsARowOfTheirs) {
  EXPECT_FALSE(FindKAnonymityViolation(TableOf({0, 1, 0, 1}, 2), DraftOf({0, 0, 1, 1}, kTwoBoxes), 2));
}

TEST(KAnonymity, PersonsAreCountedExactlyWhereTheirClassIsSmallAmongMany) {
  // Few rows among many persons are counted by sorting, many rows by marking: here both at once.
  std::vector<std::uint32_t> person_of_row = {900, 7, 900, 12, 7, 900};
  std::vector<ClassNumber> class_of_row(6, 0);
  for (std::uint32_t i = 0; i < 600; ++i) {
    person_of_row.push_back(i / 2);
    class_of_row.push_back(1);
  }
  const EncodedTable table = TableOf(person_of_row, 1000);
  const auto small = FindKAnonymityViolation(table, DraftOf(class_of_row, kTwoBoxes), 4);
  ASSERT_TRUE(small);
  EXPECT_EQ(small->members, 3U);
  const auto both = FindKAnonymityViolation(table, DraftOf(class_of_row, {{0, 1}, {0, 1}}), 1000);
  ASSERT_TRUE(both);
  EXPECT_EQ(both->members, 301U);
}

TEST(KAnonymity, AWrongNumberOfPersonsDoesNotTurnRowsIntoPersons) {
  // As many persons as rows are announced, as if everyone had one row; in truth one person has all of them.
  const auto violation = FindKAnonymityViolation(TableOf({2, 2, 2, 2}, 4), DraftOf({0, 0, 0, 0}, {{0, 0}}), 2);
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->members, 1U);
}

TEST(KAnonymity, HugeKIsNotCutOff) {
  const Classes draft = DraftOf({0, 0, 0}, {{0, 0}});
  for (const std::uint64_t k :
       {std::uint64_t{1} << 32, (std::uint64_t{1} << 32) + 1, std::numeric_limits<std::uint64_t>::max()}) {
    EXPECT_TRUE(FindKAnonymityViolation(TableOf(3), draft, k)) << k;
  }
}

TEST(KAnonymity, AnEmptyTableViolatesNothing) {
  EXPECT_FALSE(FindKAnonymityViolation(TableOf(0), DraftOf({}, {}), std::numeric_limits<std::uint64_t>::max()));
  EXPECT_FALSE(FindKAnonymityViolation(TableOf({}, 0), DraftOf({}, kTwoBoxes), 5));
}

TEST(KAnonymity, AGroupWithoutRowsIsNoClass) {
  EXPECT_FALSE(FindKAnonymityViolation(TableOf(2), DraftOf({1, 1}, kTwoBoxes), 2));
}

TEST(KAnonymity, WithoutQuasiIdentifiersAllRowsAreOneClass) {
  const EncodedTable table{.rows = 3, .quasi_identifiers = {}, .persons = std::nullopt};
  const Classes draft{.columns = 0, .boxes = {}, .of_row = {0, 0, 0}};
  EXPECT_FALSE(FindKAnonymityViolation(table, draft, 3));
  EXPECT_TRUE(FindKAnonymityViolation(table, draft, 4));
}

}  // namespace
}  // namespace pentimento::k_anonymity_test
