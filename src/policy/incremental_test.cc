// What a policy says of a series: the incremental guarantee, and the [input] keys that go with it.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "policy/policy.h"

namespace pentimento::series_test {
namespace {

// The lines of [input] below its path begin at line 5, the columns follow, and the guarantees end the file.
std::string Written(const std::string& input, const std::string& columns, const std::string& guarantees) {
  return "version = 1\nrelease = \"q1\"\n[input]\npath = \"new.csv\"\n" + input +
         "[columns]\nage = { role = \"quasi-identifier\", domain = [0, 120] }\n" + columns + guarantees;
}

const std::string kId = "person = { role = \"id\" }\n";
const std::string kPlain = "[[guarantee]]\ntype = \"k-anonymity\"\nk = 10\n";
const std::string kSeries = "[[guarantee]]\ntype = \"incremental-k-anonymity\"\nk = 10\nseries = \"patients\"\n";

// A policy without anything in [input] but the path: its guarantee begins at line 7, its type stands on line 8.
std::string WithGuarantee(const std::string& lines) { return Written("", "", "[[guarantee]]\n" + lines); }
std::string WithInput(const std::string& lines) { return Written(lines, kId, kSeries); }

Policy Parsed(const std::string& text) {
  Result<Policy> policy = ParsePolicy(text, "folder/p.toml");
  EXPECT_TRUE(policy.ok()) << policy.error().message << "\n" << text;
  return policy.ok() ? std::move(policy).value() : Policy();
}

IncrementalKAnonymityPolicy Incremental(const std::string& text) {
  const Policy policy = Parsed(text);
  for (const GuaranteePolicy& guarantee : policy.guarantees) {
    if (const auto* found = std::get_if<IncrementalKAnonymityPolicy>(&guarantee)) return *found;
  }
  ADD_FAILURE() << "no incremental guarantee in\n" << text;
  return {};
}

void ExpectError(const std::string& text, const std::string& expected) {
  const Result<Policy> policy = ParsePolicy(text, "p.toml");
  ASSERT_FALSE(policy.ok()) << "accepted, but should say: " << expected << "\n" << text;
  EXPECT_EQ(policy.error().code, ErrorCode::kBadPolicy);
  EXPECT_EQ(policy.error().message, "p.toml:" + expected);
}

TEST(Series, TheIncrementalGuaranteeIsReadAsWritten) {
  const IncrementalKAnonymityPolicy shortest = Incremental(Written("", "", kSeries));
  EXPECT_EQ(shortest.k, 10u);
  EXPECT_EQ(shortest.series, "patients");
  EXPECT_FALSE(shortest.hides_arrivals);
  EXPECT_FALSE(Incremental(Written("", "", kSeries + "arrivals = \"shown\"\n")).hides_arrivals);
  EXPECT_TRUE(Incremental(Written("", "", kSeries + "arrivals = \"hidden\"\n")).hides_arrivals);
}

TEST(Series, InputKeysOfASeriesHaveTheirDefaults) {
  const Policy policy = Parsed(Written("", "", kSeries));
  EXPECT_TRUE(policy.removed.empty());
  EXPECT_EQ(policy.repeated, RepeatedRule::kRefuse);
}

TEST(Series, InputKeysOfASeriesAreReadAsWritten) {
  using Paths = std::vector<std::filesystem::path>;
  EXPECT_EQ(Parsed(WithInput("removed = \"gone.csv\"\n")).removed, Paths{"folder/gone.csv"});
  EXPECT_EQ(Parsed(WithInput("removed = [\"a/gone.csv\", \"/data/left.parquet\"]\n")).removed,
            (Paths{"folder/a/gone.csv", "/data/left.parquet"}));
  EXPECT_EQ(Parsed(WithInput("repeated = \"refuse\"\n")).repeated, RepeatedRule::kRefuse);
  EXPECT_EQ(Parsed(WithInput("repeated = \"latest\"\n")).repeated, RepeatedRule::kLatest);
}

TEST(Series, ASeriesHasAName) {
  const std::string start = "type = \"incremental-k-anonymity\"\nk = 10\n";
  ExpectError(WithGuarantee(start), "7:1: [[guarantee]] has no 'series'; add for example series = \"patients\"");
  ExpectError(WithGuarantee(start + "series = 2026"),
              "10:10: series is a whole number, but must be a text; write for example series = \"patients\"");
}

TEST(Series, TheNameOfASeriesFollowsTheRuleOfReleaseNames) {
  const std::string start = "type = \"incremental-k-anonymity\"\nk = 10\nseries = \"";
  const std::string longest(100, 'a');
  for (const std::string& good : {longest, std::string("a"), std::string("9"), std::string("aZ.09_-")}) {
    EXPECT_EQ(Incremental(WithGuarantee(start + good + "\"")).series, good);
  }
  for (const std::string& bad : {std::string(), longest + "a", std::string("a/b"), std::string("."), std::string("-a"),
                                 std::string("a b"), std::string("é"), std::string("a\\u0000"), std::string("a\\n")}) {
    ExpectError(WithGuarantee(start + bad + "\""),
                "10:10: the series name cannot be a folder name; use 1 to 100 letters (a to z), digits, '.', '_' and "
                "'-', not beginning with '.' or '-'");
  }
}

TEST(Series, KFollowsTheRuleOfKAnonymity) {
  const std::string start = "type = \"incremental-k-anonymity\"\nseries = \"a\"\n";
  EXPECT_EQ(Incremental(WithGuarantee(start + "k = 2")).k, 2u);
  EXPECT_EQ(Incremental(WithGuarantee(start + "k = 4294967296")).k, 4294967296u);
  ExpectError(WithGuarantee(start), "7:1: [[guarantee]] has no 'k'; add for example k = 10");
  ExpectError(WithGuarantee(start + "k = 1"),
              "10:5: k = 1 protects nobody: everyone may stand alone; write a k of at least 2");
  ExpectError(WithGuarantee(start + "k = 4294967297"), "10:5: k is 4294967297; write a k of at most 4294967296");
}

TEST(Series, ArrivalsAreShownOrHidden) {
  ExpectError(Written("", "", kSeries + "arrivals = \"hiden\""),
              "11:12: arrivals cannot be 'hiden'; write one of shown, hidden. Did you mean 'hidden'?");
  ExpectError(Written("", "", kSeries + "arrivals = true"),
              "11:12: arrivals is a boolean, but must be a text; write one of shown, hidden, in quotes");
}

TEST(Series, AMisspeltKeyOfTheGuaranteeIsNamedWithTheOneThatWasMeant) {
  ExpectError(Written("", "", kSeries + "arrival = \"hidden\""),
              "11:1: unknown key 'arrival' in [[guarantee]]; use only type, k, series, arrivals. Did you mean "
              "'arrivals'?");
}

TEST(Series, AMisspeltTypeIsNamedWithTheOneThatWasMeant) {
  ExpectError(WithGuarantee("type = \"incremental-k-anonimity\"\nk = 10\nseries = \"a\""),
              "8:8: unknown guarantee 'incremental-k-anonimity'; write one of k-anonymity, incremental-k-anonymity, "
              "xy-anonymity, xy-linkability, alpha-k-anonymity, global-guarantee, history. Did you mean "
              "'incremental-k-anonymity'?");
}

TEST(Series, AKeyOfAnotherGuaranteeIsRefusedWithTheGuaranteeThatHasIt) {
  for (const std::string key : {"series", "arrivals"}) {
    ExpectError(Written("", "", kPlain + key + " = \"shown\""),
                "10:1: '" + key +
                    "' is a key of the guarantee 'incremental-k-anonymity', not of 'k-anonymity'; remove it or write "
                    "type = \"incremental-k-anonymity\"");
  }
}

TEST(Series, AReleaseBelongsToOneSeries) {
  ExpectError(Written("", "", kSeries + "[[guarantee]]\ntype = \"incremental-k-anonymity\"\nk = 5\nseries = \"b\""),
              "11:1: incremental-k-anonymity is asked for twice, but a release belongs to one series; keep one of the "
              "two");
  ExpectError(Written("", "", kSeries + kPlain + kSeries),
              "14:1: incremental-k-anonymity is asked for twice, but a release belongs to one series; keep one of the "
              "two");
}

TEST(Series, KAnonymityMayStandBesideItOnceInEitherOrder) {
  const Policy after = Parsed(Written("", "", kSeries + kPlain));
  ASSERT_EQ(after.guarantees.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<IncrementalKAnonymityPolicy>(after.guarantees[0]));
  EXPECT_TRUE(std::holds_alternative<KAnonymityPolicy>(after.guarantees[1]));
  const Policy before = Parsed(Written("repeated = \"refuse\"\n", "", kPlain + kSeries));
  ASSERT_EQ(before.guarantees.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<KAnonymityPolicy>(before.guarantees[0]));
  ExpectError(Written("", "", kPlain + kSeries + kPlain),
              "14:1: k-anonymity is asked for twice; keep the guarantee with the larger k");
}

TEST(Series, OnlyTheGeneralizedFormIsPublished) {
  EXPECT_EQ(Incremental(Written("", "", kSeries + "[publish]\nform = \"generalized\"")).k, 10u);
  ExpectError(Written("", "", kSeries + "[publish]\nform = \"two-tables\""),
              "12:8: form = \"two-tables\" publishes the quasi-identifiers as they are and is safe only where "
              "alpha-k-anonymity or global-guarantee limits what classes give away; ask for one of them, or write form "
              "= \"generalized\"");
}

TEST(Series, RemovedIsOneFileOrSeveralDifferentOnes) {
  const std::string example = "; write for example removed = \"gone.csv\"";
  ExpectError(WithInput("removed = 3\n"), "5:11: [input] removed is a whole number, but must be a text" + example);
  ExpectError(WithInput("removed = []\n"), "5:11: [input] removed is an empty list" + example);
  ExpectError(WithInput("removed = \"\"\n"), "5:11: [input] removed is empty; write the name of a file");
  ExpectError(WithInput("removed = [\"a\", 1]\n"),
              "5:17: an entry of [input] removed is a whole number, but must be a text" + example);
  ExpectError(WithInput("removed = [\"a\", \"a\"]\n"), "5:17: [input] removed lists 'a' twice; remove one of the two");
  ExpectError(WithInput("removed = [\"a\", \"./a\"]\n"),
              "5:17: [input] removed names the file './a' twice; remove one of the two");
}

TEST(Series, NobodyCanArriveAndLeaveByTheSameFile) {
  ExpectError(WithInput("removed = [\"gone.csv\", \"./new.csv\"]\n"),
              "5:24: [input] removed names the file './new.csv', which [input] path names too; keep it in one of the "
              "two");
}

TEST(Series, RepeatedIsRefuseOrLatest) {
  ExpectError(WithInput("repeated = \"lates\"\n"),
              "5:12: [input] repeated cannot be 'lates'; write one of refuse, latest. Did you mean 'latest'?");
  ExpectError(WithInput("repeated = 1\n"),
              "5:12: [input] repeated is a whole number, but must be a text; write one of refuse, latest, in quotes");
}

TEST(Series, AMisspeltKeyOfTheInputIsNamedWithTheOneThatWasMeant) {
  const std::string known =
      "in [input]; use only path, missing, removed, repeated, holds, separator, encoding, decimal, trim, names, "
      "skip_lines. Did you mean ";
  ExpectError(WithInput("remove = \"a\"\n"), "5:1: unknown key 'remove' " + known + "'removed'?");
  ExpectError(WithInput("repeat = \"latest\"\n"), "5:1: unknown key 'repeat' " + known + "'repeated'?");
}

TEST(Series, InputKeysOfASeriesNeedASeries) {
  const std::string rest =
      " speaks of a series, but no guarantee has one; remove it, or ask for type = \"incremental-k-anonymity\"";
  ExpectError(Written("removed = \"gone.csv\"\n", kId, kPlain), "5:1: [input] removed" + rest);
  ExpectError(Written("repeated = \"latest\"\n", kId, kPlain),
              "5:1: [input] repeated" + rest + " or \"global-guarantee\"");
  ExpectError(Written("repeated = \"refuse\"\n", kId, kPlain),
              "5:1: [input] repeated" + rest + " or \"global-guarantee\"");
}

TEST(Series, PeopleWhoLeaveOrComeBackAreKnownByAnId) {
  const std::string rest =
      " needs to know who is who, but no column has the role 'id'; give it to one, for example person = { role = "
      "\"id\" }";
  const std::string no_id = "person = { role = \"keep\" }\n";
  ExpectError(Written("removed = \"gone.csv\"\n", no_id, kSeries), "5:1: [input] removed" + rest);
  ExpectError(Written("repeated = \"latest\"\n", no_id, kSeries), "5:1: [input] repeated = \"latest\"" + rest);
  EXPECT_EQ(Parsed(Written("repeated = \"refuse\"\n", no_id, kSeries)).repeated, RepeatedRule::kRefuse);
}

TEST(Series, TheTableHoldsNewcomersOrEverybody) {
  EXPECT_EQ(Parsed(Written("", kId, kSeries)).holds, TableHolds::kNewcomers);
  EXPECT_EQ(Parsed(Written("holds = \"newcomers\"\n", kId, kSeries)).holds, TableHolds::kNewcomers);
  EXPECT_EQ(Parsed(Written("holds = \"everybody\"\n", kId, kSeries)).holds, TableHolds::kEverybody);
  ExpectError(WithInput("holds = \"everyone\"\n"),
              "5:9: [input] holds cannot be 'everyone'; write one of newcomers, everybody.");
}

TEST(Series, ATableOfEverybodySaysWhoHasLeft) {
  ExpectError(Written("holds = \"everybody\"\nremoved = \"gone.csv\"\n", kId, kSeries),
              "6:1: [input] removed would have no effect: with holds = \"everybody\" whoever is not in the table has "
              "left; remove it, and leave the rows of those who are gone out of the table");
  ExpectError(
      Written("holds = \"everybody\"\n", "person = { role = \"keep\" }\n", kSeries),
      "5:1: [input] holds = \"everybody\" needs to know who is who, but no column has the role 'id'; give it to "
      "one, for example person = { role = \"id\" }");
}

TEST(Series, LeaversAreEmptiedOrKept) {
  EXPECT_EQ(Parsed(Written("", kId, kSeries)).leavers, LeaversRule::kEmptied);
  EXPECT_EQ(Parsed(Written("", kId, kSeries + "[publish]\nleavers = \"kept\"")).leavers, LeaversRule::kKept);
  ExpectError(Written("", kId, kPlain + "[publish]\nleavers = \"kept\""),
              "12:1: [publish] leavers would have no effect: people leave only a series that grows; remove it, or ask "
              "for type = \"incremental-k-anonymity\"");
}

}  // namespace
}  // namespace pentimento::series_test
