#include "taxonomy/build.h"

#include <gtest/gtest.h>

#include <vector>

#include "taxonomy/taxonomy.h"

namespace pentimento::build_test {
namespace {

using Values = std::vector<std::string>;
using Widths = std::vector<std::int64_t>;

TEST(BuildPrefix, MasksFromTheRightUpToTheRoot) {
  const auto text = BuildPrefixTaxonomy(Values{"13053", "13068", "14850"});
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text,
            "13053;1305*;130**;13***;1****;*\n"
            "13068;1306*;130**;13***;1****;*\n"
            "14850;1485*;148**;14***;1****;*\n");
}

TEST(BuildPrefix, TheOrderOfTheListTellsNothing) {
  const auto sorted = BuildPrefixTaxonomy(Values{"11", "12", "21"});
  const auto shuffled = BuildPrefixTaxonomy(Values{"21", "11", "12", "11"});
  ASSERT_TRUE(sorted.ok() && shuffled.ok());
  EXPECT_EQ(*sorted, *shuffled);
}

TEST(BuildPrefix, MasksCharactersNotBytes) {
  const auto text = BuildPrefixTaxonomy(Values{"äöü"});
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text, "äöü;äö*;ä**;*\n");
}

TEST(BuildPrefix, OneCharacterGoesStraightToTheRoot) {
  const auto text = BuildPrefixTaxonomy(Values{"b", "a"});
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text, "a;*\nb;*\n");
}

TEST(BuildPrefix, ValuesItCannotMaskAreRefusedWithTheirPlace) {
  for (const Values& bad : {Values{"111", "1111"}, Values{"11", "1*"}, Values{"11", ""}, Values{"11", "*"},
                            Values{"11", "{1"}, Values{"11", "1\n"}, Values{"11", "\xFF\xFF"}}) {
    const auto text = BuildPrefixTaxonomy(bad);
    ASSERT_FALSE(text.ok());
    EXPECT_EQ(text.error().code, ErrorCode::kBadPolicy);
    EXPECT_NE(text.error().message.find("value 2"), std::string::npos) << text.error().message;
  }
  EXPECT_FALSE(BuildPrefixTaxonomy(Values{}).ok());
}

TEST(BuildIntervals, NestsIntervalsAtMultiplesOfTheirWidth) {
  const auto text = BuildIntervalTaxonomy(14, 21, Widths{5, 10, 20});
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text,
            "14;[10,15);[10,20);[0,20);*\n"
            "15;[15,20);[10,20);[0,20);*\n"
            "16;[15,20);[10,20);[0,20);*\n"
            "17;[15,20);[10,20);[0,20);*\n"
            "18;[15,20);[10,20);[0,20);*\n"
            "19;[15,20);[10,20);[0,20);*\n"
            "20;[20,25);[20,30);[20,40);*\n"
            "21;[20,25);[20,30);[20,40);*\n");
}

TEST(BuildIntervals, NumbersBelowZeroFallIntoTheIntervalThatHoldsThem) {
  const auto text = BuildIntervalTaxonomy(-6, 0, Widths{5});
  ASSERT_TRUE(text.ok());
  EXPECT_TRUE(text->starts_with("-6;[-10,-5);*\n-5;[-5,0);*\n"));
  EXPECT_TRUE(text->ends_with("-1;[-5,0);*\n0;[0,5);*\n"));
}

TEST(BuildIntervals, WithoutWidthsItIsFlat) {
  const auto text = BuildIntervalTaxonomy(3, 4, Widths{});
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text, "3;*\n4;*\n");
}

TEST(BuildIntervals, WidthsThatDoNotNestAreRefused) {
  for (const Widths& bad :
       {Widths{5, 12}, Widths{5, 5}, Widths{10, 5}, Widths{0}, Widths{1}, Widths{-5}, Widths{INT64_MAX}}) {
    const auto text = BuildIntervalTaxonomy(0, 100, bad);
    ASSERT_FALSE(text.ok());
    EXPECT_EQ(text.error().code, ErrorCode::kUsage);
  }
}

TEST(BuildIntervals, RangesThatAreEmptyOrTooWideAreRefused) {
  EXPECT_FALSE(BuildIntervalTaxonomy(1, 0, Widths{5}).ok());
  EXPECT_FALSE(BuildIntervalTaxonomy(0, 1'000'000, Widths{5}).ok());
  EXPECT_FALSE(BuildIntervalTaxonomy(INT64_MIN, INT64_MAX, Widths{5}).ok());
  EXPECT_TRUE(BuildIntervalTaxonomy(0, 0, Widths{5}).ok());
}

TEST(BuildFlat, KeepsTheOrderAndDropsRepeats) {
  const auto text = BuildFlatTaxonomy(Values{"low", "high; very", "low", "mid"});
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text, "low;*\n\"high; very\";*\nmid;*\n");
}

TEST(BuildFlat, ValuesThatCannotBeReadBackAreRefused) {
  for (const char* bad : {"", "*", "{a", "a\tb"}) EXPECT_FALSE(BuildFlatTaxonomy(Values{"a", bad}).ok()) << bad;
  EXPECT_FALSE(BuildFlatTaxonomy(Values{}).ok());
}

TEST(Build, WhatIsBuiltReadsBackAsItself) {
  const Values zips = {"01234", "01299", "98765"};
  for (const auto& text :
       {BuildPrefixTaxonomy(zips), BuildFlatTaxonomy(zips), BuildIntervalTaxonomy(0, 99, Widths{5, 20})}) {
    ASSERT_TRUE(text.ok());
    const auto taxonomy = Taxonomy::Parse(*text, "t");
    ASSERT_TRUE(taxonomy.ok());
    EXPECT_EQ(taxonomy->ToText(), *text);
  }
}

}  // namespace
}  // namespace pentimento::build_test
