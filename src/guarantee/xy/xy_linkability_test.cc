// Boundaries, traps and words. Examples of the paper and random joins are held against the definition in
// tests/property/xy_property_test.cc.
#include "guarantee/xy/xy_linkability.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "guarantee/xy/small_join_testing.h"

namespace pentimento::xy_linkability_test {
namespace {

constexpr auto kC = SmallJoin::kC, kY = SmallJoin::kY, kLabel = SmallJoin::kLabel;

SmallJoin::NewRow Row(Code c, Interval d, Code label = 0) { return {{c, c}, d, label}; }

// A limit for one column.
LinkabilityTarget One(ReleaseColumn y, const std::vector<Interval>& values, Ratio at_most) {
  LinkabilityTarget target{{y}, {}, at_most};
  for (const Interval value : values) target.values.push_back({value});
  return target;
}

std::string Text(const SmallJoin& join, const XyLinkabilityClaim& claim) {
  const XyViolation holds{XyFault::kInJoin, "holds"};
  return FindXyLinkabilityViolation(join.view(), join.releases, claim).value_or(holds).words;
}

TEST(XyLinkability, TwentyNineOfAHundredAreAllowedAtTwentyNinePercentAndNoLess) {
  const SmallJoin join({Row(0, {0, 0})}, {{{0, 0}, {0, 0}, 29}, {{0, 0}, {1, 1}, 71}});
  EXPECT_EQ(Text(join, {{1}, {kC}, {One(kY, {{0, 0}}, {29, 100})}}), "holds");
  EXPECT_EQ(
      Text(join, {{1}, {kC}, {One(kY, {{0, 0}}, {28, 100})}}),
      "a value on x occurs 100 times in the join, 29 of them with the listed values on y: more than the 28/100 that "
      "are allowed (row 1 of the input has it, with records like record 1 of 'immigration-2025')");
  EXPECT_EQ(Text(join, {{1}, {kC}, {One(kY, {}, {71, 100})}}), "holds");
  EXPECT_EQ(Text(join, {{1}, {kC}, {One(kY, {}, {7, 10})}}),
            "a value on x occurs 100 times in the join, 71 of them with one value on y: more than the 7/10 that are "
            "allowed (row 1 of the input has it, with records like record 30 of 'immigration-2025')");
}

TEST(XyLinkability, ListedValuesCountTogetherAndOnlyInside) {
  const SmallJoin join({Row(0, {0, 0})}, {{{0, 0}, {0, 0}, 1}, {{0, 0}, {1, 1}, 1}, {{0, 0}, {0, 2}, 2}});
  EXPECT_EQ(Text(join, {{1}, {kC}, {One(kY, {{0, 0}, {1, 1}}, {1, 2})}}), "holds");
  EXPECT_NE(Text(join, {{1}, {kC}, {One(kY, {{0, 0}, {1, 1}}, {49, 100})}}).find("2 of them"), std::string::npos);
  EXPECT_EQ(Text(join, {{1}, {kC}, {One(kY, {{7, 7}}, {0, 1})}}), "holds");
}

TEST(XyLinkability, EveryTargetHasItsOwnLimit) {
  const SmallJoin join({Row(0, {0, 0}, 1), Row(0, {0, 0}, 2)}, {{{0, 0}, {0, 0}, 1}, {{0, 0}, {1, 1}, 2}});
  const LinkabilityTarget first = One(kY, {{1, 1}}, {2, 3}), second = One(kLabel, {{2, 2}}, {1, 2});
  EXPECT_EQ(Text(join, {{1}, {kC}, {first, second}}), "holds");
  LinkabilityTarget tighter = second;
  tighter.at_most = {49, 100};
  EXPECT_NE(Text(join, {{1}, {kC}, {first, tighter}}).find("occurs 6 times in the join, 3 of them"), std::string::npos);
  EXPECT_NE(Text(join, {{1}, {kC}, {first, tighter}}).find("row 2 of the input"), std::string::npos);
}

TEST(XyLinkability, ACombinationCountsWhereAllItsPartsAreThere) {
  // Of 6 matches of x = 0, label 1 is in 3 and y = 1 in 4; both together are in 2.
  const SmallJoin join({Row(0, {0, 0}, 1), Row(0, {0, 0}, 2)}, {{{0, 0}, {0, 0}, 1}, {{0, 0}, {1, 1}, 2}});
  const std::vector<ReleaseColumn> both = {kLabel, kY};
  EXPECT_EQ(Text(join, {{1}, {kC}, {{both, {{{1, 1}, {1, 1}}}, {1, 3}}}}), "holds");
  EXPECT_EQ(Text(join, {{1}, {kC}, {{both, {{{1, 1}, {1, 1}}}, {33, 100}}}}),
            "a value on x occurs 6 times in the join, 2 of them with the listed values on y: more than the 33/100 that "
            "are allowed (row 1 of the input has it, with records like record 2 of 'immigration-2025')");
  EXPECT_EQ(Text(join, {{1}, {kC}, {{both, {}, {1, 3}}}}), "holds");
  EXPECT_NE(Text(join, {{1}, {kC}, {{both, {}, {33, 100}}}}).find("2 of them with one value on y"), std::string::npos);
  // (1,1) or (2,1) are 4 of 6, (1,1) or (2,0) are 3 of 6: no product of a set here and a set there.
  EXPECT_EQ(Text(join, {{1}, {kC}, {{both, {{{1, 1}, {1, 1}}, {{2, 2}, {1, 1}}}, {4, 6}}}}), "holds");
  EXPECT_NE(Text(join, {{1}, {kC}, {{both, {{{1, 1}, {1, 1}}, {{2, 2}, {1, 1}}}, {3, 6}}}}), "holds");
  EXPECT_EQ(Text(join, {{1}, {kC}, {{both, {{{1, 1}, {1, 1}}, {{2, 2}, {0, 0}}}, {3, 6}}}}), "holds");
  EXPECT_NE(Text(join, {{1}, {kC}, {{both, {{{1, 1}, {1, 1}}, {{2, 2}, {0, 0}}}, {49, 100}}}}), "holds");
  // A match that is inside two of them counts once.
  EXPECT_EQ(Text(join, {{1}, {kC}, {{both, {{{1, 1}, {1, 1}}, {{1, 2}, {1, 1}}}, {4, 6}}}}), "holds");
}

TEST(XyLinkability, RowsThatMatchNothingSayNothingOfACombinationWithAnEarlierColumn) {
  const SmallJoin join({Row(0, {0, 0}, 1), Row(1, {2, 2}, 2)}, {{{0, 0}, {0, 0}, 1}});
  EXPECT_EQ(Text(join, {{1}, {kC}, {{{kLabel, kY}, {{{2, 2}, {0, 0}}}, {1, 2}}}}), "holds");
}

TEST(XyLinkability, AnEmptyJoinPromisesNothingAndIsRefused) {
  const SmallJoin join({Row(0, {0, 0})}, {{{1, 1}, {0, 0}, 1}});
  EXPECT_NE(Text(join, {{1}, {kC}, {One(kY, {}, {1, 1})}, true}).find("no row of this table matches"),
            std::string::npos);
}

TEST(XyLinkability, RowsThatMatchNothingKeepTheLimitsOfTheirOwnColumns) {
  const SmallJoin join({Row(0, {0, 0}, 1), Row(0, {0, 0}, 2), Row(0, {2, 2}, 2)}, {{{0, 0}, {0, 0}, 1}});
  EXPECT_EQ(Text(join, {{1}, {kC}, {One(kLabel, {{2, 2}}, {1, 2})}}),
            "a value on x occurs once, 1 of them with the listed values on y: more than the 1/2 that are allowed "
            "(row 3 of the input has it), and matches no record of 'immigration-2025'");
  EXPECT_EQ(Text(join, {{1}, {kC}, {One(kLabel, {{2, 2}}, {1, 2})}, true}), "holds");
  EXPECT_EQ(Text(join, {{1}, {kC}, {One(kLabel, {{1, 1}}, {1, 2})}}), "holds");
  EXPECT_EQ(Text(join, {{1}, {kC}, {One(kY, {}, {1, 1})}}), "holds");
}

TEST(XyLinkability, ProductsBeyond128BitsAreComparedExactly) {
  // a(x,y) of a(x) is (2^62 - 1) of (2^63 - 1), times 2^63 records of the third release.
  const std::uint64_t many = (std::uint64_t{1} << 62) - 1;
  SmallJoin join({Row(0, {0, 0})}, {{{0, 0}, {0, 0}, many}, {{0, 0}, {1, 1}, many + 1}});
  join.AddEarlier("other", {{{0, 0}, {0, 0}, std::uint64_t{1} << 63}});
  const std::uint64_t all = 2 * many + 1;
  EXPECT_EQ(Text(join, {{1, 2}, {kC}, {One(kY, {{0, 0}}, {many, all})}}), "holds");
  // A little less than that: the difference of the two fractions is about 2^-126.
  EXPECT_NE(Text(join, {{1, 2}, {kC}, {One(kY, {{0, 0}}, {many - 1, all - 2})}}), "holds");
  EXPECT_EQ(Text(join, {{1, 2}, {kC}, {One(kY, {{0, 0}}, {1, 2})}}), "holds");
}

TEST(XyLinkability, WhatCannotBeCountedIsNotAccepted) {
  const std::uint64_t many = std::uint64_t{1} << 62;
  SmallJoin join({Row(0, {0, 0}), Row(1, {0, 0})}, {{{0, 0}, {0, 0}, many}, {{0, 0}, {1, 1}, many}});
  join.AddEarlier("second", {{{0, 0}, {0, 0}, many}});
  join.AddEarlier("third", {{{0, 0}, {0, 0}, many}});
  const XyLinkabilityClaim claim{{1, 2, 3}, {kC}, {One(kY, {}, {1, 1})}};
  EXPECT_NE(Text(join, claim).find("nothing can be proved"), std::string::npos);
  EXPECT_FALSE(FindGreatestLinkability(join.view(), join.releases, claim, 0, CountingPath::kEverything).ok());
}

TEST(XyLinkability, WhatCannotBeCountedIsNotForgottenForSomethingWorseThatCan) {
  // With x = 0 four values on y have 2^127 rows of the join each, with x = 1 one value has all rows.
  SmallJoin join({Row(0, {0, 0})}, {{{0, 1}, {0, 0}, std::uint64_t{1} << 63}});
  join.AddEarlier("second", {{{0, 0}, {0, 0}, 8}});
  const std::uint64_t many = std::uint64_t{1} << 61;
  join.AddEarlier("third", {{{0, 0}, {0, 0}, many},
                            {{0, 0}, {1, 1}, many},
                            {{0, 0}, {2, 2}, many},
                            {{0, 0}, {3, 3}, many},
                            {{1, 1}, {0, 0}, 1}});
  join.releases.common = {{{SmallJoin::kD2, {3, 0}}, false}};
  EXPECT_NE(Text(join, {{1, 2, 3}, {{3, 0}}, {One({3, 1}, {}, {1, 1})}}).find("nothing can be proved"),
            std::string::npos);
}

TEST(XyLinkability, WhatDoesNotFitTogetherIsNeverAccepted) {
  const SmallJoin join({Row(0, {0, 0})}, {{{0, 0}, {0, 0}, 1}});
  EXPECT_EQ(Text(join, {{1}, {kC}, {}}), "the requirement limits nothing");
  EXPECT_EQ(Text(join, {{}, {kC}, {One(kY, {}, {1, 1})}}), "y names a column that is not in the join");
  EXPECT_EQ(Text(join, {{1}, {kC}, {One(SmallJoin::kPerson, {{0, 0}}, {1, 1})}}),
            "who a row is about has no listed values");
  EXPECT_EQ(Text(join, {{1}, {kC}, {One(kY, {}, {1, 0})}}), "a limit is no fraction");
  EXPECT_EQ(Text(join, {{1}, {kC}, {{{kLabel, kY}, {{{0, 0}}}, {1, 1}}}}),
            "a listed value has not one part for each column of y");
  EXPECT_EQ(Text(join, {{1}, {kC}, {{{}, {}, {1, 1}}}}), "y names no column, so there is nothing to count");
}

TEST(WideCount, FractionsAreComparedInAllTheirBits) {
  const WideCount top = kUncountable;
  EXPECT_TRUE((WideFraction{top, top - 1} > WideFraction{top - 1, top - 1}));
  EXPECT_TRUE((WideFraction{top - 1, top} < WideFraction{top - 2, top - 1}) == false);
  EXPECT_TRUE((WideFraction{top - 2, top - 1} < WideFraction{top - 1, top}));
  EXPECT_TRUE((WideFraction{top, top} <=> WideFraction{1, 1}) == std::strong_ordering::equal);
  EXPECT_TRUE((WideFraction{top / 3, top} <=> WideFraction{1, 3}) == std::strong_ordering::equal);
  EXPECT_TRUE((WideFraction{top / 3 + 1, top} > WideFraction{1, 3}));
}

TEST(WideCount, WhatDoesNotFitStaysUncountable) {
  const WideCount half = WideCount{1} << 127;
  EXPECT_TRUE(AddCounts(half, half) == kUncountable);
  EXPECT_TRUE(AddCounts(half, half - 2) == kUncountable - 1);
  EXPECT_TRUE(MultiplyCounts(half, 2) == kUncountable);
  EXPECT_TRUE(MultiplyCounts(half, 1) == half);
  EXPECT_TRUE(AddCounts(kUncountable, 5) == kUncountable);
  EXPECT_TRUE(MultiplyCounts(kUncountable, 5) == kUncountable);
}

}  // namespace
}  // namespace pentimento::xy_linkability_test
