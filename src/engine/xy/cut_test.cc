#include "engine/xy/cut.h"

#include <gtest/gtest.h>

namespace pentimento::cut_test {
namespace {

EarlierColumn Job(std::vector<std::string> labels) {
  static const auto taxonomy = std::make_shared<const Taxonomy>(
      Taxonomy::Parse("Nurse;Care;*\nDoctor;Care;*\nClerk;Office;*\nLawyer;Office;*\n", "job.csv").value());
  return {{"job", Role::kQuasiIdentifier, taxonomy, std::nullopt}, std::move(labels), true};
}

EarlierColumn Age(std::vector<std::string> labels) {
  return {{"age", Role::kQuasiIdentifier, nullptr, std::pair(Decimal{0, 0}, Decimal{120, 0})}, std::move(labels), true};
}

TEST(IsCut, LabelsSideBySideAreACut) {
  EXPECT_TRUE(IsCut(Job({"Care", "Clerk", "Lawyer"})));
  EXPECT_TRUE(IsCut(Job({"*"})));
  EXPECT_TRUE(IsCut(Job({"", "Care", "Office"})));
  EXPECT_TRUE(IsCut(Job({"Nurse", "{Doctor|Clerk}"})));
  EXPECT_TRUE(IsCut(Job({})));
}

TEST(IsCut, ALabelAboveAnotherIsNone) {
  EXPECT_FALSE(IsCut(Job({"Care", "Clerk", "Nurse"})));
  EXPECT_FALSE(IsCut(Job({"*", "Clerk"})));
  EXPECT_FALSE(IsCut(Job({"Nurse", "{Nurse|Doctor|Clerk}"})));
}

// Whoever reads '*' cannot rule out a missing value.
TEST(IsCut, AnyValueStandsAboveAMissingOne) { EXPECT_FALSE(IsCut(Job({"", "*"}))); }

TEST(IsCut, SetsThatShareALeafAreNone) { EXPECT_FALSE(IsCut(Job({"{Nurse|Doctor|Clerk}", "Office"}))); }

TEST(IsCut, TwoSpellingsOfOneLabelAreACut) { EXPECT_TRUE(IsCut(Job({"Care", "{Doctor|Nurse}", "Office"}))); }

TEST(IsCut, IntervalsThatTouchAreACut) {
  EXPECT_TRUE(IsCut(Age({"[0,40)", "[40,60)", "[60,120]"})));
  EXPECT_TRUE(IsCut(Age({"40", "[0,40)", "[41,120]"})));
  EXPECT_TRUE(IsCut(Age({"39.5", "40", "[0,39.5)"})));
}

TEST(IsCut, IntervalsWithANumberInCommonAreNone) {
  EXPECT_FALSE(IsCut(Age({"[0,40]", "[40,60)"})));
  EXPECT_FALSE(IsCut(Age({"39", "[0,40)"})));
  EXPECT_FALSE(IsCut(Age({"39.5", "[0,40)"})));
  EXPECT_FALSE(IsCut(Age({"*", "[0,40)"})));
}

TEST(IsCut, WhatIsPublishedAsItCameIsACut) {
  EXPECT_TRUE(IsCut({{"disease", Role::kSensitive, nullptr, std::nullopt}, {"*", "Flu"}, true}));
}

TEST(IsCut, ALabelThatCannotBeReadMakesNone) {
  EXPECT_FALSE(IsCut(Job({"Pilot"})));
  EXPECT_FALSE(IsCut(Age({"[0,200)"})));
}

}  // namespace
}  // namespace pentimento::cut_test
