#include "policy/global_guarantee.h"

#include <gtest/gtest.h>

#include "policy/policy.h"
#include "policy/xy_guarantees_testing.h"

namespace pentimento::global_guarantee_test {
namespace {

using xy_testing::ExpectError;
using xy_testing::Only;
using xy_testing::Parsed;
using xy_testing::Strings;
using xy_testing::Written;

// The keys of the guarantee stand on lines 15 (l), 16 (series), 17 (releases) and 18 on. Where `more` does not say how
// small a group may be, the last is k.
std::string Global(const std::string& l, const std::string& releases = "12", const std::string& more = "") {
  const bool says_it = more.find("alone") != std::string::npos || more.find("k = ") != std::string::npos;
  const std::size_t publish = std::min(more.find("[publish]"), more.size());
  return "[[guarantee]]\ntype = \"global-guarantee\"\nl = " + l + "\nseries = \"clinic\"\nreleases = " + releases +
         "\n" + more.substr(0, publish) + (says_it ? "" : "k = 10\n") + more.substr(publish);
}
std::string WithKeys(const std::string& more) { return Written(Global("2", "12", more)); }
// The entries of limits stand on line 18, from column 11 on.
std::string Limits(const std::string& entries) { return WithKeys("limits = [" + entries + "]\n"); }

GlobalGuaranteePolicy Read(const std::string& guarantee) { return Only<GlobalGuaranteePolicy>(Written(guarantee)); }

// A policy whose [input] table and columns can be chosen: the columns begin at line 6, and with `input` at line 7.
std::string WithColumns(const std::string& columns, const std::string& guarantees, const std::string& input = "") {
  return "version = 1\nrelease = \"q1\"\n[input]\npath = \"q1.csv\"\n" + input +
         "[columns]\nage = { role = \"quasi-identifier\", domain = [0, 120] }\n" + columns + guarantees;
}
const std::string kPerson = "person = { role = \"id\" }\n";
const std::string kDisease = "disease = { role = \"sensitive\" }\n";
std::string Disease(const std::string& keys) { return "disease = { role = \"sensitive\", " + keys + " }\n"; }

TEST(GlobalGuarantee, MostPersistenceIsANumberOrAFractionOfAtLeastOne) {
  const auto read = [](const std::string& value) {
    return Read(Global("2", "12", "most_persistence = " + value + "\n")).most_persistence;
  };
  EXPECT_EQ(Read(Global("2")).most_persistence, (Ratio{5, 1}));
  EXPECT_EQ(read("5"), (Ratio{5, 1}));
  EXPECT_EQ(read("1"), (Ratio{1, 1}));
  EXPECT_EQ(read("2.5"), (Ratio{5, 2}));
  EXPECT_EQ(read("\"7/2\""), (Ratio{7, 2}));
  EXPECT_EQ(read("1000000"), (Ratio{1'000'000, 1}));
  const auto refused = [](const std::string& value, const std::string& message) {
    ExpectError(WithKeys("most_persistence = " + value + "\n"), "18:20: most_persistence is " + message);
  };
  refused("0", "0; write a number or a fraction from 1 to 1000000, for example most_persistence = 5");
  refused("\"1/2\"", "1/2; write a number or a fraction from 1 to 1000000, for example most_persistence = 5");
  refused("1000001", "1000001; write a number or a fraction from 1 to 1000000, for example most_persistence = 5");
  refused("-3", "-3, which is below 0; write a number or a fraction of at least 1");
  refused("true", "a boolean, but must be a fraction; write for example most_persistence = 5");
  refused("\"much\"", "'much', which cannot be read as an exact fraction; write for example most_persistence = 5");
}

TEST(GlobalGuarantee, WhatIsLeftOutHasItsDefault) {
  const GlobalGuaranteePolicy read = Read(Global("2"));
  EXPECT_EQ(read.l, 2U);
  EXPECT_EQ(read.series, "clinic");
  EXPECT_EQ(read.releases, std::optional<std::uint64_t>(12));
  EXPECT_EQ(read.spend, std::nullopt);
  EXPECT_FALSE(read.blind);
  EXPECT_EQ(read.room, (Ratio{5, 4}));
  EXPECT_EQ(read.most_loss, (Ratio{3, 5}));
  EXPECT_TRUE(read.sets.empty());
  EXPECT_EQ(read.position.line, 13U);
}

TEST(GlobalGuarantee, EveryKeyIsRead) {
  const GlobalGuaranteePolicy read =
      Read(Global("3", "\"open\"",
                  "spend = \"1/4\"\nblind = true\n"
                  "limits = [{ column = \"disease\", values = [\"HIV\", \"Syphilis\"], l = 4 }]\n"));
  EXPECT_EQ(read.l, 3U);
  EXPECT_EQ(read.releases, std::nullopt);
  EXPECT_EQ(read.spend, (Ratio{1, 4}));
  EXPECT_TRUE(read.blind);
  ASSERT_EQ(read.sets.size(), 1U);
  EXPECT_EQ(read.sets[0].column, "disease");
  EXPECT_EQ(read.sets[0].values, (Strings{"HIV", "Syphilis"}));
  EXPECT_EQ(read.sets[0].l, 4U);
  EXPECT_EQ(read.sets[0].position.line, 20U);
  EXPECT_EQ(read.sets[0].position.column, 11U);
}

TEST(GlobalGuarantee, LIsAWholeNumberFromTwoToAMillion) {
  EXPECT_EQ(Read(Global("1000000")).l, 1'000'000U);
  ExpectError(Written("[[guarantee]]\ntype = \"global-guarantee\"\nseries = \"clinic\"\nreleases = 12\n"),
              "13:1: [[guarantee]] has no 'l'; add for example l = 2");
  for (const std::string l : {"1", "0", "-4"}) {
    ExpectError(Written(Global(l)), "15:5: l is " + l +
                                        ", but a chance of at most 1/l protects nobody unless l is at least 2; write "
                                        "a larger one");
  }
  ExpectError(Written(Global("2.5")),
              "15:5: l is a decimal number, but must be a whole number; write for example l = 2");
  ExpectError(Written(Global("\"2\"")), "15:5: l is a text, but must be a whole number; write for example l = 2");
  ExpectError(Written(Global("1000001")), "15:5: l is 1000001; write an l of at most 1000000");
}

TEST(GlobalGuarantee, ASeriesHasANameThatCanBeAFolder) {
  ExpectError(Written("[[guarantee]]\ntype = \"global-guarantee\"\nl = 2\nreleases = 12\n"),
              "13:1: [[guarantee]] has no 'series'; add for example series = \"clinic\"");
  const std::string before = "[[guarantee]]\ntype = \"global-guarantee\"\nl = 2\nseries = ";
  ExpectError(
      Written(before + "\"a/b\"\nreleases = 12\n"),
      "16:10: the series name cannot be a folder name; use 1 to 100 letters (a to z), digits, '.', '_' and '-', "
      "not beginning with '.' or '-'");
  ExpectError(Written(before + "7\nreleases = 12\n"),
              "16:10: series is a whole number, but must be a text; write for example series = \"clinic\"");
}

TEST(GlobalGuarantee, ReleasesAreANumberOrOpen) {
  EXPECT_EQ(Read(Global("2", "1")).releases, std::optional<std::uint64_t>(1));
  EXPECT_EQ(Read(Global("2", "10000")).releases, std::optional<std::uint64_t>(10'000));
  const std::string example = "for example releases = 12, or releases = \"open\"";
  ExpectError(Written("[[guarantee]]\ntype = \"global-guarantee\"\nl = 2\nseries = \"clinic\"\n"),
              "13:1: [[guarantee]] has no 'releases'; add " + example);
  for (const std::string releases : {"0", "-3", "10001"}) {
    ExpectError(Written(Global("2", releases)),
                "17:12: releases is " + releases + "; write a number from 1 to 10000, or \"open\"");
  }
  ExpectError(Written(Global("2", "\"many\"")),
              "17:12: releases is the text 'many'; write how many releases the series will have, or \"open\" where "
              "nobody knows, " +
                  example);
  ExpectError(Written(Global("2", "1.5")),
              "17:12: releases is a decimal number, but must be a whole number; write " + example);
  ExpectError(Written(Global("2", "true")),
              "17:12: releases is a boolean, but must be a whole number; write " + example);
}

TEST(GlobalGuarantee, SpendIsAboveZeroAndAtMostOne) {
  EXPECT_EQ(Read(Global("2", "12", "spend = 1\n")).spend, (Ratio{1, 1}));
  EXPECT_EQ(Read(Global("2", "12", "spend = 0.25\n")).spend, (Ratio{1, 4}));
  ExpectError(WithKeys("spend = 0\n"), "18:9: spend is 0, so nobody could be in any release; write a fraction above 0");
  ExpectError(WithKeys("spend = \"5/4\"\n"),
              "18:9: spend is 5/4, but nobody has more to spend than all that is left; write a fraction above 0 and "
              "at most 1");
  ExpectError(WithKeys("spend = \"-1/4\"\n"),
              "18:9: spend is -1/4, which is below 0; write a fraction above 0 and at most 1");
  ExpectError(WithKeys("spend = true\n"),
              "18:9: spend is a boolean, but must be a fraction; write for example spend = \"1/4\"");
}

TEST(GlobalGuarantee, BlindIsAFlag) {
  EXPECT_FALSE(Read(Global("2", "12", "blind = false\n")).blind);
  ExpectError(WithKeys("blind = \"yes\"\n"), "18:9: blind is a text; write true or false, for example blind = true");
  ExpectError(WithKeys("blind = 1\n"), "18:9: blind is a whole number; write true or false, for example blind = true");
}

TEST(GlobalGuarantee, AKeyOfAnotherGuaranteeIsNoMisspelling) {
  ExpectError(WithKeys("blnd = true\n"),
              "18:1: unknown key 'blnd' in [[guarantee]]; use only type, l, series, releases, k, alone, spend, room, "
              "most_loss, blind, most_persistence, limits. Did you mean 'blind'?");
  ExpectError(Written("[[guarantee]]\ntype = \"k-anonymity\"\nk = 2\nreleases = 3\n"),
              "16:1: 'releases' is a key of the guarantee 'global-guarantee', not of 'k-anonymity'; remove it or write "
              "type = \"global-guarantee\"");
}

TEST(GlobalGuarantee, AGroupHasKPeopleOrThePolicySaysThatSomebodyMayBeAlone) {
  const std::string plain = "[[guarantee]]\ntype = \"k-anonymity\"\nk = 3\n";
  const std::string global = "[[guarantee]]\ntype = \"global-guarantee\"\nl = 2\nseries = \"clinic\"\nreleases = 2\n";
  EXPECT_EQ(Read(Global("2")).k, 10U);
  EXPECT_FALSE(Read(Global("2")).allows_alone);
  EXPECT_EQ(Read(Global("2", "12", "alone = \"allowed\"\n")).k, 0U);
  EXPECT_TRUE(Read(Global("2", "12", "alone = \"allowed\"\n")).allows_alone);
  // Another guarantee may have it, before or after.
  EXPECT_EQ(Parsed(Written(plain + global)).guarantees.size(), 2U);
  EXPECT_EQ(Parsed(Written(global + plain)).guarantees.size(), 2U);
  ExpectError(Written(global),
              "13:1: global-guarantee without a k leaves people alone in their groups, beside what is published of "
              "them; write, for example, k = 10, or alone = \"allowed\" if that is meant");
  ExpectError(
      Written(global + "alone = \"allowed\"\n" + plain),
      "13:1: alone = \"allowed\" and a k contradict each other: with a k nobody is alone in a group; remove one "
      "of them");
  // What was accepted once is on record as it was.
  EXPECT_TRUE(ParsePolicy(Written(global), "p.toml", PolicyUse::kRecord).ok());
}

TEST(GlobalGuarantee, RoomAndMostLossAreExactFractions) {
  const GlobalGuaranteePolicy read = Read(Global("2", "\"open\"", "room = 1.1\nmost_loss = \"9/10\"\n"));
  EXPECT_EQ(read.room, (Ratio{11, 10}));
  EXPECT_EQ(read.most_loss, (Ratio{9, 10}));
  const std::string example = ", for example room = \"5/4\"";
  for (const std::string wrong : {"0.9", "\"1000001/1\"", "0"}) {
    const std::string shown = wrong == "\"1000001/1\"" ? "1000001/1" : wrong;
    ExpectError(Written(Global("2", "\"open\"", "room = " + wrong + "\n")),
                "18:8: room is " + shown + "; write a number or a fraction from 1 to 1000000" + example);
  }
  ExpectError(Written(Global("2", "\"open\"", "room = -1\n")),
              "18:8: room is -1, which is below 0; write a number or a fraction of at least 1");
  ExpectError(
      Written(Global("2", "12", "room = 2\n")),
      "18:1: room has no effect with a known number of releases: what is left is spread over those that remain, so "
      "nobody is withheld beforehand; remove it, or write releases = \"open\"");
  EXPECT_EQ(Read(Global("2", "12", "spend = \"1/2\"\nroom = 2\n")).room, (Ratio{2, 1}));
}

TEST(GlobalGuarantee, LimitsAreForSetsOfValuesOfSensitiveColumns) {
  const std::string example =
      "for example limits = [{ column = \"disease\", values = [\"Chlamydia\", \"Syphilis\"], l = 4 }]";
  ExpectError(WithKeys("limits = 3\n"),
              "18:10: limits is a whole number, but must be a list of tables; write " + example);
  ExpectError(Limits(""), "18:10: limits is an empty list; remove it, or write " + example);
  ExpectError(Limits(R"({ column = "disase", values = ["HIV"], l = 4 })"),
              "18:22: limits names 'disase', which [columns] does not have; write a sensitive column of [columns]. Did "
              "you mean 'disease'?");
  ExpectError(Limits(R"({ column = "age", values = ["30"], l = 4 })"),
              "18:22: limits names 'age', but only the values of sensitive columns are limited, and a column has one "
              "role; name a sensitive column, or give this one the role 'sensitive'");
  ExpectError(Limits(R"({ values = ["30"], l = 4 })"),
              "18:11: an entry of limits has no 'column'; add for example column = \"disease\"");
  ExpectError(Limits(R"({ column = "disease", l = 4 })"),
              "18:11: an entry of limits has no 'values'; add for example values = [\"Chlamydia\", \"Syphilis\"]");
  ExpectError(Limits(R"({ column = "disease", values = ["HIV"] })"),
              "18:11: an entry of limits has no 'l'; add for example l = 2");
  ExpectError(Limits(R"({ column = "disease", values = ["HIV"], l = 1 })"),
              "18:55: l is 1, but a chance of at most 1/l protects nobody unless l is at least 2; write a larger one");
  ExpectError(Limits(R"({ column = "disease", values = ["HIV"], at_most = "1/4" })"),
              "18:51: unknown key 'at_most' in an entry of limits; use only column, values, l.");
}

TEST(GlobalGuarantee, ValuesOfALimitAreDifferentAndNotMissing) {
  ExpectError(Limits(R"({ column = "disease", values = [], l = 4 })"),
              "18:42: 'values' of an entry of limits is an empty list; write for example values = [\"Female\", "
              "\"Male\"]");
  ExpectError(Limits(R"({ column = "disease", values = ["HIV", "HIV"], l = 4 })"),
              "18:50: 'values' of an entry of limits lists 'HIV' twice; remove one of the two");
  ExpectError(Limits(R"({ column = "disease", values = [""], l = 4 })"),
              "18:43: 'values' of an entry of limits lists the empty text, which is how a missing value is published; "
              "remove it");
  ExpectError(Limits(R"({ column = "disease", values = ["a", "b"], l = 4 },)"
                     R"({ column = "disease", values = ["b", "a"], l = 5 })"),
              "18:62: limits has two entries for the same values of 'disease'; keep the one with the larger l");
}

TEST(GlobalGuarantee, ALimitThatLKeepsAlreadyIsRefused) {
  const auto none = [](const std::string& l) {
    return "the limit on 'disease' would have no effect: l = " + l +
           " for each of these values allows no more of them together; write a larger l or remove the limit";
  };
  ExpectError(Limits(R"({ column = "disease", values = ["HIV"], l = 2 })"), "18:55: " + none("2"));
  EXPECT_EQ(Only<GlobalGuaranteePolicy>(Limits(R"({ column = "disease", values = ["HIV"], l = 3 })")).sets.size(), 1U);
  // 2 of 5 is less strict than 1 of 2, but 2 of 4 is not.
  const std::string two = "limits = [{ column = \"disease\", values = [\"a\", \"b\"], l = 2 }]\n";
  ExpectError(Written(Global("4", "12", two)), "18:58: " + none("4"));
  ExpectError(Written(Global("5", "12", two)), "18:58: " + none("5"));
  EXPECT_EQ(Read(Global("3", "12", two)).sets.size(), 1U);
  // l speaks of the listed values alone, so this limit is the only one on one of its values.
  EXPECT_EQ(Parsed(WithColumns(kPerson + Disease("values = [\"a\"]"), Global("4", "12", two))).guarantees.size(), 1U);
}

TEST(GlobalGuarantee, PeopleAndWhatNobodyShouldLearnAboutThemMustBeKnown) {
  ExpectError(WithColumns(kPerson, Global("2")),
              "8:1: global-guarantee limits how surely anybody is linked to a sensitive value, but no column has the "
              "role 'sensitive'; give it to what nobody should learn about a person");
  ExpectError(WithColumns(kDisease, Global("2")),
              "8:1: global-guarantee keeps account of every person over all releases, but no column has the role 'id'; "
              "give it to the one that says who a row is about, for example person = { role = \"id\" }");
}

TEST(GlobalGuarantee, TheColumnOfGroupsIsItsOwn) {
  for (const std::string role : {"keep", "class", "sensitive"}) {
    ExpectError(WithColumns(kPerson + kDisease + "group_id = { role = \"" + role + "\" }\n", Global("2")),
                "9:1: a release under global-guarantee has a column 'group_id' of its own; rename the column in the "
                "table, or leave it out of [columns]");
  }
  EXPECT_EQ(Parsed(WithColumns("group_id = { role = \"id\" }\n" + kDisease, Global("2"))).columns.size(), 3U);
}

TEST(GlobalGuarantee, ItGoesWithGuaranteesOfOneReleaseAndNothingElse) {
  const std::string k = "[[guarantee]]\ntype = \"k-anonymity\"\nk = 5\n";
  const std::string alpha_k = "[[guarantee]]\ntype = \"alpha-k-anonymity\"\nalpha = \"1/3\"\nk = 2\n";
  const std::string incremental = "[[guarantee]]\ntype = \"incremental-k-anonymity\"\nk = 5\nseries = \"s\"\n";
  EXPECT_EQ(Parsed(Written(Global("2") + k + alpha_k)).guarantees.size(), 3U);
  EXPECT_EQ(Parsed(Written(k + alpha_k + Global("2"))).guarantees.size(), 3U);
  const std::string alone =
      "global-guarantee forms the groups of every release anew, so it cannot go with incremental-k-anonymity, "
      "xy-anonymity or xy-linkability; keep it with k-anonymity or alpha-k-anonymity, or publish another release for "
      "the others";
  ExpectError(Written(Global("2") + incremental), "19:1: " + alone);
  ExpectError(Written(incremental + Global("2")), "17:1: " + alone);
  ExpectError(Written(Global("2") + xy_testing::kShortest), "19:1: " + alone);
  ExpectError(Written(xy_testing::kShortest + Global("2")), "19:1: " + alone);
  ExpectError(Written(Global("2") + Global("3")),
              "19:1: global-guarantee is asked for twice, but a release belongs to one series; keep one, with the "
              "larger l, and list what is stricter under limits");
}

TEST(GlobalGuarantee, BothFormsArePublishedButTheMethodIsItsOwn) {
  EXPECT_EQ(Parsed(WithKeys("[publish]\nform = \"two-tables\"\n")).form, PublishForm::kTwoTables);
  EXPECT_EQ(Parsed(WithKeys("[publish]\nform = \"generalized\"\n")).form, PublishForm::kGeneralized);
  EXPECT_EQ(Parsed(WithKeys("[publish]\ncategories = \"sets\"\n")).guarantees.size(), 1U);
  for (const std::string method : {"partition", "recode", "anatomy", "specialize"}) {
    ExpectError(
        WithKeys("[publish]\nmethod = \"" + method + "\"\n"),
        "20:1: [publish] method would have no effect: a series, xy-anonymity and xy-linkability have one method each; "
        "remove it");
  }
  ExpectError(
      Written("[[guarantee]]\ntype = \"k-anonymity\"\nk = 5\n" + Global("2") + "[publish]\nform = \"two-tables\"\n"),
      "23:8: form = \"two-tables\" keeps alpha-k-anonymity and global-guarantee and no other guarantee, because "
      "the quasi-identifiers are published as they are; remove the others, or write form = \"generalized\"");
}

TEST(GlobalGuarantee, SomebodyTwiceInATableIsRefusedOrKeptWithTheNewestRow) {
  EXPECT_EQ(Parsed(WithColumns(kPerson + kDisease, Global("2"), "repeated = \"latest\"\n")).repeated,
            RepeatedRule::kLatest);
  EXPECT_EQ(Parsed(WithColumns(kPerson + kDisease, Global("2"), "repeated = \"refuse\"\n")).repeated,
            RepeatedRule::kRefuse);
  ExpectError(WithColumns(kPerson + kDisease, Global("2"), "removed = \"gone.csv\"\n"),
              "5:1: [input] removed would have no effect: under global-guarantee every table lists whoever is in the "
              "release; leave the rows of those who are gone out of the table and remove it");
}

// What is read of the column 'disease'; it stands on line 8.
std::optional<Strings> Transient(const std::string& keys) {
  const Policy policy = Parsed(WithColumns(kPerson + Disease(keys), Global("2")));
  EXPECT_EQ(policy.columns.size(), 3U);
  return policy.columns.empty() ? Strings{"nothing was read"} : policy.columns.back().transient;
}
void ExpectTransientError(const std::string& keys, const std::string& expected) {
  ExpectError(WithColumns(kPerson + Disease(keys), Global("2")), expected);
}

TEST(Transient, ValuesComeAndGoUnlessThePolicySaysOtherwise) {
  EXPECT_EQ(Transient("values = [\"HIV\", \"flu\"]"), std::nullopt);
  EXPECT_EQ(Transient("transient = true"), std::nullopt);
  EXPECT_EQ(Transient("transient = false"), Strings());
  EXPECT_EQ(Transient("transient = [\"flu\", \"fever\"]"), (Strings{"flu", "fever"}));
  EXPECT_EQ(Transient("values = [\"HIV\", \"flu\"], transient = [\"flu\"]"), Strings{"flu"});
}

TEST(Transient, ItIsAFlagOrAListOfValues) {
  ExpectTransientError("transient = \"flu\"",
                       "8:45: 'transient' of column 'disease' is a text; write true, false or a list of values, for "
                       "example transient = [\"flu\", \"fever\"], or transient = false");
  ExpectTransientError(
      "transient = []",
      "8:45: 'transient' of column 'disease' is an empty list; write transient = false where no value comes and goes");
  ExpectTransientError("transient = [\"flu\", \"flu\"]",
                       "8:53: 'transient' of column 'disease' lists 'flu' twice; remove one of the two");
  ExpectTransientError("transient = [1]",
                       "8:46: an entry of 'transient' of column 'disease' is a whole number, but must be a text; write "
                       "for example values = [\"Female\", \"Male\"]");
}

TEST(Transient, OnlyProtectedValuesAreListed) {
  ExpectTransientError("values = [\"HIV\", \"flu\"], transient = [\"HIV\", \"flue\"]",
                       "8:78: 'transient' of column 'disease' lists 'flue', which neither 'values' nor limits protect; "
                       "remove it, or protect it. Did you mean 'flu'?");
  const std::string set = "limits = [{ column = \"disease\", values = [\"flu\", \"fever\"], l = 4 }]\n";
  EXPECT_EQ(Parsed(WithColumns(kPerson + Disease("values = [\"HIV\"], transient = [\"HIV\", \"fever\", \"flu\"]"),
                               Global("2", "12", set)))
                .columns.size(),
            3U);
}

TEST(Transient, OtherRolesDoNotHaveIt) {
  ExpectError(WithColumns(kPerson + kDisease + "ward = { role = \"keep\", transient = true }\n", Global("2")),
              "9:25: column 'ward' has 'transient', but role 'keep' takes nothing else; remove 'transient' or change "
              "the role");
  ExpectError(
      WithColumns(kPerson + "ward = { role = \"quasi-identifier\", transient = true }\n" + kDisease, Global("2")),
      "8:37: column 'ward' has 'transient', but role 'quasi-identifier' takes only domain, taxonomy, values, date, "
      "decimals, "
      "fold_case, may_be_missing; "
      "remove 'transient' or change the role");
}

TEST(Transient, WithoutTheGlobalGuaranteeItWouldHaveNoEffect) {
  const std::string none =
      "'transient' of column 'disease' would have no effect: only global-guarantee asks which values come and go; "
      "remove it";
  for (const std::string keys : {"transient = true", "transient = false", "transient = [\"flu\"]"}) {
    ExpectError(WithColumns(kPerson + Disease(keys), "[[guarantee]]\ntype = \"k-anonymity\"\nk = 2\n"),
                "8:33: " + none);
  }
}

}  // namespace
}  // namespace pentimento::global_guarantee_test
