// The boundaries and the traps, and random small tables against the definition written down in a few lines.
#include "guarantee/alpha_k/alpha_k_anonymity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/rounds_testing.h"
#include "guarantee/alpha_k/chance_of_ever.h"
#include "guarantee/alpha_k/claim_form.h"

namespace pentimento::alpha_k_anonymity_test {
namespace {

constexpr Ratio kHalf{1, 2};
constexpr Ratio kThird{1, 3};

CodeColumn ColumnOf(const std::vector<Code>& codes, std::uint64_t size = 10) {
  CodeColumn column(size, codes.size());
  for (std::size_t row = 0; row < codes.size(); ++row) column.Set(row, codes[row]);
  return column;
}

std::vector<Code> UpTo(Code count) {
  std::vector<Code> codes(count);
  std::iota(codes.begin(), codes.end(), Code{0});
  return codes;
}

// One row per code: its class, its sensitive value, and perhaps its person.
struct Case {
  std::vector<ClassNumber> class_of_row;
  std::vector<Code> disease;
  std::vector<std::uint32_t> person_of_row = {};
  std::uint64_t value_count = 10;

  EncodedTable Table() const {
    EncodedTable table{.rows = disease.size(), .quasi_identifiers = {}, .persons = std::nullopt};
    if (!person_of_row.empty()) table.persons = Persons{person_of_row, std::ranges::max(person_of_row) + 1};
    return table;
  }
  std::uint32_t classes() const { return class_of_row.empty() ? 0 : std::ranges::max(class_of_row) + 1; }
  // Class c is published as [c, c].
  std::optional<AlphaKViolation> CheckGeneralized(const AlphaKClaim& claim) const {
    Classes draft{.columns = 1, .boxes = {}, .of_row = class_of_row};
    for (std::uint32_t c = 0, end = classes(); c < end; ++c) draft.boxes.push_back({c, c});
    const CodeColumn column = ColumnOf(disease, value_count);
    const CodeColumn* columns[] = {&column};
    return FindAlphaKViolation(Table(), columns, claim, draft);
  }
  std::optional<AlphaKViolation> CheckTables(const AlphaKClaim& claim) const {
    std::map<std::pair<ClassNumber, Code>, std::uint64_t> counts;
    for (std::size_t row = 0; row < disease.size(); ++row) ++counts[{class_of_row[row], disease[row]}];
    Draft tables{ClassesWithoutBoxes(classes(), class_of_row), {{{0}, {}, {}, {}}}};
    for (const auto& [where, count] : counts) {
      tables.sensitive[0].class_of_entry.push_back(where.first);
      tables.sensitive[0].values.push_back(where.second);
      tables.sensitive[0].count.push_back(count);
    }
    return FindAlphaKViolation(Table(), claim, tables);
  }
};

AlphaKClaim Claim(Ratio alpha, std::uint64_t k, std::vector<Code> values = UpTo(10)) {
  return {k, {{0, std::move(values), false, alpha}}};
}

void ExpectHolds(const Case& c, const AlphaKClaim& claim) {
  EXPECT_FALSE(c.CheckGeneralized(claim));
  EXPECT_FALSE(c.CheckTables(claim));
}

// By both forms alike.
void ExpectBroken(const Case& c, const AlphaKClaim& claim, AlphaKBreach breach, std::uint64_t count, std::uint64_t of) {
  for (const auto& violation : {c.CheckGeneralized(claim), c.CheckTables(claim)}) {
    ASSERT_TRUE(violation);
    EXPECT_EQ(violation->breach, breach);
    EXPECT_EQ(violation->count, count);
    EXPECT_EQ(violation->of, of);
  }
}

// The paper's Table 3 (and 4, 5 and 6): three classes of two rows with two illnesses each.
const Case kTable3{.class_of_row = {0, 0, 1, 1, 2, 2}, .disease = {0, 1, 1, 2, 1, 2}};
// Table 2: one class of four rows, HIV flu flu fever, and one of two.
const Case kTable2{.class_of_row = {0, 0, 1, 1, 0, 0}, .disease = {0, 1, 1, 2, 1, 2}};

TEST(AlphaKAnonymity, HoldsForThePapersTables) {
  ExpectHolds(kTable2, Claim(kHalf, 2));
  ExpectHolds(kTable3, Claim(kHalf, 2));
}

TEST(AlphaKAnonymity, OfThePapersTablesIsNoStricterThanItIs) {
  ExpectBroken(kTable3, Claim({49, 100}, 2), AlphaKBreach::kTooManyRows, 1, 2);
  ExpectBroken(kTable3, Claim(kHalf, 3), AlphaKBreach::kTooFewPeople, 2, 3);
  ExpectBroken(kTable2, Claim(kHalf, 3), AlphaKBreach::kTooFewPeople, 2, 3);
  // The paper's raw table: every row is a class of its own.
  ExpectBroken({{0, 1, 2, 3, 4, 5}, {0, 1, 1, 2, 1, 2}}, Claim(kHalf, 1), AlphaKBreach::kTooManyRows, 1, 1);
}

TEST(AlphaKAnonymity, ThreeDistinctValuesAreMoreThan33Hundredths) {
  const Case three{{0, 0, 0}, {0, 1, 2}};
  ExpectHolds(three, Claim(kThird, 3));
  ExpectBroken(three, Claim({33, 100}, 3), AlphaKBreach::kTooManyRows, 1, 3);
}

TEST(AlphaKAnonymity, TwentyNineOfAHundredAreNotMoreThan29Hundredths) {
  Case hundred{std::vector<ClassNumber>(100, 0), std::vector<Code>(100)};
  for (std::size_t row = 0; row < 100; ++row) hundred.disease[row] = static_cast<Code>(row < 29 ? 0 : 1 + row % 4);
  ExpectHolds(hundred, Claim({29, 100}, 2));
  hundred.disease[99] = 0;
  ExpectBroken(hundred, Claim({29, 100}, 2), AlphaKBreach::kTooManyRows, 30, 100);
}

TEST(AlphaKAnonymity, LimitsOf64BitsAreComparedInFull) {
  const Case three{{0, 0, 0}, {0, 1, 2}};
  ExpectHolds(three, Claim({6'148'914'691'236'517'206, UINT64_MAX}, 3));
  ExpectBroken(three, Claim({6'148'914'691'236'517'204, UINT64_MAX}, 3), AlphaKBreach::kTooManyRows, 1, 3);
}

TEST(AlphaKAnonymity, ALimitThatIsALittleTooStrictForOnePersonIsBroken) {
  // Two of three rows have the value with 2/3, and 18 digits of it are less.
  const Case three{{0, 0, 0}, {0, 1, 2}, {0, 0, 1}};
  ExpectHolds(three, Claim({2, 3}, 2, {0}));
  ExpectBroken(three, Claim({666'666'666'666'666'666, 1'000'000'000'000'000'000}, 2, {0}),
               AlphaKBreach::kOnePersonTooOften, 2, 1);
}

TEST(AlphaKAnonymity, HugeKIsNotCutOff) {
  for (const std::uint64_t k : {std::uint64_t{1} << 32, (std::uint64_t{1} << 32) + 1, UINT64_MAX})
    ExpectBroken({{0, 0}, {0, 1}}, Claim(kHalf, k), AlphaKBreach::kTooFewPeople, 2, k);
}

TEST(AlphaKAnonymity, OnePersonWithTwoRowsIsOnePerson) {
  ExpectBroken({{0, 0}, {0, 1}, {0, 0}}, Claim(kHalf, 2), AlphaKBreach::kTooFewPeople, 1, 2);
  // As many persons as rows are announced; in truth one has all of them.
  Case wrong_number{{0, 0}, {0, 1}, {1, 1}};
  ExpectBroken(wrong_number, Claim(kHalf, 2), AlphaKBreach::kTooFewPeople, 1, 2);
}

TEST(AlphaKAnonymity, OnePersonInTwoClassesWithAHalfEachHasItWithThreeQuarters) {
  const Case two{{0, 0, 1, 1}, {0, 1, 0, 2}, {0, 1, 0, 2}};
  ExpectHolds(two, Claim({3, 4}, 2));
  ExpectBroken(two, Claim({74, 100}, 2), AlphaKBreach::kOnePersonTooOften, 2, 2);
  EXPECT_EQ(two.CheckGeneralized(Claim(kHalf, 2))->chance, (Ratio{3, 4}));
  // Four different persons: a half each, and no more.
  ExpectHolds({{0, 0, 1, 1}, {0, 1, 0, 2}, {0, 1, 3, 2}}, Claim(kHalf, 2));
}

TEST(AlphaKAnonymity, OnePersonWithTwoOfFourRowsDrawsWithoutPuttingBack) {
  // One of four rows has the value: two of them contain it with 1/2, not with 7/16.
  const Case four{{0, 0, 0, 0}, {0, 1, 2, 3}, {0, 0, 1, 2}};
  ExpectHolds(four, Claim(kHalf, 3));
  ExpectBroken(four, Claim({49, 100}, 3), AlphaKBreach::kOnePersonTooOften, 2, 1);
}

TEST(AlphaKAnonymity, OnlyAGeneralizedTableShowsHowManyPeopleHaveAValue) {
  // Two of three persons have it, in two of five rows; alpha is 3/5.
  const Case shared{{0, 0, 0, 0, 0}, {0, 0, 1, 2, 3}, {0, 1, 2, 2, 2}};
  const AlphaKClaim claim = Claim({3, 5}, 2, {0});
  const auto generalized = shared.CheckGeneralized(claim);
  ASSERT_TRUE(generalized);
  EXPECT_EQ(generalized->breach, AlphaKBreach::kTooManyPeople);
  EXPECT_EQ(generalized->count, 2U);
  EXPECT_EQ(generalized->of, 3U);
  const auto tables = shared.CheckTables(claim);
  ASSERT_TRUE(tables);
  EXPECT_EQ(tables->breach, AlphaKBreach::kOnePersonTooOften);
  EXPECT_EQ(tables->chance, (Ratio{9, 10}));
  EXPECT_FALSE(shared.CheckGeneralized(Claim({9, 10}, 2, {0})));
}

TEST(AlphaKAnonymity, SomebodyWhoHasAValueTwiceHasItOnce) {
  // Four rows, two with the value, both of one person: 1 of 3 persons, but two rows of four have it with 5/6.
  const Case twice{{0, 0, 0, 0}, {0, 0, 1, 2}, {0, 0, 1, 2}};
  EXPECT_EQ(twice.CheckGeneralized(Claim(kHalf, 3, {0}))->breach, AlphaKBreach::kOnePersonTooOften);
  ExpectHolds(twice, Claim({5, 6}, 3, {0}));
  // A set: the same person has one value of it in each row.
  const Case set{{0, 0, 0, 0}, {0, 1, 2, 2}, {0, 0, 1, 2}};
  const AlphaKClaim together{3, {{0, {0, 1}, true, {5, 6}}}};
  ExpectHolds(set, together);
}

TEST(AlphaKAnonymity, PeopleAreCountedInEveryClassAnew) {
  // Three people with two rows each in either class, two rows of six with the value: one person's, and two people's.
  // The chance of any of them is 3/5 either way.
  const Case two{
      {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}, {0, 0, 1, 1, 1, 1, 0, 1, 0, 1, 1, 1}, {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5}};
  const auto violation = two.CheckGeneralized(Claim({3, 5}, 3, {0}));
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->breach, AlphaKBreach::kTooManyPeople);
  EXPECT_EQ(violation->count, 2U);
  EXPECT_EQ(violation->of, 3U);
  EXPECT_EQ(violation->row, 6U);
  EXPECT_FALSE(two.CheckTables(Claim({3, 5}, 3, {0})));
  EXPECT_FALSE(two.CheckGeneralized(Claim({2, 3}, 3, {0})));
}

TEST(AlphaKAnonymity, RowsCountBesidePeople) {
  // One of two persons has the value, in three of four rows.
  const Case many_rows{{0, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 0, 1}};
  ExpectBroken(many_rows, Claim(kHalf, 2, {0}), AlphaKBreach::kTooManyRows, 3, 4);
}

TEST(AlphaKAnonymity, ValuesWithoutALimitMayHaveAnyShare) {
  const Case mostly_flu{{0, 0, 0, 0}, {1, 1, 1, 0}};
  ExpectHolds(mostly_flu, Claim({1, 4}, 2, {0}));
  ExpectBroken(mostly_flu, Claim({1, 4}, 2, {0, 1}), AlphaKBreach::kTooManyRows, 3, 4);
}

TEST(AlphaKAnonymity, EveryValueMayHaveALimitOfItsOwnAndTheStrictestCounts) {
  const Case four{{0, 0, 0, 0}, {0, 1, 2, 2}};
  ExpectHolds(four, {2, {{0, {0, 1, 2}, false, kHalf}, {0, {0}, true, {1, 4}}}});
  ExpectBroken(four, {2, {{0, {0, 1, 2}, false, kHalf}, {0, {2}, true, {1, 4}}}}, AlphaKBreach::kTooManyRows, 2, 4);
  ExpectBroken(four, {2, {{0, {0, 1, 2}, false, kHalf}, {0, {1, 2}, false, {1, 3}}}}, AlphaKBreach::kTooManyRows, 2, 4);
  ExpectBroken(four, {2, {{0, {1, 2}, false, {1, 3}}, {0, {0, 1, 2}, false, kHalf}}}, AlphaKBreach::kTooManyRows, 2, 4);
  EXPECT_EQ(four.CheckGeneralized({2, {{0, {0, 1, 2}, false, kHalf}, {0, {2}, true, {1, 4}}}})->limit, 1U);
}

TEST(AlphaKAnonymity, ASetIsCountedTogether) {
  const Case four{{0, 0, 0, 0}, {0, 1, 2, 3}};
  ExpectHolds(four, {2, {{0, {0, 1}, false, {1, 4}}}});
  ExpectHolds(four, {2, {{0, {0, 1}, true, kHalf}}});
  ExpectBroken(four, {2, {{0, {0, 1}, true, {49, 100}}}}, AlphaKBreach::kTooManyRows, 2, 4);
  // Sets may overlap.
  ExpectBroken(four, {2, {{0, {0, 1}, true, kHalf}, {0, {1, 2, 3}, true, kHalf}}}, AlphaKBreach::kTooManyRows, 3, 4);
}

TEST(AlphaKAnonymity, AMissingValueIsAValueWhereItIsListed) {
  // Missing is the last code, here 3.
  const Case missing{{0, 0, 0, 0}, {3, 3, 3, 0}};
  ExpectBroken(missing, Claim(kHalf, 2, UpTo(4)), AlphaKBreach::kTooManyRows, 3, 4);
  ExpectHolds(missing, Claim(kHalf, 2, UpTo(3)));
}

TEST(AlphaKAnonymity, ALimitOfNothingAndOneOfEverything) {
  const Case two{{0, 0}, {0, 1}};
  ExpectBroken(two, Claim({0, 1}, 2, {0}), AlphaKBreach::kTooManyRows, 1, 2);
  ExpectHolds(two, Claim({0, 1}, 2, {5}));
  ExpectHolds({{0, 0}, {0, 0}}, Claim({1, 1}, 2));
  ExpectHolds({{0, 0, 0, 1, 1}, {0, 1, 1, 1, 1}, {0, 1, 2, 1, 2}}, Claim({0, 1}, 2, {5}));
}

TEST(AlphaKAnonymity, EveryRemainderAndEveryDonorIsChecked) {
  // A = {s1,s2,s3}, B = {s1} below Any, alpha = 1/2, k = 2: pulling s2 back into Any is legal, pulling s1 is not.
  ExpectHolds({{0, 1, 0, 1}, {1, 2, 3, 1}}, Claim(kHalf, 2));
  ExpectBroken({{1, 0, 0, 1}, {1, 2, 3, 1}}, Claim(kHalf, 2), AlphaKBreach::kTooManyRows, 2, 2);
  ExpectHolds({{0, 0, 0}, {1, 2, 3}}, Claim(kHalf, 2));
  ExpectBroken({{0, 0, 0}, {1, 2, 1}}, Claim(kHalf, 2), AlphaKBreach::kTooManyRows, 2, 3);
}

TEST(AlphaKAnonymity, CodesOfEveryWidthAreTakenInFull) {
  for (const Code last : {255U, 256U, 65'535U, 65'536U, 70'000U}) {
    Case wide{{0, 0, 1, 1}, {0, last, 1, last}};
    wide.value_count = std::uint64_t{last} + 1;
    ExpectHolds(wide, Claim(kHalf, 2, {0, 1, last}));
    wide.disease = {last, last, 0, 1};
    ExpectBroken(wide, Claim(kHalf, 2, {0, 1, last}), AlphaKBreach::kTooManyRows, 2, 2);
  }
}

TEST(AlphaKAnonymity, GroupsWithEqualBoxesAreOneClass) {
  const CodeColumn column = ColumnOf({0, 0, 1, 1});
  const CodeColumn* columns[] = {&column};
  const EncodedTable table{.rows = 4, .quasi_identifiers = {}, .persons = std::nullopt};
  const Classes one{.columns = 1, .boxes = {{0, 5}, {7, 7}, {0, 5}}, .of_row = {0, 0, 2, 2}};
  EXPECT_FALSE(FindAlphaKViolation(table, columns, Claim(kHalf, 4), one));
  const Classes two{.columns = 1, .boxes = {{0, 5}, {7, 7}, {0, 6}}, .of_row = {0, 0, 2, 2}};
  EXPECT_TRUE(FindAlphaKViolation(table, columns, Claim(kHalf, 1), two));
  const Classes none{.columns = 0, .boxes = {}, .of_row = {0, 0, 0, 0}};
  EXPECT_FALSE(FindAlphaKViolation(table, columns, Claim(kHalf, 4), none));
}

TEST(AlphaKAnonymity, AnEmptyTableViolatesNothing) { ExpectHolds({{}, {}}, Claim({0, 1}, UINT64_MAX)); }

TEST(AlphaKAnonymity, EveryColumnHasItsOwnLimitsAndCombinationsAddUp) {
  const CodeColumn disease = ColumnOf({0, 1, 0, 1});
  const CodeColumn income = ColumnOf({0, 0, 0, 1});
  const CodeColumn* columns[] = {&disease, &income};
  const EncodedTable table{.rows = 4, .quasi_identifiers = {}, .persons = std::nullopt};
  const Classes draft{.columns = 0, .boxes = {}, .of_row = {0, 0, 0, 0}};
  const Draft separate{ClassesWithoutBoxes(1, {0, 0, 0, 0}),
                       {{{0}, {0, 0}, {0, 1}, {2, 2}}, {{1}, {0, 0}, {0, 1}, {3, 1}}}};
  const Draft combined{ClassesWithoutBoxes(1, {0, 0, 0, 0}), {{{0, 1}, {0, 0, 0}, {0, 0, 1, 0, 1, 1}, {2, 1, 1}}}};
  const AlphaKClaim holds{2, {{0, {0, 1}, false, kHalf}, {1, {0, 1}, false, {3, 4}}}};
  const AlphaKClaim broken{2, {{0, {0, 1}, false, kHalf}, {1, {0, 1}, false, {74, 100}}}};
  EXPECT_FALSE(FindAlphaKViolation(table, columns, holds, draft));
  EXPECT_FALSE(FindAlphaKViolation(table, holds, separate));
  EXPECT_FALSE(FindAlphaKViolation(table, holds, combined));
  for (const auto& violation :
       {FindAlphaKViolation(table, columns, broken, draft), FindAlphaKViolation(table, broken, separate),
        FindAlphaKViolation(table, broken, combined)}) {
    ASSERT_TRUE(violation);
    EXPECT_EQ(violation->limit, 1U);
    EXPECT_EQ(violation->count, 3U);
  }
}

TEST(AlphaKAnonymity, TellsTheCountsTheColumnAndARowButNoValue) {
  const auto words = [](const Case& c, const AlphaKClaim& claim) {
    return Describe(*c.CheckGeneralized(claim), claim, !c.person_of_row.empty());
  };
  EXPECT_EQ(words({{0, 0, 1}, {0, 1, 2}}, Claim(kHalf, 2)),
            "a class of 1 row is published, 2 are required (row 3 of the input is in it)");
  EXPECT_EQ(
      words({{0, 0, 1, 1, 1}, {0, 1, 2, 7, 7}}, Claim(kHalf, 2)),
      "in a class of 3 rows 2 have the same value of sensitive column 1, more than the 1/2 that are allowed (row 3 "
      "of the input is in it)");
  EXPECT_EQ(words({{0, 0, 0}, {7, 8, 9}}, {2, {{0, {7, 8}, true, kHalf}}}),
            "in a class of 3 rows 2 have one of the listed values of sensitive column 1, more than the 1/2 that are "
            "allowed (row 1 of the input is in it)");
  EXPECT_EQ(words({{0, 0, 0, 0, 0}, {7, 7, 1, 2, 3}, {0, 1, 2, 2, 2}}, Claim(kHalf, 2, {7})),
            "in a class of 3 persons 2 have the same value of sensitive column 1, more than the 1/2 that are allowed "
            "(row 1 of the input is in it)");
  EXPECT_EQ(
      words({{0, 1, 0, 1}, {7, 7, 1, 2}, {0, 1, 1, 2}}, Claim(kHalf, 2, {7})),
      "a person with 2 rows in 2 classes has the same value of sensitive column 1 in one of them with a chance of "
      "3/4, more than the 1/2 that are allowed (row 2 of the input is theirs)");
}

TEST(AlphaKAnonymity, TheWholeTableTellsWhetherAnythingCanHold) {
  const CodeColumn disease = ColumnOf({0, 0, 1});
  const CodeColumn* columns[] = {&disease};
  EncodedTable table{.rows = 3, .quasi_identifiers = {}, .persons = std::nullopt};
  const auto too_many = FindInfeasible(table, columns, Claim(kHalf, 2), PublishForm::kTwoTables);
  ASSERT_TRUE(too_many);
  EXPECT_EQ(too_many->breach, AlphaKBreach::kTooManyRows);
  EXPECT_EQ(too_many->limit, 0U);
  EXPECT_EQ(too_many->value, 0U);
  EXPECT_EQ(too_many->count, 2U);
  EXPECT_EQ(too_many->of, 3U);
  EXPECT_FALSE(FindInfeasible(table, columns, Claim({2, 3}, 3), PublishForm::kTwoTables));
  EXPECT_EQ(FindInfeasible(table, columns, Claim({2, 3}, 4), PublishForm::kTwoTables)->breach,
            AlphaKBreach::kTooFewPeople);
  table.persons = Persons{{0, 1, 1}, 2};
  EXPECT_EQ(FindInfeasible(table, columns, Claim({2, 3}, 2), PublishForm::kGeneralized)->breach,
            AlphaKBreach::kTooManyPeople);
  EXPECT_EQ(FindInfeasible(table, columns, Claim({2, 3}, 2), PublishForm::kTwoTables)->breach,
            AlphaKBreach::kOnePersonTooOften);
}

TEST(AlphaKAnonymity, RefusesClaimsThatAreNone) {
  EXPECT_FALSE(FindMalformedClaim(Claim(kHalf, 2), 1));
  EXPECT_TRUE(FindMalformedClaim(Claim(kHalf, 2), 0));
  EXPECT_TRUE(FindMalformedClaim(Claim(kHalf, 2, {}), 1));
  EXPECT_TRUE(FindMalformedClaim(Claim(kHalf, 2, {1, 0}), 1));
  EXPECT_TRUE(FindMalformedClaim(Claim(kHalf, 2, {1, 1}), 1));
  EXPECT_TRUE(FindMalformedClaim(Claim({1, 0}, 2), 1));
}

// The definition, class by class and person by person.
bool HoldsByDefinition(const Case& c, const SensitiveLimit& limit, std::uint64_t k, bool shows_people) {
  std::map<std::uint32_t, std::vector<DrawsFromClass>> draws;
  const auto person = [&](std::size_t row) {
    return c.person_of_row.empty() ? static_cast<std::uint32_t>(row) : c.person_of_row[row];
  };
  for (ClassNumber number = 0; number < c.classes(); ++number) {
    std::map<std::uint32_t, std::uint64_t> people;
    std::set<std::uint32_t> people_with;
    std::uint64_t rows = 0, rows_with = 0;
    for (std::size_t row = 0; row < c.disease.size(); ++row) {
      if (c.class_of_row[row] != number) continue;
      ++rows;
      ++people[person(row)];
      if (std::ranges::find(limit.values, c.disease[row]) == limit.values.end()) continue;
      ++rows_with;
      people_with.insert(person(row));
    }
    if (rows == 0) continue;
    if (people.size() < k || Ratio{rows_with, rows} > limit.at_most) return false;
    if (shows_people && Ratio{people_with.size(), people.size()} > limit.at_most) return false;
    for (const auto& [who, own] : people) draws[who].push_back({rows, rows_with, own});
  }
  return std::ranges::all_of(draws,
                             [&](const auto& of) { return ChanceOfEverIsAtMostInFull(of.second, limit.at_most); });
}

Case RandomCase(Random& random) {
  Case c;
  const std::uint32_t rows = 1 + random.Below(12);
  const std::uint32_t classes = 1 + random.Below(3), values = 1 + random.Below(4), people = 1 + random.Below(12);
  for (std::uint32_t row = 0; row < rows; ++row) {
    c.class_of_row.push_back(row < classes ? row : random.Below(classes));
    c.disease.push_back(random.Below(values));
    if (people < 11) c.person_of_row.push_back(random.Below(people));
  }
  return c;
}

TEST(AlphaKAnonymity, AgreesWithTheDefinitionOnRandomTables) {
  Random random(SeedFromNumber(5), "alpha-k test");
  std::size_t held = 0, broken = 0;
  for (std::size_t i = 0; i < TestRounds(10'000); ++i) {
    const Case c = RandomCase(random);
    const std::uint64_t den = 1 + random.Below(12);
    AlphaKClaim claim{1 + random.Below(3), {}};
    claim.limits.push_back({0, {random.Below(2)}, false, {1 + random.Below(static_cast<std::uint32_t>(den)), den}});
    if (random.Below(2) == 0) claim.limits.push_back({0, {1, 2}, true, {1, 1 + random.Below(3)}});
    for (const bool shows_people : {false, true}) {
      const bool holds = std::ranges::all_of(claim.limits, [&](const SensitiveLimit& limit) {
        return HoldsByDefinition(c, limit, claim.k, shows_people);
      });
      ++(holds ? held : broken);
      ASSERT_EQ(!(shows_people ? c.CheckGeneralized(claim) : c.CheckTables(claim)), holds) << i;
    }
  }
  EXPECT_GT(held, TestRounds(1000));
  EXPECT_GT(broken, TestRounds(1000));
}

TEST(AlphaKAnonymity, DoesNotDependOnTheOrderOfRowsOrTheNamesOfValuesClassesAndPeople) {
  Random random(SeedFromNumber(6), "alpha-k test");
  for (std::size_t i = 0; i < TestRounds(2'000); ++i) {
    const Case c = RandomCase(random);
    const std::size_t rows = c.disease.size();
    Case renamed = c;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t from = (row * 7 + 3) % rows;
      const std::size_t source = rows % 7 == 0 ? row : from;
      renamed.class_of_row[row] = c.classes() - 1 - c.class_of_row[source];
      renamed.disease[row] = 9 - c.disease[source];
      if (!c.person_of_row.empty()) renamed.person_of_row[row] = 40 - c.person_of_row[source];
    }
    const AlphaKClaim claim{2, {{0, {0, 2}, false, kHalf}, {0, {1, 3}, true, kThird}}};
    const AlphaKClaim renamed_claim{2, {{0, {7, 9}, false, kHalf}, {0, {6, 8}, true, kThird}}};
    EXPECT_EQ(!c.CheckGeneralized(claim), !renamed.CheckGeneralized(renamed_claim));
    EXPECT_EQ(!c.CheckTables(claim), !renamed.CheckTables(renamed_claim));
  }
}

TEST(AlphaKAnonymity, IsTheSameInManyTasks) {
  // Many classes of two, each person in two of them, one class spoiled: the verifier finds this one.
  constexpr std::uint32_t kClasses = 20'000;
  Case many;
  for (std::uint32_t row = 0; row < 2 * kClasses; ++row) {
    many.class_of_row.push_back(row / 2);
    many.disease.push_back(row % 2);
    many.person_of_row.push_back(row % kClasses);
  }
  const AlphaKClaim claim = Claim({3, 4}, 2);
  ExpectHolds(many, claim);
  ExpectBroken(many, Claim({74, 100}, 2), AlphaKBreach::kOnePersonTooOften, 2, 2);
  // Somebody among many whose rows lie differently: in three classes it is 7/8.
  Case one_more = many;
  one_more.class_of_row.insert(one_more.class_of_row.end(), {kClasses, kClasses});
  one_more.disease.insert(one_more.disease.end(), {0, 1});
  one_more.person_of_row.insert(one_more.person_of_row.end(), {kClasses - 1, kClasses});
  ExpectBroken(one_more, claim, AlphaKBreach::kOnePersonTooOften, 3, 3);
  many.disease[2 * 17'001] = 1;
  for (const auto& violation : {many.CheckGeneralized(claim), many.CheckTables(claim)}) {
    ASSERT_TRUE(violation);
    EXPECT_EQ(violation->breach, AlphaKBreach::kTooManyRows);
    EXPECT_EQ(violation->row, 2 * 17'001U);
  }
}

}  // namespace
}  // namespace pentimento::alpha_k_anonymity_test
