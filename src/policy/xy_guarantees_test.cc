// The guarantees over a join with earlier releases.
#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "policy/policy.h"
#include "policy/xy_guarantees_testing.h"

namespace pentimento::xy_guarantees_test {
namespace {

using namespace xy_testing;  // NOLINT: the words in which these tests are written

// The limits begin at column 7 of line 17.
std::string WithLimit(const std::string& limit) { return Written(Linkability("[\"job\"]", "[ { " + limit + " } ]")); }

TEST(XyAnonymity, IsReadAsWritten) {
  const auto policy =
      Only<XyAnonymityPolicy>(Written("[[guarantee]]\ntype = \"xy-anonymity\"\n"
                                      "against = [\"immigration-2025\", \"b\"]\n"
                                      "x = [\"age\", \"disease\", \"income\", \"b:a:c\"]\n"
                                      "y = [\"person\", \"b:who\", \"sex\"]\n"
                                      "k = 40\noverlap = [\"age\"]\n"));
  EXPECT_EQ(policy.against, (Strings{"immigration-2025", "b"}));
  ASSERT_EQ(policy.x.size(), 4u);
  ExpectName(policy.x[0], "", "age", 6);
  ExpectName(policy.x[1], "", "disease", 13);
  ExpectName(policy.x[2], "", "income", 24);
  ExpectName(policy.x[3], "b", "a:c", 34);
  EXPECT_EQ(policy.x[3].position.line, 16u);
  ASSERT_EQ(policy.y.size(), 3u);
  ExpectName(policy.y[0], "", "person", 6);
  ExpectName(policy.y[1], "b", "who", 16);
  ExpectName(policy.y[2], "", "sex", 25);
  EXPECT_EQ(policy.k, 40u);
  EXPECT_EQ(policy.overlap, Strings{"age"});
  EXPECT_EQ(policy.position.line, 13u);
}

TEST(XyAnonymity, WhatIsLeftOutIsEmpty) {
  const Policy policy = Parsed(Written(kShortest));
  EXPECT_TRUE(std::get<XyAnonymityPolicy>(policy.guarantees.at(0)).overlap.empty());
  EXPECT_TRUE(policy.impossible.empty());
  EXPECT_FALSE(policy.utility);
}

TEST(XyAnonymity, KFollowsTheRuleOfKAnonymity) {
  ExpectError(Written(Anonymity("[\"age\"]", "[\"person\"]", "")),
              "13:1: [[guarantee]] has no 'k'; add for example k = 10");
  ExpectError(Written(Anonymity("[\"age\"]", "[\"person\"]", "k = 1")),
              "18:5: k = 1 protects nobody: everyone may stand alone; write a k of at least 2");
  EXPECT_EQ(Only<XyAnonymityPolicy>(Written(Anonymity("[\"age\"]", "[\"person\"]", "k = 2"))).k, 2u);
}

TEST(XyAnonymity, AgainstListsOtherReleasesByTheirNames) {
  const auto with = [](const std::string& against) {
    return Written("[[guarantee]]\ntype = \"xy-anonymity\"\n" + against + "\nx = [\"age\"]\ny = [\"person\"]\nk = 2\n");
  };
  const std::string example = " for example against = [\"immigration-2025\"]";
  ExpectError(with(""), "13:1: [[guarantee]] has no 'against'; add" + example);
  ExpectError(with("against = \"a\""), "15:11: against is a text, but must be a list of texts; write" + example);
  ExpectError(with("against = [1]"),
              "15:12: an entry of against is a whole number, but must be a text; write" + example);
  ExpectError(with("against = [\"a\", \"a\"]"), "15:17: against lists 'a' twice; remove one of the two");
  ExpectError(with("against = [\"a\", \"b/c\"]"),
              "15:17: the release name cannot be a folder name; use 1 to 100 letters (a to z), digits, '.', '_' and "
              "'-', not beginning with '.' or '-'");
  ExpectError(with("against = [\"a\", \"taxation-2026\"]"),
              "15:17: against lists 'taxation-2026', which is this release itself; name releases that are out");
}

TEST(XyAnonymity, AgainstNothingIsAboutThisReleaseAlone) {
  const auto with = [](const std::string& type, const std::string& rest) {
    return Written("[[guarantee]]\ntype = \"" + type + "\"\nagainst = []\nx = [\"age\"]\n" + rest);
  };
  EXPECT_TRUE(Only<XyAnonymityPolicy>(with("xy-anonymity", "y = [\"disease\"]\nk = 2\n")).against.empty());
  const std::string limits = "y = [{ column = \"disease\", at_most = \"1/2\" }]\n";
  EXPECT_TRUE(Only<XyLinkabilityPolicy>(with("xy-linkability", limits)).against.empty());
  const std::string rest =
      "' would have no effect: with against = [] the guarantee is about this release alone, and nothing is matched; "
      "remove it, or name releases in 'against'";
  ExpectError(with("xy-linkability", limits + "overlap = [\"age\"]\n"), "18:1: 'overlap" + rest);
  ExpectError(with("xy-anonymity", "dangling = \"allow\"\ny = [\"disease\"]\nk = 2\n"), "17:1: 'dangling" + rest);
  ExpectError(
      with("xy-linkability", "y = [{ column = \"b:disease\", at_most = \"1/2\" }]\n"),
      "17:17: y names 'b:disease', but 'b' is no release in 'against', and [columns] has no column of the whole "
      "name; write a column of [columns], or RELEASE:COLUMN with a release in 'against'. Did you mean 'disease'?");
}

TEST(XyAnonymity, XAndYAreListsOfDifferentColumns) {
  const std::string x_example = " for example x = [\"age\", \"immigration-2025:sex\"]";
  const std::string y_example = " for example y = [\"person\"]";
  const std::string start = "[[guarantee]]\ntype = \"xy-anonymity\"\nk = 2\n" + kAgainst;
  ExpectError(Written(start + "y = [\"person\"]"), "13:1: [[guarantee]] has no 'x'; add" + x_example);
  ExpectError(Written(start + "x = [\"age\"]"), "13:1: [[guarantee]] has no 'y'; add" + y_example);
  ExpectError(Written(Anonymity("[]", "[\"person\"]")), "16:5: x is an empty list; write" + x_example);
  ExpectError(Written(Anonymity("[\"age\"]", "[]")), "17:5: y is an empty list; write" + y_example);
  ExpectError(Written(Anonymity("\"age\"", "[\"person\"]")),
              "16:5: x is a text, but must be a list of texts; write" + x_example);
  ExpectError(Written(Anonymity("[\"age\"]", "[ { column = \"disease\", at_most = 1 } ]")),
              "17:7: an entry of y is a table, but must be a text; write" + y_example);
  ExpectError(Written(Anonymity("[\"age\", \"age\"]", "[\"person\"]")),
              "16:13: x lists 'age' twice; remove one of the two");
  ExpectError(Written(Anonymity("[\"age\"]", "[\"immigration-2025:a\", \"immigration-2025:a\"]")),
              "17:28: y lists 'immigration-2025:a' twice; remove one of the two");
}

TEST(XyAnonymity, AColumnOfThisReleaseMustBeInTheColumns) {
  ExpectError(Written(Anonymity("[\"agee\"]", "[\"person\"]")),
              "16:6: x names 'agee', which [columns] does not have; write a column of [columns], or RELEASE:COLUMN for "
              "one of an earlier release. Did you mean 'age'?");
  ExpectError(
      Written(Anonymity("[\"age\"]", "[\"persn\"]")),
      "17:6: y names 'persn', which [columns] does not have; write a column of [columns], or RELEASE:COLUMN for "
      "one of an earlier release. Did you mean 'person'?");
}

TEST(XyAnonymity, AReleaseBeforeTheColonMustBeInAgainst) {
  const std::string rest =
      "is no release in 'against', and [columns] has no column of the whole name; write a column of [columns], or "
      "RELEASE:COLUMN with a release in 'against'.";
  ExpectError(
      Written(Anonymity("[\"imigration-2025:sex\"]", "[\"person\"]")),
      "16:6: x names 'imigration-2025:sex', but 'imigration-2025' " + rest + " Did you mean 'immigration-2025:sex'?");
  ExpectError(Written(Anonymity("[\"taxation-2026:sex\"]", "[\"person\"]")),
              "16:6: x names 'taxation-2026:sex', but 'taxation-2026' " + rest);
  ExpectError(Written(Anonymity("[\"immigration-2025:\"]", "[\"person\"]")),
              "16:6: x names no column of the release 'immigration-2025'; write immigration-2025:COLUMN");
}

TEST(XyAnonymity, AColonMayStandInAColumnOfThisReleaseUnlessAReleaseIsMeant) {
  const std::string column = "\"a:b\" = { role = \"class\" }\n";
  const auto own = Only<XyAnonymityPolicy>(Written(Anonymity("[\"a:b\"]", "[\"person\"]"), column));
  ExpectName(own.x.at(0), "", "a:b", 6);
  const std::string guarantee =
      "[[guarantee]]\ntype = \"xy-anonymity\"\nagainst = [\"a\"]\nx = [\"a:b\"]\ny = [\"person\"]\nk = 2\n";
  ExpectName(Only<XyAnonymityPolicy>(Written(guarantee)).x.at(0), "a", "b", 6);
  ExpectError(Written(guarantee, column),
              "17:6: x names 'a:b', which is a column of this release and also reads as a column of the release 'a'; "
              "rename the column in the table");
}

TEST(XyAnonymity, AColumnMayHaveTheNameOfARelease) {
  const auto policy = Only<XyAnonymityPolicy>(
      Written("[[guarantee]]\ntype = \"xy-anonymity\"\nagainst = [\"age\"]\nx = [\"age\"]\ny = [\"person\"]\nk = 2\n"));
  ExpectName(policy.x.at(0), "", "age", 6);
}

TEST(XyAnonymity, XTakesNeitherTheIdNorWhatIsKept) {
  ExpectError(
      Written(Anonymity("[\"age\", \"person\"]", "[\"disease\"]")),
      "16:13: x names 'person', but an id is never published, so nobody can look at it in a release; remove it");
  ExpectError(Written(Anonymity("[\"weight\"]", "[\"person\"]")),
              "16:6: x names 'weight', but a column with the role 'keep' is passed on as text that nothing is promised "
              "about; remove it, or give the column another role");
}

TEST(XyAnonymity, YTakesThePersonButNotWhatIsKept) {
  const auto policy = Only<XyAnonymityPolicy>(
      Written(Anonymity("[\"age\"]", "[\"person\", \"job\", \"disease\", \"income\", \"immigration-2025:a\"]")));
  EXPECT_EQ(policy.y.size(), 5u);
  ExpectError(Written(Anonymity("[\"age\"]", "[\"weight\"]")),
              "17:6: y names 'weight', but a column with the role 'keep' is passed on as text that nothing is promised "
              "about; remove it, or give the column another role");
}

TEST(XyAnonymity, XAndYHaveNoColumnInCommon) {
  ExpectError(Written(Anonymity("[\"age\", \"sex\"]", "[\"person\", \"sex\"]")),
              "17:16: y names 'sex', which x names too, and who knows x knows it already; remove it from one of the "
              "two");
  ExpectError(Written(Anonymity("[\"immigration-2025:race\"]", "[\"immigration-2025:race\"]")),
              "17:6: y names 'immigration-2025:race', which x names too, and who knows x knows it already; remove it "
              "from one of the two");
}

TEST(XyAnonymity, XAndYHaveNoColumnInCommonThroughItsCopyInAnotherRelease) {
  const std::string rest =
      "the same column in another release, and who knows one knows the other; remove one of the two";
  ExpectError(Written(Anonymity("[\"age\", \"immigration-2025:sex\"]", "[\"sex\"]")),
              "17:6: y names 'sex' and x names 'immigration-2025:sex', " + rest);
  ExpectError(Written(Anonymity("[\"sex\"]", "[\"immigration-2025:sex\"]")),
              "17:6: y names 'immigration-2025:sex' and x names 'sex', " + rest);
  ExpectError(Written("[[guarantee]]\ntype = \"xy-anonymity\"\nk = 2\nagainst = [\"a\", \"b\"]\nx = [\"a:sex\"]\n"
                      "y = [\"b:sex\"]\n"),
              "18:6: y names 'b:sex' and x names 'a:sex', " + rest);
}

TEST(XyAnonymity, OverlapListsNumericColumns) {
  const auto with = [](const std::string& overlap) {
    return Written(Anonymity("[\"age\"]", "[\"person\"]", "k = 2\noverlap = " + overlap));
  };
  const std::string rest =
      ", but only intervals of numbers overlap; remove it, or make the column a quasi-identifier with a domain";
  EXPECT_TRUE(Only<XyAnonymityPolicy>(with("[]")).overlap.empty());
  ExpectError(with("[\"sex\"]"), "19:12: overlap names 'sex'" + rest);
  ExpectError(with("[\"age\", \"income\"]"), "19:19: overlap names 'income'" + rest);
  ExpectError(with("[\"ages\"]"),
              "19:12: overlap names 'ages', which [columns] does not have; write a column of [columns]. Did you mean "
              "'age'?");
  ExpectError(with("[\"age\", \"age\"]"), "19:19: overlap lists 'age' twice; remove one of the two");
  ExpectError(with("\"age\""),
              "19:11: overlap is a text, but must be a list of texts; write for example overlap = [\"age\"]");
}

TEST(XyLinkability, IsReadAsWritten) {
  const auto policy = Only<XyLinkabilityPolicy>(
      Written(Linkability("[\"job\", \"immigration-2025:race\"]",
                          "[ { column = \"disease\", values = [\"HIV\", \"Hepatitis\"], at_most = \"1/4\" }, "
                          "{ column = \"disease\", at_most = 0.5 }, { at_most = 1, column = \"immigration-2025:b\" } ]",
                          "overlap = [\"age\"]\n")));
  EXPECT_EQ(policy.against, Strings{"immigration-2025"});
  ASSERT_EQ(policy.x.size(), 2u);
  ExpectName(policy.x[1], "immigration-2025", "race", 13);
  ASSERT_EQ(policy.y.size(), 3u);
  ExpectName(policy.y[0].columns.at(0), "", "disease", 18);
  EXPECT_EQ(policy.y[0].values, (std::vector<Strings>{{"HIV"}, {"Hepatitis"}}));
  EXPECT_EQ(policy.y[0].at_most, (Ratio{1, 4}));
  EXPECT_TRUE(policy.y[1].values.empty());
  EXPECT_EQ(policy.y[1].at_most, (Ratio{1, 2}));
  EXPECT_EQ(policy.y[2].columns.at(0).release, "immigration-2025");
  EXPECT_EQ(policy.y[2].at_most, (Ratio{1, 1}));
  EXPECT_EQ(policy.overlap, Strings{"age"});
  EXPECT_EQ(policy.position.line, 13u);
}

TEST(XyLinkability, FractionsAreExact) {
  const auto limit = [](const std::string& at_most) {
    return Only<XyLinkabilityPolicy>(WithLimit("column = \"disease\", at_most = " + at_most)).y.at(0).at_most;
  };
  EXPECT_EQ(limit("0.29"), (Ratio{29, 100}));
  EXPECT_EQ(limit("\"0.29\""), (Ratio{29, 100}));
  EXPECT_EQ(limit("\"2/6\""), (Ratio{1, 3}));
  EXPECT_EQ(limit("1.0"), (Ratio{1, 1}));
  EXPECT_EQ(limit("\"7/7\""), (Ratio{1, 1}));
  EXPECT_EQ(limit("0.100000000000000001"), (Ratio{100000000000000001, 1000000000000000000}));
  EXPECT_EQ(limit("\"1/18446744073709551615\""), (Ratio{1, 18446744073709551615u}));
}

TEST(XyLinkability, AtMostIsAboveZeroAndAtMostOne) {
  const std::string start = "column = \"disease\", at_most = ";
  const std::string example = "; write for example at_most = \"1/4\"";
  const std::string above = ", but nobody is surer than 1; write a fraction above 0 and at most 1";
  ExpectError(WithLimit("column = \"disease\""),
              "17:7: an entry of y has no 'at_most'; add for example at_most = \"1/4\"");
  for (const std::string zero : {"0", "0.0", "\"0\"", "\"0/3\""}) {
    ExpectError(WithLimit(start + zero),
                "17:39: at_most is 0, which only a release without the value could keep; write a fraction above 0");
  }
  ExpectError(WithLimit(start + "2"), "17:39: at_most is 2" + above);
  ExpectError(WithLimit(start + "1.000000000000000001"), "17:39: at_most is 1.000000000000000001" + above);
  ExpectError(WithLimit(start + "\"5/4\""), "17:39: at_most is 5/4" + above);
  for (const std::string none : {"-0.5", "-1"}) {
    ExpectError(WithLimit(start + none),
                "17:39: at_most is " + none + ", which is below 0; write a fraction above 0 and at most 1");
  }
  for (const std::string none : {"1/0", "1/", "a quarter", "", " 1/4", "25%"}) {
    ExpectError(WithLimit(start + "\"" + none + "\""),
                "17:39: at_most is '" + none + "', which cannot be read as an exact fraction" + example);
  }
  ExpectError(WithLimit(start + "0.1234567890123456789"),
              "17:39: at_most is not a number of at most 18 digits" + example);
  ExpectError(WithLimit(start + "nan"), "17:39: at_most is not a number of at most 18 digits" + example);
  ExpectError(WithLimit(start + "true"), "17:39: at_most is a boolean, but must be a fraction" + example);
}

TEST(XyLinkability, YIsAListOfTables) {
  const std::string example = " for example y = [{ column = \"disease\", at_most = \"1/4\" }]";
  const std::string start = "[[guarantee]]\ntype = \"xy-linkability\"\n" + kAgainst + "x = [\"job\"]\n";
  ExpectError(Written(start), "13:1: [[guarantee]] has no 'y'; add" + example);
  ExpectError(Written(start + "y = []"), "17:5: y is an empty list; write" + example);
  ExpectError(Written(start + "y = \"disease\""), "17:5: y is a text, but must be a list of tables; write" + example);
  ExpectError(Written(start + "y = [\"disease\"]"),
              "17:6: an entry of y is a text, but must be a table; write" + example);
  ExpectError(WithLimit("at_most = 1"), "17:7: an entry of y has no 'column'; add for example column = \"disease\"");
  ExpectError(WithLimit("column = 1, at_most = 1"),
              "17:18: 'column' of an entry of y is a whole number, but must be a text; write for example column = "
              "\"disease\"");
  ExpectError(
      WithLimit("colum = \"disease\", at_most = 1"),
      "17:9: unknown key 'colum' in an entry of y; use only column, columns, values, at_most. Did you mean 'column'?");
}

TEST(XyLinkability, YTakesWhatIsPublishedAndKnownToBinding) {
  for (const std::string column : {"age", "job", "disease", "income", "immigration-2025:status"}) {
    const auto policy = Only<XyLinkabilityPolicy>(
        Written(Linkability("[\"sex\"]", "[ { column = \"" + column + "\", at_most = \"1/2\" } ]")));
    EXPECT_EQ(policy.y.size(), 1u);
  }
  ExpectError(
      WithLimit("column = \"person\", at_most = 1"),
      "17:18: y names 'person', but an id is never published, so nobody can look at it in a release; remove it");
  ExpectError(
      WithLimit("column = \"weight\", at_most = 1"),
      "17:18: y names 'weight', but a column with the role 'keep' is passed on as text that nothing is promised "
      "about; remove it, or give the column another role");
  ExpectError(WithLimit("column = \"diseas\", at_most = 1"),
              "17:18: y names 'diseas', which [columns] does not have; write a column of [columns], or RELEASE:COLUMN "
              "for one of an earlier release. Did you mean 'disease'?");
}

TEST(XyLinkability, XAndYHaveNoColumnInCommon) {
  ExpectError(WithLimit("column = \"job\", at_most = 1"),
              "17:18: y names 'job', which x names too, and who knows x knows it already; remove it from one of the "
              "two");
  ExpectError(WithLimit("column = \"immigration-2025:job\", at_most = 1"),
              "17:18: y names 'immigration-2025:job' and x names 'job', the same column in another release, and who "
              "knows one knows the other; remove one of the two");
}

TEST(XyLinkability, ValuesFollowTheRuleOfColumns) {
  const auto with = [](const std::string& values) {
    return WithLimit("column = \"disease\", at_most = 1, values = " + values);
  };
  const std::string name = "'values' of an entry of y ";
  ExpectError(with("[]"), "17:51: " + name + "is an empty list; write for example values = [\"Female\", \"Male\"]");
  ExpectError(with("[\"a\", \"a\"]"), "17:57: " + name + "lists 'a' twice; remove one of the two");
  ExpectError(with("[\"*\"]"), "17:52: " + name + "lists '*', which is how \"any value\" is published; remove it");
  ExpectError(with("[\"\"]"),
              "17:52: " + name + "lists the empty text, which is how a missing value is published; remove it");
}

TEST(XyLinkability, WhatIsMissingHereMayBeAValueElsewhere) {
  const auto with = [](const std::string& column) {
    std::string text = WithLimit("column = \"" + column + "\", at_most = 1, values = [\"NA\"]");
    return text.insert(text.find("[columns]"), "missing = [\"NA\"]\n");
  };
  ExpectError(
      with("disease"),
      "18:52: 'values' of an entry of y lists 'NA', which [input] missing lists too; keep it in one of the two");
  EXPECT_EQ(Only<XyLinkabilityPolicy>(with("immigration-2025:b")).y.at(0).values, std::vector<Strings>{{"NA"}});
}

TEST(XyLinkability, ALimitMayBeForCombinationsOfColumns) {
  const auto policy = Only<XyLinkabilityPolicy>(Written(Linkability(
      "[\"job\"]",
      "[ { columns = [\"disease\", \"immigration-2025:b\"], values = [[\"HIV\", \"low\"], [\"flu\", \"low\"]], "
      "at_most = \"1/4\" }, { columns = [\"disease\", \"income\"], at_most = 0.5 } ]")));
  ASSERT_EQ(policy.y.size(), 2u);
  ASSERT_EQ(policy.y[0].columns.size(), 2u);
  ExpectName(policy.y[0].columns[0], "", "disease", 20);
  ExpectName(policy.y[0].columns[1], "immigration-2025", "b", 31);
  EXPECT_EQ(policy.y[0].values, (std::vector<Strings>{{"HIV", "low"}, {"flu", "low"}}));
  EXPECT_TRUE(policy.y[1].values.empty());
}

TEST(XyLinkability, ACombinationHasAValueForEachOfItsColumns) {
  const auto with = [](const std::string& rest) { return WithLimit("at_most = 1, columns = " + rest); };
  const std::string columns = "[\"disease\", \"income\"]";
  const std::string example = " for example values = [[\"HIV\", \"low\"]]";
  const std::string of_values = "'values' of an entry of y ";
  ExpectError(
      with("[\"disease\"]"),
      "17:32: 'columns' of an entry of y is for combinations of at least two columns; write for example columns "
      "= [\"disease\", \"income\"], or column = \"COLUMN\"");
  ExpectError(with(columns + ", column = \"disease\""),
              "17:55: an entry of y has 'column' and 'columns'; keep one of the two");
  ExpectError(with("[\"disease\", \"disease\"]"),
              "17:44: 'columns' of an entry of y lists 'disease' twice; remove one of the two");
  ExpectError(
      with("[\"disease\", \"job\"]"),
      "17:44: y names 'job', which x names too, and who knows x knows it already; remove it from one of the two");
  ExpectError(
      with("[\"disease\", \"person\"]"),
      "17:44: y names 'person', but an id is never published, so nobody can look at it in a release; remove it");
  ExpectError(with(columns + ", values = [\"HIV\"]"),
              "17:65: " + of_values +
                  "lists a text, but every entry must be a list with one text for each of the 2 columns; write" +
                  example);
  ExpectError(with(columns + ", values = [[\"HIV\"]]"),
              "17:65: " + of_values +
                  "lists a list of 1, but every entry must be a list with one text for each of the 2 columns; write" +
                  example);
  ExpectError(with(columns + ", values = []"), "17:64: " + of_values + "is an empty list; write" + example);
  ExpectError(with(columns + ", values = \"HIV\""),
              "17:64: " + of_values + "is a text, but must be a list of lists; write" + example);
  ExpectError(with(columns + ", values = [[\"HIV\", \"*\"]]"),
              "17:73: " + of_values + "lists '*', which is how \"any value\" is published; remove it");
  ExpectError(with(columns + ", values = [[\"HIV\", \"low\"], [\"HIV\", \"low\"]]"),
              "17:81: " + of_values + "lists the same combination twice; remove one of the two");
}

TEST(XyLinkability, TheSameCombinationsHaveOneLimitInWhateverOrder) {
  const auto two = [](const std::string& first, const std::string& second) {
    return Written(Linkability("[\"job\"]", "[{ at_most = 1, " + first + " },\n{ at_most = 1, " + second + " }]"));
  };
  ExpectError(two("columns = [\"disease\", \"income\"]", "columns = [\"income\", \"disease\"]"),
              "18:1: y has two limits for the same values of 'income', 'disease'; keep the smaller one");
  ExpectError(two("columns = [\"disease\", \"income\"], values = [[\"a\", \"b\"], [\"c\", \"d\"]]",
                  "columns = [\"income\", \"disease\"], values = [[\"d\", \"c\"], [\"b\", \"a\"]]"),
              "18:1: y has two limits for the same values of 'income', 'disease'; keep the smaller one");
  EXPECT_EQ(Only<XyLinkabilityPolicy>(two("columns = [\"disease\", \"income\"], values = [[\"a\", \"b\"]]",
                                          "columns = [\"disease\", \"income\"], values = [[\"b\", \"a\"]]"))
                .y.size(),
            2u);
}

TEST(XyLinkability, TheSameValuesHaveOneLimit) {
  const auto two = [](const std::string& first, const std::string& second) {
    return Written(Linkability("[\"job\"]", "[{ " + first + " }, { " + second + " }]"));
  };
  ExpectError(two("column = \"disease\", at_most = 1", "column = \"disease\", at_most = \"1/2\""),
              "17:43: y has two limits for the same values of 'disease'; keep the smaller one");
  ExpectError(two("column = \"disease\", values = [\"a\", \"b\"], at_most = 1",
                  "column = \"disease\", values = [\"b\", \"a\"], at_most = 1"),
              "17:64: y has two limits for the same values of 'disease'; keep the smaller one");
  EXPECT_EQ(Only<XyLinkabilityPolicy>(two("column = \"disease\", values = [\"a\"], at_most = 1",
                                          "column = \"disease\", values = [\"b\"], at_most = 1"))
                .y.size(),
            2u);
  EXPECT_EQ(Only<XyLinkabilityPolicy>(
                two("column = \"disease\", at_most = 1", "column = \"immigration-2025:disease\", at_most = 1"))
                .y.size(),
            2u);
}

}  // namespace
}  // namespace pentimento::xy_guarantees_test
