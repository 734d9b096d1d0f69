#include "audit/moved_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/check_testing.h"
#include "base/random.h"
#include "base/rounds_testing.h"

namespace pentimento::moved_rows_test {
namespace {

constexpr std::uint32_t kNodeCodes = 10;

// Nodes of a local recoding, side by side. Of each the finer class has codes 0 to 4 of the node's ten, the coarser all
// ten; rows are those that fit the finer one, of which some are moved, and rows of the coarser one that do not.
struct Recoding {
  Classes classes{.columns = 1};
  std::vector<Interval> known;
  std::vector<std::uint32_t> values;

  // `is_moved` parallel to `fits`.
  void AddNode(const std::vector<std::uint32_t>& fits, const std::vector<bool>& is_moved,
               const std::vector<std::uint32_t>& others) {
    const Code from = classes.count() / 2 * kNodeCodes;
    const ClassNumber finer = classes.count(), coarser = finer + 1;
    classes.boxes.push_back({from, from + 4});
    classes.boxes.push_back({from, from + kNodeCodes - 1});
    for (std::size_t row = 0; row < fits.size(); ++row)
      AddRow(from + static_cast<Code>(row % 5), is_moved[row] ? coarser : finer, fits[row]);
    for (const std::uint32_t value : others) AddRow(from + 7, coarser, value);
  }
  MovedQuestion question(std::optional<Ratio> at_most = {}) const { return {classes, known, values, at_most}; }

 private:
  void AddRow(Code code, ClassNumber number, std::uint32_t value) {
    known.push_back({code, code});
    classes.of_row.push_back(number);
    values.push_back(value);
  }
};

// Calls body(is_moved) for every choice of `moved` of `rows`.
template <typename Body>
void ForEachChoice(std::size_t rows, std::size_t moved, const Body& body) {
  std::vector<bool> is_moved(rows);
  std::fill(is_moved.end() - static_cast<std::ptrdiff_t>(moved), is_moved.end(), true);
  do body(is_moved);
  while (std::next_permutation(is_moved.begin(), is_moved.end()));
}

bool Keeps(const std::vector<std::uint32_t>& bag, Ratio at_most) {
  return std::ranges::all_of(bag, [&](std::uint32_t value) {
    return static_cast<std::uint64_t>(std::ranges::count(bag, value)) * at_most.den <= bag.size() * at_most.num;
  });
}

void ExpectTrueBounds(std::vector<double> ps) {
  std::ranges::sort(ps);
  for (std::size_t i = 0; i < ps.size(); ++i) {
    if (i + 1 < ps.size() && ps[i + 1] <= ps[i] * (1 + 1e-9)) continue;
    ASSERT_LE(static_cast<double>(i + 1) / static_cast<double>(ps.size()), ps[i] * (1 + 1e-9));
  }
}

std::vector<std::uint32_t> DrawValues(Random& random, std::size_t rows, std::uint32_t values) {
  std::vector<std::uint32_t> drawn;
  for (std::size_t row = 0; row < rows; ++row) drawn.push_back(random.Below(values));
  return drawn;
}

TEST(MovedRows, NoPIsSmallerThanTheChanceOverAllChoices) {
  Random random(SeedFromNumber(1), "rows");
  for (int round = 0; round < 60; ++round) {
    const std::vector<std::uint32_t> first = DrawValues(random, 2 + random.Below(6), 3);
    const std::vector<std::uint32_t> second = DrawValues(random, 2 + random.Below(4), 3);
    std::vector<double> ps;
    ForEachChoice(first.size(), 1 + random.Below(static_cast<std::uint32_t>(first.size()) - 1), [&](const auto& one) {
      ForEachChoice(second.size(), 1, [&](const auto& other) {
        Recoding recoding;
        recoding.AddNode(first, one, {0, 1});
        recoding.AddNode(second, other, {1, 2});
        ps.push_back(FindMovedRows(recoding.question()).p);
      });
    });
    ASSERT_NO_FATAL_FAILURE(ExpectTrueBounds(ps)) << round;
  }
}

TEST(MovedRows, NoPIsSmallerThanTheChanceOverAllChoicesWithinTheLimits) {
  Random random(SeedFromNumber(2), "rows");
  int limited = 0;
  for (std::size_t round = 0; round < TestRounds(400); ++round) {
    const Ratio at_most = round % 2 == 0 ? Ratio{1, 2} : Ratio{2, 3};
    const std::vector<std::uint32_t> fits = DrawValues(random, 3 + random.Below(6), 3);
    const std::vector<std::uint32_t> others = DrawValues(random, 1 + random.Below(3), 3);
    std::vector<double> ps;
    std::size_t choices = 0;
    ForEachChoice(fits.size(), 1 + random.Below(static_cast<std::uint32_t>(fits.size()) - 1), [&](const auto& moved) {
      ++choices;
      std::vector<std::uint32_t> finer, coarser = others;
      for (std::size_t row = 0; row < fits.size(); ++row) (moved[row] ? coarser : finer).push_back(fits[row]);
      if (!Keeps(finer, at_most) || !Keeps(coarser, at_most)) return;
      Recoding recoding;
      recoding.AddNode(fits, moved, others);
      ps.push_back(FindMovedRows(recoding.question(at_most)).p);
    });
    limited += !ps.empty() && ps.size() < choices ? 1 : 0;
    ASSERT_NO_FATAL_FAILURE(ExpectTrueBounds(ps)) << round;
  }
  EXPECT_GT(limited, TestRounds(50));
}

// What a node does with its rows that fit the finer class.
using MoveRule = std::vector<bool> (*)(const std::vector<std::uint32_t>& fits, std::size_t moved, Random& random);

std::vector<bool> MoveAnyRows(const std::vector<std::uint32_t>& fits, std::size_t moved, Random& random) {
  std::vector<bool> is_moved(fits.size());
  for (std::size_t left = moved; left > 0;) {
    const std::uint32_t row = random.Below(static_cast<std::uint32_t>(fits.size()));
    if (is_moved[row]) continue;
    is_moved[row] = true;
    --left;
  }
  return is_moved;
}

// Rows of the value that is most frequent among those that are left.
std::vector<bool> MoveFrequentValues(const std::vector<std::uint32_t>& fits, std::size_t moved, Random&) {
  std::vector<bool> is_moved(fits.size());
  for (; moved > 0; --moved) {
    std::map<std::uint32_t, std::uint32_t> count;
    for (std::size_t row = 0; row < fits.size(); ++row) count[fits[row]] += is_moved[row] ? 0 : 1;
    const auto most = std::ranges::max_element(count, {}, [](const auto& of) { return of.second; })->first;
    std::size_t row = 0;
    while (fits[row] != most || is_moved[row]) ++row;
    is_moved[row] = true;
  }
  return is_moved;
}

std::vector<bool> MoveValueZeroFirst(const std::vector<std::uint32_t>& fits, std::size_t moved, Random& random) {
  const auto zero = std::ranges::find(fits, 0u);
  if (zero == fits.end() || random.Below(2) == 0) return MoveAnyRows(fits, moved, random);
  std::vector<bool> is_moved(fits.size());
  is_moved[static_cast<std::size_t>(zero - fits.begin())] = true;
  return is_moved;
}

Recoding Recode(MoveRule rule, std::size_t nodes, std::uint64_t seed) {
  Random random(SeedFromNumber(seed), "rows");
  Recoding recoding;
  for (std::size_t node = 0; node < nodes; ++node) {
    const std::vector<std::uint32_t> fits = DrawValues(random, 5 + random.Below(8), 6);
    recoding.AddNode(fits, rule(fits, rule == MoveValueZeroFirst ? 1 : 1 + random.Below(2), random),
                     DrawValues(random, 2, 6));
  }
  return recoding;
}

TEST(MovedRows, RowsThatAreDrawnAtRandomAreNoFinding) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Recoding recoding = Recode(MoveAnyRows, 100, seed);
    const MovedRows found = FindMovedRows(recoding.question());
    EXPECT_GT(found.moved, 100);
    EXPECT_EQ(found.tested, found.moved);
    EXPECT_EQ(found.homes, 100);
    EXPECT_GT(found.p, 1e-4) << seed;
  }
}

TEST(MovedRows, ChoosingFrequentValuesIsFoundThoughNoValueIsMoreLikelyThanAnother) {
  const Recoding recoding = Recode(MoveFrequentValues, 300, 1);
  const MovedRows found = FindMovedRows(recoding.question());
  EXPECT_LT(found.p, 1e-6);
  EXPECT_FALSE(found.value.has_value());
  EXPECT_GT(found.observed, found.expected);
}

TEST(MovedRows, ChoosingOneValueIsFound) {
  const Recoding recoding = Recode(MoveValueZeroFirst, 300, 2);
  const MovedRows found = FindMovedRows(recoding.question());
  EXPECT_LT(found.p, 1e-6);
  EXPECT_EQ(found.value, 0);
  EXPECT_GT(found.observed, found.expected);
  EXPECT_EQ(found.tests, 7) << "six values, and shares";
}

// Two of one value among three that fit, one moved: alpha = 1/2 leaves no choice but one of the two.
TEST(MovedRows, WhatTheLimitsForcedIsNoFindingWhereTheyAreGiven) {
  Recoding recoding;
  for (std::uint32_t node = 0; node < 200; ++node) recoding.AddNode({0, 0, 1}, {true, false, false}, {1});
  EXPECT_LT(FindMovedRows(recoding.question()).p, 1e-6);
  const MovedRows found = FindMovedRows(recoding.question(Ratio{1, 2}));
  EXPECT_EQ(found.p, 1);
  EXPECT_EQ(found.moved, 200);
  EXPECT_LT(FindMovedRows(recoding.question(Ratio{1, 4})).p, 1e-6) << "a limit that was not kept forced nothing";
}

// Three fit, one moved: by itself that is nothing, whatever its value. every_world_test.cc has what the algorithm
// tells.
TEST(MovedRows, OneRowOfThreeProvesNothing) {
  Recoding recoding;
  recoding.AddNode({1, 3, 2}, {false, false, true}, {1});
  const MovedRows found = FindMovedRows(recoding.question());
  EXPECT_EQ(found.moved, 1);
  EXPECT_EQ(found.witness, 2);
  EXPECT_EQ(found.p, 1);
}

TEST(MovedRows, ClassesThatDoNotOverlapAndTwoTablesHaveNone) {
  Classes classes{.columns = 1, .boxes = {{0, 4}, {5, 9}}, .of_row = {0, 0, 1, 1}};
  const std::vector<Interval> known = {{0, 0}, {4, 4}, {5, 5}, {9, 9}};
  const std::vector<std::uint32_t> values = {1, 1, 2, 2};
  EXPECT_EQ(FindMovedRows({classes, known, values}).moved, 0);
  classes = ClassesWithoutBoxes(2, {0, 1, 0, 1});
  EXPECT_EQ(FindMovedRows({classes, {}, values}).moved, 0);
}

TEST(MovedRows, TheHomeIsTheFinestClassInsideTheOwnOne) {
  // [0,9] has [0,4] has [0,1]; [3,6] lies in [0,9] alone; equal boxes are no finer than each other.
  const Classes classes{
      .columns = 1, .boxes = {{0, 9}, {0, 4}, {0, 1}, {3, 6}, {0, 9}}, .of_row = {0, 1, 2, 3, 4, 0, 1, 0}};
  const std::vector<Interval> known = {{0, 0}, {1, 1}, {0, 0}, {4, 4}, {8, 8}, {3, 3}, {2, 2}, {0, 2}};
  const MovedRows found = FindMovedRows({classes, known, {}});
  // Rows 0 and 1 fit [0,1], row 5 fits [3,6] with four codes, row 7 is only known to lie in [0,4].
  EXPECT_EQ(found.moved, 4);
  EXPECT_EQ(found.homes, 3);
  EXPECT_EQ(found.witness, 0);
  EXPECT_EQ(found.tests, 0);
  EXPECT_EQ(found.p, 1);
}

TEST(MovedRows, RowsWithoutQuasiIdentifiersAreABugOfOurs) {
  const Classes classes{.columns = 1, .boxes = {{0, 9}}, .of_row = {0}};
  EXPECT_NE(FailedCheckIn([&] { (void)FindMovedRows({classes, {}, {}}); }).find("quasi"), std::string::npos);
}

}  // namespace
}  // namespace pentimento::moved_rows_test
