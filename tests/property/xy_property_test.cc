// The verifiers of (X,Y)-privacy against the definition: numbers, results and witnesses, on every example and trap and
// on random small joins.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/parallel.h"
#include "base/random.h"
#include "base/rounds_testing.h"
#include "guarantee/xy/population.h"
#include "guarantee/xy/xy_anonymity.h"
#include "guarantee/xy/xy_linkability.h"
#include "oracle/xy_oracle.h"
#include "property/join_instances.h"
#include "property/join_traps.h"

namespace pentimento::property::xy_property_test {
namespace {

namespace oj = oracle::join;
using join_examples::Example;

// One question about one join, in the words of the oracle.
struct Case {
  OracleInstance instance;
  std::vector<std::uint32_t> against;
  oj::Columns x;
  oj::Columns y;
  std::optional<std::vector<oj::Value>> values;  // of a linkability
  Shape shape;
};

std::vector<std::uint32_t> All(const OracleInstance& instance) {
  std::vector<std::uint32_t> against;
  for (std::uint32_t release = 1; release < instance.releases.size(); ++release) against.push_back(release);
  return against;
}

// The value that the witness has on some columns; fails where its records do not match one another.
oj::Value ValueOfWitness(const OracleSelection& selection, const MatchWitness& witness, const oj::Columns& columns) {
  oj::Match match = {witness.row};
  for (const RecordOfRelease& at : witness.records) match.push_back(at.record);
  EXPECT_EQ(match.size(), selection.selected.releases.size());
  for (std::size_t r = 0; r < match.size(); ++r) {
    for (std::size_t s = r + 1; s < match.size(); ++s)
      EXPECT_TRUE(oj::RowsMatch(selection.selected, r, match[r], s, match[s]));
  }
  return oj::ValueAt(selection.selected, match, columns);
}

void ExpectLeastAnonymity(const Case& one, CountingPath path) {
  const EngineInstance engine(one.instance, one.shape);
  const OracleSelection selection(one.instance, one.against);
  XyAnonymityClaim claim{.against = one.against, .x = engine.Columns(one.x), .y = engine.Columns(one.y), .k = 0};
  const auto x = selection.Columns(one.x);
  const auto anonymities = oj::Anonymities(selection.selected, x, selection.Columns(one.y));
  const auto result = FindLeastAnonymity(engine.view(), engine.releases, claim, path);
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_EQ(result.value().has_value(), !anonymities.empty());
  if (anonymities.empty()) return;
  std::uint64_t least = anonymities.begin()->second;
  for (const auto& [value, anonymity] : anonymities) least = std::min(least, anonymity);
  ASSERT_EQ(static_cast<std::uint64_t>(result.value()->values), least);
  ASSERT_EQ(anonymities.at(ValueOfWitness(selection, result.value()->witness, x)), least) << "another value on x";
  claim.k = least;
  ASSERT_FALSE(DescribeViolation(result.value(), engine.releases, claim));
  claim.k = least + 1;
  ASSERT_TRUE(DescribeViolation(result.value(), engine.releases, claim));
}

void ExpectGreatestLinkability(const Case& one, CountingPath path) {
  const EngineInstance engine(one.instance, one.shape);
  const OracleSelection selection(one.instance, one.against);
  LinkabilityTarget target{.y = engine.Columns(one.y), .values = {}, .at_most = {1, 1}};
  oj::LinkabilityLimit limit{.y = selection.Columns(one.y), .sets = std::nullopt};
  if (one.values) {
    limit.sets.emplace(1);
    for (const oj::Value& value : *one.values) {
      target.values.push_back(FromOracle(value));
      limit.sets->back().insert(value);
    }
  }
  XyLinkabilityClaim claim{.against = one.against, .x = engine.Columns(one.x), .targets = {target}};
  const auto x = selection.Columns(one.x);
  const auto greatest = oj::FindGreatestLinkability(selection.selected, x, limit);
  const auto result = FindGreatestLinkability(engine.view(), engine.releases, claim, 0, path);
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_EQ(result.value().has_value(), greatest.has_value());
  if (!greatest) return;
  const auto with_both = static_cast<std::uint64_t>(result.value()->with_both);
  const auto with_x = static_cast<std::uint64_t>(result.value()->with_x);
  ASSERT_EQ(with_both * greatest->with_x, greatest->with_both * with_x);
  // The counts are those of the witness.
  const auto all = oj::Linkabilities(selection.selected, x, limit);
  const oj::Value witness_x = ValueOfWitness(selection, result.value()->witness, x);
  const oj::Value witness_y = ValueOfWitness(selection, result.value()->witness, limit.y);
  ASSERT_TRUE(std::any_of(all.begin(), all.end(), [&](const oj::Linkability& stated) {
    return stated.x == witness_x && (with_both == 0 || oj::Holds(witness_y, stated.y)) &&
           stated.with_both == with_both && stated.with_x == with_x;
  }));
  claim.targets[0].at_most = {greatest->with_both, greatest->with_x};
  ASSERT_FALSE(DescribeViolation(result.value(), engine.releases, claim.targets[0]));
  if (greatest->with_both == 0) return;
  claim.targets[0].at_most = {greatest->with_both * 1'000'000 - 1, greatest->with_x * 1'000'000};
  ASSERT_TRUE(DescribeViolation(result.value(), engine.releases, claim.targets[0]));
}

void ExpectDangling(const Case& one) {
  const EngineInstance engine(one.instance, one.shape);
  const OracleSelection selection(one.instance, one.against);
  const auto dangling = CountDangling(engine.view(), engine.releases, one.against);
  ASSERT_TRUE(dangling.ok()) << dangling.error().message;
  const auto expected = oj::DanglingRows(selection.selected);
  ASSERT_EQ(dangling.value().size(), expected.size());
  for (std::size_t r = 0; r < expected.size(); ++r) ASSERT_EQ(dangling.value()[r], expected[r].size());
}

// Exact where every cell is one code, and some other ways to hand the same over.
std::vector<Shape> ShapesOf(const OracleInstance& instance) {
  Shape exact;
  for (std::size_t column = 0; column < instance.releases[0][0].size(); ++column) {
    exact.exact.push_back(std::ranges::all_of(instance.releases[0],
                                              [&](const oj::Row& row) { return row[column].lo == row[column].hi; }));
  }
  return {Shape{}, exact, Shape{.groups_once = false, .rows_once = false}};
}

// Each set of values by itself, as a limit has one; nothing where each value counts by itself.
std::vector<std::optional<std::vector<oj::Value>>> ListedValues(const oj::LinkabilityLimit& limit) {
  if (!limit.sets) return {std::nullopt};
  std::vector<std::optional<std::vector<oj::Value>>> listed;
  for (const oj::ValueSet& set : *limit.sets) listed.emplace_back(std::vector<oj::Value>(set.begin(), set.end()));
  return listed;
}

TEST(XyProperty, EveryExampleAndTrapHasTheNumbersOfTheDefinition) {
  std::size_t facts = 0;
  for (const Example& example : join_examples::All()) {
    for (const Shape& shape : ShapesOf(example.instance)) {
      Case one{example.instance, All(example.instance), {}, {}, std::nullopt, shape};
      ExpectDangling(one);
      for (const CountingPath path : {CountingPath::kReduced, CountingPath::kEverything}) {
        for (const auto& fact : example.anonymities) {
          one.x = fact.x, one.y = fact.y;
          ExpectLeastAnonymity(one, path);
          ++facts;
        }
        for (const auto& fact : example.linkabilities) {
          for (const auto& values : ListedValues(fact.greatest)) {
            ExpectGreatestLinkability({example.instance, one.against, fact.x, fact.greatest.y, values, shape}, path);
            ++facts;
          }
        }
      }
    }
  }
  EXPECT_GT(facts, 200u);
}

// Releases with four columns each: a taxonomy any(d(d1 d2) e(e1 e2) f), a number from 0 to 5 in ranges that overlap, a
// value from 0 to 2, and who.
class RandomCases {
 public:
  explicit RandomCases(std::uint64_t seed) : random_(SeedFromNumber(seed), "joins") {}

  Case Next() { return Next(1 + Below(10) / 4); }

  Case Next(std::size_t releases) {
    Case one;
    const std::size_t most_rows = releases == 4 ? 4 : releases == 3 ? 5 : 9;
    person_mode_ = Below(3);
    for (std::size_t release = 0; release < releases; ++release)
      one.instance.releases.push_back(Rows(release, most_rows));
    AddLinks(one.instance);
    for (std::uint32_t release = 1; release < releases; ++release) {
      if (Below(5) > 0) one.against.push_back(release);
    }
    AddQuestion(one);
    one.shape = {.exact = {false, false, Below(2) == 0}, .groups_once = Below(2) == 0, .rows_once = Below(2) == 0};
    one.shape.knows_persons = person_mode_ > 0;
    for (std::size_t release = 0; release < releases; ++release) one.shape.who.push_back({release, 3});
    return one;
  }

  std::uint32_t Below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_.Below(limit)); }

 private:
  oj::Interval Node() {
    static const std::vector<oj::Interval> nodes = {{0, 4}, {0, 1}, {2, 3}, {0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}};
    return nodes[Below(static_cast<std::uint32_t>(nodes.size()))];
  }
  oj::Interval Range() {
    const std::uint32_t lo = Below(6), hi = lo + Below(6 - lo);
    return {lo, hi};
  }
  oj::Interval Exact(std::uint32_t limit) {
    const std::uint32_t code = Below(limit);
    return {code, code};
  }

  std::vector<oj::Row> Rows(std::size_t release, std::size_t most_rows) {
    std::vector<oj::Row> rows;
    const std::size_t count = Below(static_cast<std::uint32_t>(most_rows) + 1);
    for (std::uint32_t row = 0; row < count; ++row) {
      const bool is_like_another = !rows.empty() && Below(3) == 0;
      rows.push_back(is_like_another ? rows[Below(static_cast<std::uint32_t>(rows.size()))]
                                     : oj::Row{Node(), Range(), Exact(3), {}});
      rows.back()[3] = release == 0 && person_mode_ == 2 ? Exact(4) : oj::Interval{row, row};
    }
    return rows;
  }

  oj::Columns SomeReleases(std::size_t releases, std::size_t column) {
    oj::Columns columns;
    for (std::size_t release = 0; release < releases; ++release) {
      if (Below(4) > 0) columns.push_back({release, column});
    }
    return columns;
  }

  void AddLinks(OracleInstance& instance) {
    const std::size_t releases = instance.releases.size();
    if (Below(4) > 0) instance.common.push_back({SomeReleases(releases, 0), false});
    if (Below(2) > 0) instance.common.push_back({SomeReleases(releases, 1), Below(3) > 0});
    for (std::uint32_t pair = Below(3); releases > 1 && pair > 0; --pair) {
      const auto left = Below(static_cast<std::uint32_t>(releases));
      const auto right = (left + 1 + Below(static_cast<std::uint32_t>(releases) - 1)) % releases;
      const std::size_t left_column = Below(3), right_column = Below(3);
      instance.impossible.push_back({{left, left_column}, Node(), {right, right_column}, Node()});
    }
  }

  void AddQuestion(Case& one) {
    std::vector<std::size_t> taking_part = {0};
    taking_part.insert(taking_part.end(), one.against.begin(), one.against.end());
    const bool joins_in_x = Below(2) == 0;
    for (const std::size_t release : taking_part) {
      for (std::size_t column = 0; column < 4; ++column) {
        const OracleColumn at{release, column};
        const std::uint32_t die = Below(6);
        if (column < 3 && (joins_in_x || die < 2))
          one.x.push_back(at);
        else if (die >= 4)
          one.y.push_back(at);
      }
    }
    if (one.y.empty()) one.y = {{taking_part[Below(static_cast<std::uint32_t>(taking_part.size()))], Below(2) + 2}};
  }

  Random random_;
  std::size_t person_mode_ = 0;
};

// One to three values, each a range for every one of so many columns.
std::vector<oj::Value> RandomValues(RandomCases& cases, std::size_t columns) {
  std::vector<oj::Value> values;
  for (std::uint32_t count = 1 + cases.Below(columns == 1 ? 2 : 3); count > 0; --count) {
    oj::Value& value = values.emplace_back();
    for (std::size_t column = 0; column < columns; ++column) {
      const std::uint32_t lo = cases.Below(5), hi = lo + cases.Below(3);
      value.push_back({lo, hi});
    }
  }
  return values;
}

// What a limit is asked for: one column, or a combination as the case has it, now and then with listed values.
void AskLimit(Case& one, RandomCases& cases, std::size_t number, std::size_t listed_every) {
  if (number % 4 < 2) one.y.resize(1);
  if (number % listed_every != 0) return;
  const auto is_who = [](OracleColumn at) { return at.column == 3; };
  if (!std::ranges::all_of(one.y, is_who)) std::erase_if(one.y, is_who);
  if (std::ranges::none_of(one.y, is_who)) one.values = RandomValues(cases, one.y.size());
}

// What a run of random cases has seen, so that none of the kinds is missing by accident.
struct Seen {
  std::size_t joins = 0, of_three = 0, new_side = 0, earlier_side = 0, both_sides = 0, who_new = 0, who_earlier = 0,
              several_rows = 0, above_one = 0;

  void Add(const Case& one) {
    const OracleSelection selection(one.instance, one.against);
    const auto anonymities = oj::Anonymities(selection.selected, selection.Columns(one.x), selection.Columns(one.y));
    if (anonymities.empty()) return;
    ++joins;
    if (one.against.size() == 2) ++of_three;
    const bool in_new = std::ranges::any_of(one.y, [](OracleColumn at) { return at.release == 0; });
    const bool in_earlier = std::ranges::any_of(one.y, [](OracleColumn at) { return at.release > 0; });
    ++(in_new && in_earlier ? both_sides : in_new ? new_side : earlier_side);
    for (const OracleColumn at : one.y) {
      if (at.column == 3) ++(at.release == 0 ? who_new : who_earlier);
    }
    std::set<oj::Interval> persons;
    for (const oj::Row& row : one.instance.releases[0]) persons.insert(row[3]);
    if (persons.size() < one.instance.releases[0].size()) ++several_rows;
    if (std::ranges::all_of(anonymities, [](const auto& entry) { return entry.second > 1; })) ++above_one;
  }
};

TEST(XyProperty, RandomJoinsHaveTheAnonymityOfTheDefinitionOnBothPaths) {
  RandomCases cases(21);
  Seen seen;
  for (std::size_t i = 0; i < 30'000; ++i) {
    const Case one = cases.Next();
    SCOPED_TRACE(i);
    ExpectLeastAnonymity(one, CountingPath::kReduced);
    ExpectLeastAnonymity(one, CountingPath::kEverything);
    if (::testing::Test::HasFailure()) return;
    seen.Add(one);
  }
  EXPECT_GT(seen.joins, 15'000u);
  EXPECT_GT(std::min({seen.of_three, seen.new_side, seen.earlier_side, seen.both_sides, seen.who_new, seen.who_earlier,
                      seen.several_rows, seen.above_one}),
            1000u);
}

TEST(XyProperty, RandomJoinsHaveTheLinkabilityOfTheDefinitionOnBothPaths) {
  RandomCases cases(22);
  Seen seen;
  std::size_t combinations = 0, listed_combinations = 0, mixed = 0, listed_mixed = 0, listed_in_two_earlier = 0;
  for (std::size_t i = 0; i < 30'000; ++i) {
    Case one = cases.Next();
    SCOPED_TRACE(i);
    AskLimit(one, cases, i, 3);
    ExpectGreatestLinkability(one, CountingPath::kReduced);
    ExpectGreatestLinkability(one, CountingPath::kEverything);
    if (::testing::Test::HasFailure()) return;
    seen.Add(one);
    const auto is_new = [](OracleColumn at) { return at.release == 0; };
    const auto new_columns = static_cast<std::size_t>(std::ranges::count_if(one.y, is_new));
    const bool is_mixed = new_columns > 0 && new_columns < one.y.size();
    if (one.y.size() > 1) ++(one.values ? listed_combinations : combinations);
    if (is_mixed) ++(one.values ? listed_mixed : mixed);
    const bool is_of_two = std::ranges::any_of(one.y, [](OracleColumn at) { return at.release == 1; }) &&
                           std::ranges::any_of(one.y, [](OracleColumn at) { return at.release == 2; });
    if (one.values && is_of_two) ++listed_in_two_earlier;
  }
  EXPECT_GT(std::min({combinations, listed_combinations, mixed, listed_mixed, listed_in_two_earlier}), 100u);
  EXPECT_GT(seen.joins, 15'000u);
}

TEST(XyProperty, RandomJoinsHaveTheDanglingRecordsOfTheDefinition) {
  RandomCases cases(23);
  for (std::size_t i = 0; i < 10'000; ++i) {
    SCOPED_TRACE(i);
    ExpectDangling(cases.Next());
    if (::testing::Test::HasFailure()) return;
  }
}

std::vector<std::size_t> AsNumbers(const std::vector<std::uint32_t>& against) {
  return {against.begin(), against.end()};
}

// Results that were seen, and how many depended on what the whole requirement has beside the join of all releases.
struct Results {
  std::size_t holds = 0, fails = 0, by_outside = 0, by_selection = 0, by_emptiness = 0;

  void Add(bool expected, const std::optional<XyViolation>& found, bool holds_in_join, std::size_t releases) {
    ++(expected ? holds : fails);
    if (!found || !holds_in_join) return;
    if (found->fault == XyFault::kOutsideJoin) ++by_outside;
    if (found->fault == XyFault::kEmptyJoin) ++by_emptiness;
    if (found->fault == XyFault::kInJoin && releases > 1) ++by_selection;
  }
  std::size_t Fewest() const { return std::min({holds, fails, by_outside, by_selection, by_emptiness}); }
};

TEST(XyProperty, AnonymityIsVerifiedOverEverySelectionOfReleasesAndOutsideOfThem) {
  RandomCases cases(31);
  Results seen;
  for (std::size_t i = 0; i < TestRounds(6000); ++i) {
    Case one = cases.Next(1 + cases.Below(4));
    if (i % 2 == 0 && !one.against.empty()) std::erase_if(one.x, [](OracleColumn at) { return at.release != 0; });
    const EngineInstance engine(one.instance, one.shape);
    const OracleSelection all(one.instance, one.against);
    for (std::uint64_t k = 1; k <= 3; ++k) {
      for (const bool allows_dangling : {false, true}) {
        const XyAnonymityClaim claim{one.against, engine.Columns(one.x), engine.Columns(one.y), k, allows_dangling};
        const bool in_join = oj::IsAnonymous(all.selected, all.Columns(one.x), all.Columns(one.y), k);
        const bool expected =
            oj::KeepsAnonymity(one.instance, AsNumbers(one.against), one.x, one.y, k, allows_dangling);
        const auto violation = FindXyAnonymityViolation(engine.view(), engine.releases, claim);
        ASSERT_EQ(!violation, expected) << "case " << i << " k " << k << " allows " << allows_dangling << ": "
                                        << (violation ? violation->words : "holds");
        seen.Add(expected, violation, in_join, one.against.size());
      }
    }
  }
  EXPECT_GT(seen.Fewest(), 10u);
}

TEST(XyProperty, LinkabilityIsVerifiedOverEverySelectionOfReleasesAndOutsideOfThem) {
  RandomCases cases(32);
  Results seen;
  for (std::size_t i = 0; i < TestRounds(6000); ++i) {
    Case one = cases.Next(1 + cases.Below(4));
    if (i % 2 == 0 && !one.against.empty()) std::erase_if(one.x, [](OracleColumn at) { return at.release != 0; });
    AskLimit(one, cases, i, 3);
    const EngineInstance engine(one.instance, one.shape);
    const OracleSelection all(one.instance, one.against);
    for (const std::uint64_t num : {1, 2, 3}) {
      for (const bool allows_dangling : {false, true}) {
        LinkabilityTarget target{engine.Columns(one.y), {}, {num, 4}};
        oj::LinkabilityLimit limit{one.y, std::nullopt, num, 4};
        if (one.values) {
          limit.sets.emplace(1);
          for (const oj::Value& value : *one.values) {
            target.values.push_back(FromOracle(value));
            limit.sets->back().insert(value);
          }
        }
        oj::LinkabilityLimit in_all = limit;
        in_all.y = all.Columns(one.y);
        const bool in_join = oj::KeepsLimit(all.selected, all.Columns(one.x), in_all);
        const bool expected = oj::KeepsLinkability(one.instance, AsNumbers(one.against), one.x, limit, allows_dangling);
        const auto violation = FindXyLinkabilityViolation(
            engine.view(), engine.releases, {one.against, engine.Columns(one.x), {target}, allows_dangling});
        ASSERT_EQ(!violation, expected) << "case " << i << " limit " << num << " allows " << allows_dangling << ": "
                                        << (violation ? violation->words : "holds");
        seen.Add(expected, violation, in_join, one.against.size());
      }
    }
  }
  EXPECT_GT(seen.Fewest(), 10u);
}

// Two releases with some thousand rows, so that tasks share the counting.
Case LargerCase(Random& random, std::size_t rows) {
  Case one;
  for (std::size_t release = 0; release < 2; ++release) {
    one.instance.releases.emplace_back();
    for (std::uint32_t row = 0; row < rows; ++row) {
      const auto cell = [&](std::uint32_t limit) {
        const auto code = static_cast<std::uint32_t>(random.Below(limit));
        return oj::Interval{code, code};
      };
      one.instance.releases[release].push_back({cell(40), cell(5), cell(30), {row, row}});
    }
  }
  one.against = {1};
  one.instance.common = {{{{0, 0}, {1, 0}}, false}, {{{0, 1}, {1, 1}}, true}};
  one.shape.who = {{0, 3}, {1, 3}};
  return one;
}

TEST(XyProperty, ThreadsChangeNeitherNumbersNorWitnesses) {
  Random random(SeedFromNumber(24), "threads");
  Case one = LargerCase(random, 3000);
  const EngineInstance engine(one.instance, one.shape);
  for (const oj::Columns& x : {oj::Columns{{0, 2}}, oj::Columns{{0, 0}, {0, 2}, {1, 0}}}) {
    const XyAnonymityClaim anonymity{
        .against = {1}, .x = engine.Columns(x), .y = engine.Columns({{0, 3}, {1, 2}}), .k = 1'000'000'000};
    const XyLinkabilityClaim linkability{
        .against = {1}, .x = engine.Columns(x), .targets = {{engine.Columns({{1, 2}}), {}, Ratio{1, 1'000'000}}}};
    std::set<std::string> texts;
    for (const std::size_t threads : {1, 2, 4}) {
      const ThreadLimit limit(threads);
      const XyViolation nothing{XyFault::kInJoin, "nothing"};
      texts.insert("a " + FindXyAnonymityViolation(engine.view(), engine.releases, anonymity).value_or(nothing).words);
      texts.insert("l " +
                   FindXyLinkabilityViolation(engine.view(), engine.releases, linkability).value_or(nothing).words);
    }
    EXPECT_EQ(texts.size(), 2u);
    EXPECT_FALSE(texts.contains("a nothing") || texts.contains("l nothing"));
  }
}

TEST(XyProperty, ManyRowsHaveTheNumbersOfTheDefinition) {
  Random random(SeedFromNumber(25), "larger");
  Case one = LargerCase(random, 600);
  for (const CountingPath path : {CountingPath::kReduced, CountingPath::kEverything}) {
    for (const oj::Columns& x : {oj::Columns{{0, 2}}, oj::Columns{{0, 0}, {0, 1}, {1, 0}, {1, 1}}}) {
      one.x = x;
      for (const oj::Columns& y : {oj::Columns{{0, 3}}, oj::Columns{{1, 2}}, oj::Columns{{0, 3}, {1, 2}}}) {
        one.y = y;
        ExpectLeastAnonymity(one, path);
      }
      for (const oj::Columns& y : {oj::Columns{{1, 2}}, oj::Columns{{0, 1}, {1, 2}}}) {
        one.y = y;
        ExpectGreatestLinkability(one, path);
      }
    }
  }
}

}  // namespace
}  // namespace pentimento::property::xy_property_test
