#include "anonymize/specialize/specialize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/rounds_testing.h"

namespace pentimento::specialize_test {
namespace {

Domain Flat(std::vector<std::string> values) {
  return Domain(std::make_shared<const Taxonomy>(Taxonomy::Flat(values).value()), false);
}

CodeColumn Codes(std::uint64_t size, const std::vector<Code>& codes) {
  CodeColumn column(size, codes.size());
  for (std::size_t row = 0; row < codes.size(); ++row) column.Set(row, codes[row]);
  return column;
}

EarlierRelease Earlier(std::size_t columns, const std::vector<std::vector<Interval>>& rows) {
  EarlierRelease release{"earlier", columns, {}, {}, {}};
  for (const auto& row : rows) {
    release.cells.insert(release.cells.end(), row.begin(), row.end());
    release.example.push_back(release.records.size());
    release.records.push_back(1);
  }
  return release;
}

// A table of which only the first quasi-identifiers are generalized.
struct Given {
  EncodedTable table;
  std::vector<Domain> domains;
  std::vector<CodeColumn> exact;
  std::vector<bool> is_generalized;
  XyReleases releases;
  std::uint64_t k = 0;
  const CodeColumn* parts = nullptr;

  Result<Specialized> Make(Utility utility = Utility::kDistortion) const {
    std::vector<const CodeColumn*> columns;
    for (const CodeColumn& column : exact) columns.push_back(&column);
    return AnonymizeBySpecialization({table, domains, columns, is_generalized, releases, k, utility, nullptr, parts});
  }
};

// The paper's Table 1: Name and Job now, Job and Disease before. Banker, Clerk, Driver, Engineer; Cancer, HIV.
Given PatientsOfTheExample() {
  Given given;
  given.table.rows = 5;
  given.domains = {Flat({"Alice", "Bob", "Cathy"}), Flat({"Banker", "Clerk", "Driver", "Engineer"})};
  given.table.quasi_identifiers = {Codes(3, {0, 0, 1, 1, 2}), Codes(4, {0, 0, 1, 2, 3})};
  given.is_generalized = {true, true};
  given.releases.earlier = {
      Earlier(2, {{{0, 0}, {0, 0}}, {{0, 0}, {0, 0}}, {{1, 1}, {1, 1}}, {{2, 2}, {0, 0}}, {{3, 3}, {1, 1}}})};
  given.releases.common = {{{{0, 1}, {1, 0}}, false}};
  return given;
}

TEST(Specialize, HidesWhoHasWhatInThePapersExample) {
  Given given = PatientsOfTheExample();
  // Name with Disease: each pair stands for two people at least.
  given.releases.anonymity = {{{1}, {{0, 0}, {0, 1}, {1, 1}}, {{0, ReleaseColumn::kWho}}, 2}};
  const Result<Specialized> made = given.Make();
  ASSERT_TRUE(made.ok());
  // Cathy is the only one of her name, and three jobs have one person each: neither can be told.
  EXPECT_EQ(made->steps, 0U);
  EXPECT_EQ(made->left_general.size(), 2U);
}

TEST(Specialize, WithTheEarlierJobInXNothingHelpsAndItSaysSo) {
  Given given = PatientsOfTheExample();
  // Each job of the clerk, the driver and the engineer is one record of the earlier release.
  given.releases.anonymity = {{{1}, {{0, 0}, {0, 1}, {1, 0}}, {{1, ReleaseColumn::kWho}}, 2}};
  const Result<Specialized> made = given.Make();
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, ErrorCode::kRefused);
}

// One person (c1,d1), nine (c3,d1), two (c3,d2). The persons of both releases are counted in pairs.
TEST(Specialize, TheMostGeneralTableMayFailAndAMoreSpecialOneHold) {
  Given given;
  given.table.rows = 12;
  given.domains = {Flat({"d1", "d2"})};
  given.table.quasi_identifiers = {Codes(2, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1})};
  given.exact = {Codes(2, {0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1})};
  given.is_generalized = {true};
  given.releases.earlier = {Earlier(1, {{{0, 0}}, {{1, 1}}})};
  given.releases.earlier[0].records = {10, 2};
  given.releases.common = {{{{0, 0}, {1, 0}}, false}};
  given.releases.anonymity = {{{1}, {{0, 0}, {0, 1}, {1, 0}}, {{0, ReleaseColumn::kWho}, {1, ReleaseColumn::kWho}}, 4}};
  const Result<Specialized> made = given.Make();
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->cuts[0], (std::vector<Interval>{{0, 0}, {1, 1}}));
  given.releases.anonymity[0].k = 5;
  EXPECT_FALSE(given.Make().ok());
}

// (d1,e1,n), (d2,e1,y), nine (d2,e2,n), joined on both; only D is in X: y is met in 1 of 2, then in 1 of 82.
TEST(Specialize, AJoinColumnOutsideXMakesASpecializationSafer) {
  Given given;
  given.table.rows = 11;
  given.domains = {Flat({"d1", "d2"}), Flat({"e1", "e2"})};
  given.table.quasi_identifiers = {Codes(2, {0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}),
                                   Codes(2, {0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1})};
  given.exact = {Codes(2, {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0})};
  given.is_generalized = {true, false};
  given.releases.earlier = {Earlier(2, {{{0, 0}, {0, 0}}, {{1, 1}, {0, 0}}, {{1, 1}, {1, 1}}})};
  given.releases.earlier[0].records = {1, 1, 9};
  given.releases.common = {{{{0, 0}, {1, 0}}, false}, {{{0, 1}, {1, 1}}, false}};
  const LinkabilityTarget of_y{{ReleaseColumn{0, 2}}, {std::vector<Interval>{{1, 1}}}, Ratio{1, 82}};
  given.releases.linkability = {{{1}, {{0, 0}, {1, 0}}, {of_y}}};
  const Result<Specialized> made = given.Make();
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->cuts[0], (std::vector<Interval>{{0, 0}, {1, 1}}));
  given.releases.linkability[0].targets[0].at_most = Ratio{1, 83};
  EXPECT_FALSE(given.Make().ok());
}

TEST(Specialize, NumbersAreSplitBetweenValuesAndMissingOnesStandApart) {
  Given given;
  given.table.rows = 6;
  given.domains = {Domain(NumericRange{0, 99, 0, {}}, true)};
  given.table.quasi_identifiers = {Codes(101, {10, 10, 90, 90, 100, 100})};
  given.is_generalized = {true};
  given.k = 2;
  const Result<Specialized> made = given.Make();
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->cuts[0], (std::vector<Interval>{{0, 49}, {50, 99}, {100, 100}}));
  EXPECT_EQ(made->draft.count(), 3U);
}

// How many people of one part share a class, where it is fewest.
std::uint32_t FewestOfAPart(const Classes& draft, const CodeColumn& parts) {
  std::map<std::pair<std::vector<Interval>, Code>, std::uint32_t> people;
  for (std::size_t row = 0; row < draft.of_row.size(); ++row) {
    const auto box = draft.box(draft.of_row[row]);
    ++people[{{box.begin(), box.end()}, parts[row]}];
  }
  std::uint32_t fewest = static_cast<std::uint32_t>(draft.of_row.size());
  for (const auto& [part, count] : people) fewest = std::min(fewest, count);
  return fewest;
}

// All tables of six rows with two columns of three and two values, some parts: k people of a part in each class, and no
// further specialization keeps that.
TEST(Specialize, KPeopleOfEachPartShareAClassInAllSmallTables) {
  Given given;
  given.table.rows = 6;
  given.domains = {Flat({"a", "b", "c"}), Flat({"x", "y"})};
  given.is_generalized = {true, true};
  given.k = 2;
  std::size_t divided = 0, more_with_parts = 0;
  for (std::size_t values = 0; values < 46656; values += TestStep(7)) {
    std::vector<Code> first, second;
    for (std::size_t rest = values, row = 0; row < 6; ++row, rest /= 6) {
      first.push_back(static_cast<Code>(rest % 3));
      second.push_back(static_cast<Code>(rest / 3 % 2));
    }
    given.table.quasi_identifiers = {Codes(3, first), Codes(2, second)};
    const auto plain = given.Make();
    ASSERT_TRUE(plain.ok());
    for (const std::vector<Code>& parts : std::vector<std::vector<Code>>{{0, 0, 1, 1, 0, 1}, {1, 0, 0, 0, 0, 1}}) {
      const CodeColumn of_row = Codes(2, parts);
      given.parts = &of_row;
      const auto made = given.Make();
      given.parts = nullptr;
      ASSERT_TRUE(made.ok());
      ASSERT_GE(FewestOfAPart(made->draft, of_row), 2U);
      divided += made->steps > 0 ? 1 : 0;
      more_with_parts += FewestOfAPart(plain->draft, of_row) < 2 ? 1 : 0;
      for (const LeftGeneral& left : made->left_general) {
        auto cuts = made->cuts;
        std::erase(cuts[left.column], left.value);
        cuts[left.column].insert(cuts[left.column].end(), left.children.begin(), left.children.end());
        std::ranges::sort(cuts[left.column]);
        ASSERT_LT(FewestOfAPart(DraftOfCuts(given.table, given.domains, cuts), of_row), 2U);
      }
    }
  }
  EXPECT_GT(divided, TestRounds(100));
  EXPECT_GT(more_with_parts, TestRounds(1000));  // without parts many of these tables break it
}

TEST(Specialize, APartWithFewerPeopleCannotBeKept) {
  Given given;
  given.table.rows = 3;
  given.domains = {Flat({"a", "b"})};
  given.is_generalized = {true};
  given.k = 2;
  given.table.quasi_identifiers = {Codes(2, {0, 0, 1})};
  const CodeColumn parts = Codes(2, {0, 0, 1});
  EXPECT_TRUE(given.Make().ok());
  given.parts = &parts;
  EXPECT_FALSE(given.Make().ok());
}

}  // namespace
}  // namespace pentimento::specialize_test
