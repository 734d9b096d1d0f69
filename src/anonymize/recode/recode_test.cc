#include "anonymize/recode/recode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "base/random.h"
#include "base/rounds_testing.h"

namespace pentimento::recode_test {
namespace {

using Rows = std::vector<std::vector<Code>>;

Domain Numbers(std::int64_t lo, std::int64_t hi, bool allows_missing = false) {
  return Domain(NumericRange{lo, hi, 0, {}}, allows_missing);
}
Domain Tree(std::string_view text, bool allows_missing = false) {
  return Domain(std::make_shared<const Taxonomy>(Taxonomy::Parse(text, "test").value()), allows_missing);
}
Domain Flat(Code leaves, bool allows_missing = false) {
  std::vector<std::string> values;
  for (Code leaf = 0; leaf < leaves; ++leaf) values.push_back("v" + std::to_string(leaf));
  return Domain(std::make_shared<const Taxonomy>(Taxonomy::Flat(values).value()), allows_missing);
}

// Quasi-identifiers and one sensitive column.
struct Case {
  std::vector<Domain> domains;
  EncodedTable table;
  CodeColumn sensitive;
  Code values = 1;
};

Case MakeCase(std::vector<Domain> domains, const Rows& rows, const std::vector<Code>& sensitive) {
  Case made{std::move(domains), {}, {}, 1};
  made.table.rows = rows.size();
  for (std::size_t c = 0; c < made.domains.size(); ++c) {
    made.table.quasi_identifiers.emplace_back(made.domains[c].size(), rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) made.table.quasi_identifiers[c].Set(row, rows[row][c]);
  }
  for (const Code value : sensitive) made.values = std::max(made.values, value + 1);
  made.sensitive = CodeColumn(made.values, sensitive.size());
  for (std::size_t row = 0; row < sensitive.size(); ++row) made.sensitive.Set(row, sensitive[row]);
  return made;
}

AlphaKClaim EveryValue(const Case& given, Ratio alpha, std::uint64_t k) {
  std::vector<Code> values(given.values);
  std::iota(values.begin(), values.end(), Code{0});
  return {k, {{0, values, false, alpha}}};
}

Result<Classes> Recode(const Case& given, const AlphaKClaim& claim, std::span<const std::uint32_t> order = {}) {
  const CodeColumn* sensitive[] = {&given.sensitive};
  const Signatures signatures = CollectSignatures(given.table.rows, sensitive, {{given.values}}, claim);
  return AnonymizeByRecoding(given.table, given.domains, {claim.k, &signatures, order});
}

// Each group as label of its box, and what is in it: sorted pairs of box and sorted sensitive values.
std::multimap<std::vector<std::string>, std::vector<Code>> Published(const Case& given, const Classes& draft) {
  std::vector<std::vector<Code>> bags(draft.count());
  for (std::size_t row = 0; row < given.table.rows; ++row) bags[draft.of_row[row]].push_back(given.sensitive[row]);
  std::multimap<std::vector<std::string>, std::vector<Code>> published;
  for (ClassNumber group = 0; group < bags.size(); ++group) {
    std::vector<std::string> labels;
    for (std::size_t c = 0; c < given.domains.size(); ++c)
      labels.push_back(given.domains[c].Label(draft.box(group)[c]));
    std::ranges::sort(bags[group]);
    published.insert({labels, bags[group]});
  }
  return published;
}

// From the definition: what a group of a draft must be, whoever made it.
void ExpectClasses(const Case& given, const AlphaKClaim& claim, const Classes& draft) {
  ASSERT_EQ(draft.of_row.size(), given.table.rows);
  std::vector<std::vector<std::size_t>> members(draft.count());
  for (std::size_t row = 0; row < given.table.rows; ++row) members[draft.of_row[row]].push_back(row);
  std::set<Box> boxes;
  for (ClassNumber group = 0; group < members.size(); ++group) {
    const Box box(draft.box(group).begin(), draft.box(group).end());
    EXPECT_TRUE(boxes.insert(box).second) << "equal boxes are one class";
    EXPECT_GE(members[group].size(), claim.k);
    for (std::size_t c = 0; c < box.size(); ++c) {
      EXPECT_EQ(given.domains[c].Cover(box[c], CategoryForm::kTaxonomy), box[c]);
      for (const std::size_t row : members[group]) EXPECT_TRUE(box[c].Contains(given.table.quasi_identifiers[c][row]));
    }
    for (const SensitiveLimit& limit : claim.limits) {
      std::map<Code, std::uint64_t> counts;
      for (const std::size_t row : members[group]) {
        const Code value = given.sensitive[row];
        if (std::ranges::binary_search(limit.values, value)) ++counts[limit.together ? 0 : value];
      }
      for (const auto& [value, count] : counts)
        EXPECT_LE(count * limit.at_most.den, limit.at_most.num * members[group].size());
    }
  }
}

const char* const kTwoLeaves = "A;*\nB;*\n";

// 3 times A, once B, as the definition has it: the row that is pushed back is the first one of the order.
TEST(Recode, PullsTheFirstRowOfTheOrderBack) {
  const Case given = MakeCase({Tree(kTwoLeaves)}, {{0}, {0}, {0}, {1}}, {0, 1, 2, 0});
  for (const std::uint32_t first : {1U, 2U}) {
    const std::vector<std::uint32_t> order = {first, 3, 0, 3 - first};
    const auto published = Published(given, Recode(given, EveryValue(given, {1, 2}, 2), order).value());
    ASSERT_EQ(published.size(), 2U);
    EXPECT_EQ(published.find({"*"})->second, (std::vector<Code>{0, first}));
    EXPECT_EQ(published.find({"A"})->second, (std::vector<Code>{0, 3 - first}));
  }
  // The value that is there already would be half of two: no other row is taken in its place.
  EXPECT_EQ(Published(given, Recode(given, EveryValue(given, {1, 2}, 2)).value()).size(), 1U);
}

TEST(Recode, LeavesOneClassWhereNobodyCanSpareARow) {
  const Case given = MakeCase({Tree(kTwoLeaves)}, {{0}, {0}, {1}}, {0, 1, 2});
  const auto published = Published(given, Recode(given, EveryValue(given, {1, 2}, 2)).value());
  ASSERT_EQ(published.size(), 1U);
  EXPECT_EQ(published.begin()->first, (std::vector<std::string>{"*"}));
}

TEST(Recode, RefusesATableInWhichAValueIsTooFrequent) {
  const Case given = MakeCase({Tree(kTwoLeaves)}, {{0}, {0}, {1}}, {0, 1, 0});
  const Result<Classes> refused = Recode(given, EveryValue(given, {1, 2}, 2));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kRefused);
  EXPECT_NE(refused.error().message.find("2 of the 3 rows"), std::string::npos);
  EXPECT_NE(refused.error().message.find("1/2"), std::string::npos);
}

TEST(Recode, RefusesFewerRowsThanKAndPersonsWithSeveralRows) {
  Case given = MakeCase({Tree(kTwoLeaves)}, {{0}, {0}, {1}}, {0, 1, 2});
  EXPECT_EQ(Recode(given, EveryValue(given, {1, 2}, 4)).error().code, ErrorCode::kRefused);
  given.table.persons = Persons{{0, 1, 1}, 2};
  const Result<Classes> refused = Recode(given, EveryValue(given, {1, 2}, 2));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kBadPolicy);
  EXPECT_NE(refused.error().message.find("method = \"partition\""), std::string::npos);
  given.table.persons = Persons{{2, 1, 0}, 3};
  EXPECT_TRUE(Recode(given, EveryValue(given, {1, 2}, 2)).ok());
  const Case empty = MakeCase({Tree(kTwoLeaves)}, {}, {});
  EXPECT_EQ(AnonymizeByRecoding(empty.table, empty.domains, {1}).error().code, ErrorCode::kRefused);
}

// Table 1 of the paper, with the hierarchy of its Figure 1; births and postcodes are flat.
TEST(Recode, MakesTable3OfThePaperFromItsTable1) {
  const char* const kJobs =
      "clerk;white-collar;*\nmanager;white-collar;*\nfactory worker;blue-collar;*\n"
      "technical supporter;blue-collar;*\n";
  const Case given = MakeCase({Tree(kJobs), Tree("1975;*\n1955;*\n1940;*\n"), Tree("4350;*\n5432;*\n")},
                              {{0, 0, 0}, {1, 1, 0}, {0, 1, 1}, {2, 1, 1}, {2, 0, 0}, {3, 2, 0}}, {0, 1, 1, 2, 1, 2});
  const std::multimap<std::vector<std::string>, std::vector<Code>> table3 = {
      {{"white-collar", "*", "4350"}, {0, 1}}, {{"*", "1955", "5432"}, {1, 2}}, {{"blue-collar", "*", "4350"}, {1, 2}}};
  EXPECT_EQ(Published(given, Recode(given, EveryValue(given, {1, 2}, 2)).value()), table3);
}

TEST(Recode, GoesDownOneAttributeAsFarAsEveryClassAllows) {
  const char* const kTaxonomy = "a;x;*\nb;x;*\nc;y;*\nd;y;*\n";
  const Case given = MakeCase({Tree(kTaxonomy)}, {{0}, {0}, {1}, {2}, {2}, {3}, {3}}, {0, 1, 2, 0, 1, 1, 1});
  const std::multimap<std::vector<std::string>, std::vector<Code>> expected = {
      // b cannot stand, and a cannot spare a row for it; d is one value only, and c too small to help.
      {{"x"}, {0, 1, 2}},
      {{"y"}, {0, 1, 1, 1}}};
  EXPECT_EQ(Published(given, Recode(given, EveryValue(given, {3, 4}, 2)).value()), expected);
}

// The groups as boxes in ascending order.
std::vector<Box> Boxes(const Classes& draft) {
  std::vector<Box> boxes;
  for (ClassNumber group = 0; group < draft.count(); ++group)
    boxes.emplace_back(draft.box(group).begin(), draft.box(group).end());
  std::ranges::sort(boxes);
  return boxes;
}

TEST(Recode, ChoosesTheAttributeThatSpecializesTheMostRows) {
  // In the first column one value has too few rows, and two more go back with it.
  const Case given = MakeCase({Flat(2), Flat(2)}, {{0, 0}, {0, 0}, {0, 0}, {0, 1}, {0, 1}, {1, 1}}, {0, 0, 0, 0, 0, 0});
  const Classes draft = AnonymizeByRecoding(given.table, given.domains, {3}).value();
  EXPECT_EQ(Boxes(draft), (std::vector<Box>{{{0, 0}, {0, 0}}, {{0, 1}, {1, 1}}}));
}

TEST(Recode, PrefersFewerBranchesAndThenTheFirstColumn) {
  const Case branches =
      MakeCase({Flat(3), Flat(2)}, {{0, 0}, {0, 0}, {1, 0}, {1, 1}, {2, 1}, {2, 1}}, {0, 0, 0, 0, 0, 0});
  EXPECT_EQ(Boxes(AnonymizeByRecoding(branches.table, branches.domains, {2}).value()),
            (std::vector<Box>{{{0, 2}, {0, 0}}, {{0, 2}, {1, 1}}}));
  const Case columns = MakeCase({Flat(2), Flat(2)}, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}, {0, 0, 0, 0});
  EXPECT_EQ(Boxes(AnonymizeByRecoding(columns.table, columns.domains, {2}).value()),
            (std::vector<Box>{{{0, 0}, {0, 1}}, {{1, 1}, {0, 1}}}));
}

TEST(Recode, PrefersTheWidestOfThoseThatSpecializeAsMany) {
  // Ages from 0 to 3 of 100 are published narrowly already; the label would be the root.
  const Case given =
      MakeCase({Numbers(0, 99), Flat(3)}, {{0, 0}, {3, 0}, {0, 1}, {3, 1}, {0, 2}, {3, 2}}, std::vector<Code>(6));
  EXPECT_EQ(Boxes(AnonymizeByRecoding(given.table, given.domains, {2}).value()),
            (std::vector<Box>{{{0, 3}, {0, 0}}, {{0, 3}, {1, 1}}, {{0, 3}, {2, 2}}}));
}

TEST(Recode, TriesAgainWhatCameBack) {
  // Each column specializes four rows, the first in one branch. The other four can go down in the second.
  const Rows rows = {{0, 2}, {0, 3}, {0, 4}, {0, 5}, {1, 0}, {2, 0}, {3, 1}, {4, 1}};
  const Case given = MakeCase({Flat(5), Flat(6)}, rows, std::vector<Code>(rows.size()));
  EXPECT_EQ(Boxes(AnonymizeByRecoding(given.table, given.domains, {2}).value()),
            (std::vector<Box>{{{0, 0}, {0, 5}}, {{0, 4}, {0, 0}}, {{0, 4}, {1, 1}}}));
}

TEST(Recode, PutsAMissingValueUnderTheRoot) {
  const Case numbers = MakeCase({Numbers(0, 9, true)}, {{0}, {1}, {2}, {3}, {10}, {10}}, {0, 1, 0, 1, 0, 1});
  const auto published = Published(numbers, Recode(numbers, EveryValue(numbers, {1, 2}, 2)).value());
  const std::multimap<std::vector<std::string>, std::vector<Code>> expected = {
      {{""}, {0, 1}}, {{"[0,2)"}, {0, 1}}, {{"[2,4)"}, {0, 1}}};
  EXPECT_EQ(published, expected);
  const Case leaves = MakeCase({Tree(kTwoLeaves, true)}, {{0}, {0}, {0}, {2}}, {1, 0, 2, 0});
  const auto with_one = Published(leaves, Recode(leaves, EveryValue(leaves, {1, 2}, 2)).value());
  EXPECT_EQ(with_one.count({"A"}), 1U);
  EXPECT_EQ(with_one.count({"*"}), 1U);
}

TEST(Recode, CutsANumberAtTheMedianAndPullsRowsOverABoundary) {
  const Case given = MakeCase({Numbers(0, 99)}, {{1}, {5}, {5}, {5}, {60}, {61}}, {0, 0, 0, 0, 0, 0});
  const Classes draft = AnonymizeByRecoding(given.table, given.domains, {2}).value();
  std::vector<Interval> boxes = draft.boxes;
  std::ranges::sort(boxes);
  EXPECT_EQ(boxes, (std::vector<Interval>{{1, 5}, {5, 5}, {60, 61}}));
}

// Few rows of many numbers are sorted, many rows of few numbers are counted.
TEST(Recode, FindsTheMedianOfManyRowsAsOfFew) {
  for (const Code apart : {1U, 10'000U}) {
    Rows rows;
    for (Code code = 0; code < 10; ++code) rows.insert(rows.end(), 10, {code * apart});
    const Case given = MakeCase({Numbers(0, 9 * apart)}, rows, std::vector<Code>(rows.size()));
    EXPECT_EQ(Boxes(AnonymizeByRecoding(given.table, given.domains, {50}).value()),
              (std::vector<Box>{{{0, 4 * apart}}, {{5 * apart, 9 * apart}}}));
    rows.insert(rows.end(), 40, {9 * apart});
    const Case skewed = MakeCase({Numbers(0, 9 * apart)}, rows, std::vector<Code>(rows.size()));
    EXPECT_EQ(Boxes(AnonymizeByRecoding(skewed.table, skewed.domains, {60}).value()),
              (std::vector<Box>{{{0, 6 * apart}}, {{7 * apart, 9 * apart}}}));
  }
}

TEST(Recode, WithoutQuasiIdentifiersMakesOneGroup) {
  const Case given = MakeCase({}, {{}, {}, {}}, {0, 1, 2});
  const Classes draft = Recode(given, EveryValue(given, {1, 3}, 2)).value();
  EXPECT_EQ(draft.count(), 1U);
  EXPECT_EQ(draft.of_row, (std::vector<ClassNumber>{0, 0, 0}));
}

const char* const kDeep = "a;x;p;*\nb;x;p;*\nc;y;p;*\nd;z;*\ne;z;*\nf;*\n";

std::vector<Domain> RandomDomains(Random& random) {
  std::vector<Domain> domains;
  const std::size_t columns = 1 + random.Below(4);
  for (std::size_t c = 0; c < columns; ++c) {
    const bool allows_missing = random.Below(3) == 0;
    switch (random.Below(4)) {
      case 0:
        domains.push_back(Tree(kDeep, allows_missing));
        break;
      case 1:
        domains.push_back(Flat(2 + random.Below(5), allows_missing));
        break;
      case 2:
        domains.push_back(Numbers(0, 5 + random.Below(300), allows_missing));
        break;
      default:
        domains.push_back(Numbers(0, 100'000, allows_missing));
        break;
    }
  }
  return domains;
}

Case RandomCase(Random& random, std::vector<Domain> domains, std::size_t rows, bool is_skewed) {
  Rows codes(rows);
  std::vector<Code> sensitive(rows);
  const std::uint32_t values = 2 + random.Below(5);
  for (std::size_t row = 0; row < rows; ++row) {
    for (const Domain& domain : domains) {
      const Code code = random.Below(domain.size());
      codes[row].push_back(random.Below(3) == 0 ? code : code % std::min<Code>(domain.size(), 4));
    }
    sensitive[row] = random.Below(values);
    if (is_skewed && codes[row][0] % 2 == 0 && random.Below(2) == 0) sensitive[row] = 0;
  }
  return MakeCase(std::move(domains), codes, sensitive);
}

// The order says who is pulled back, and the order of the table says nothing where there is another.
TEST(Recode, DependsOnTheOrderItIsGivenAndNotOnThatOfTheTable) {
  Random random(SeedFromNumber(8), "test");
  for (std::size_t round = 0; round < TestRounds(300); ++round) {
    const Case given = RandomCase(random, RandomDomains(random), 10 + random.Below(60), round % 2 == 0);
    std::vector<std::uint32_t> moved(given.table.rows);
    std::iota(moved.begin(), moved.end(), 0U);
    for (std::size_t i = moved.size(); i > 1; --i) std::swap(moved[i - 1], moved[random.Below(static_cast<Code>(i))]);
    Rows rows(given.table.rows);
    std::vector<Code> sensitive(given.table.rows);
    for (std::size_t row = 0; row < moved.size(); ++row) {
      for (const CodeColumn& column : given.table.quasi_identifiers) rows[moved[row]].push_back(column[row]);
      sensitive[moved[row]] = given.sensitive[row];
    }
    const Case other = MakeCase(given.domains, rows, sensitive);
    const AlphaKClaim claim = EveryValue(given, {2, 3}, 2);
    const Result<Classes> first = Recode(given, claim);
    const Result<Classes> second = Recode(other, claim, moved);
    ASSERT_EQ(first.ok(), second.ok());
    if (!first.ok()) continue;
    EXPECT_EQ(first->boxes, second->boxes);
    for (std::size_t row = 0; row < moved.size(); ++row) EXPECT_EQ(first->of_row[row], second->of_row[moved[row]]);
  }
}

TEST(Recode, MakesNothingButClassesThatKeepTheRule) {
  Random random(SeedFromNumber(3), "test");
  int made = 0;
  int several = 0;
  for (std::size_t round = 0; round < TestRounds(4'000); ++round) {
    const Case given = RandomCase(random, RandomDomains(random), 1 + random.Below(60), random.Below(2) == 0);
    AlphaKClaim claim =
        EveryValue(given, std::array<Ratio, 4>{{{1, 2}, {1, 3}, {2, 5}, {1, 1}}}[random.Below(4)], 1 + random.Below(5));
    if (random.Below(3) == 0) claim.limits.push_back({0, {0, 1}, true, {1, 2}});
    if (random.Below(4) == 0) claim.limits.erase(claim.limits.begin());
    const Result<Classes> draft = Recode(given, claim);
    if (!draft.ok()) {
      EXPECT_EQ(draft.error().code, ErrorCode::kRefused);
      continue;
    }
    ++made;
    several += draft->count() > 1 ? 1 : 0;
    ExpectClasses(given, claim, *draft);
  }
  EXPECT_GT(made, TestRounds(1500));
  EXPECT_GT(several, TestRounds(1000));
}

TEST(Recode, WithKAloneMakesGroupsOfK) {
  Random random(SeedFromNumber(4), "test");
  for (std::size_t round = 0; round < TestRounds(1'000); ++round) {
    const Case given = RandomCase(random, RandomDomains(random), 10 + random.Below(80), false);
    const std::uint64_t k = 1 + random.Below(8);
    ExpectClasses(given, {k, {}}, AnonymizeByRecoding(given.table, given.domains, {k}).value());
  }
}

TEST(Recode, GivesTheSameForAnyNumberOfThreads) {
  Random random(SeedFromNumber(5), "test");
  const Case given =
      RandomCase(random, {Tree(kDeep, true), Numbers(0, 99), Flat(40), Numbers(0, 100'000)}, 150'000, true);
  const AlphaKClaim claim = EveryValue(given, {4, 5}, 3);
  const auto recode = [&](std::size_t threads) {
    const ThreadLimit limit(threads);
    return Recode(given, claim).value();
  };
  const Classes alone = recode(1);
  EXPECT_GT(alone.count(), 5'000U);
  ExpectClasses(given, claim, alone);
  for (const std::size_t threads : {2U, 3U, 8U}) {
    const Classes draft = recode(threads);
    EXPECT_EQ(draft.boxes, alone.boxes);
    EXPECT_EQ(draft.of_row, alone.of_row);
  }
}

// Columns in which nobody differs are never specialized, but records get longer and wider with them.
TEST(Recode, GivesTheSameWhateverTheLayoutOfRecords) {
  Random random(SeedFromNumber(6), "test");
  for (std::size_t round = 0; round < TestRounds(200); ++round) {
    const Case given =
        RandomCase(random, {Tree(kDeep, true), Numbers(0, 99), Flat(40)}, 10 + random.Below(400), round % 2 == 0);
    const AlphaKClaim claim = EveryValue(given, {4, 5}, 2);
    const Result<Classes> narrow = Recode(given, claim);
    if (!narrow.ok()) continue;
    for (const auto& [columns, highest] : {std::pair{6, 200}, {6, 1'000}, {20, 200}, {1, 70'000}}) {
      Case wider = given;
      for (int c = 0; c < columns; ++c) {
        wider.domains.push_back(Numbers(0, highest));
        wider.table.quasi_identifiers.emplace_back(wider.domains.back().size(), wider.table.rows);
      }
      const Classes draft = Recode(wider, claim).value();
      EXPECT_EQ(draft.of_row, narrow->of_row);
      ASSERT_EQ(draft.count(), narrow->count());
      for (ClassNumber group = 0; group < draft.count(); ++group)
        EXPECT_TRUE(std::ranges::equal(draft.box(group).first(3), narrow->box(group)));
    }
  }
}

}  // namespace
}  // namespace pentimento::recode_test
