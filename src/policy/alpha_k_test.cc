#include <gtest/gtest.h>

#include "policy/policy.h"
#include "policy/xy_guarantees_testing.h"

namespace pentimento::alpha_k_test {
namespace {

using xy_testing::ExpectError;
using xy_testing::Only;
using xy_testing::Parsed;
using xy_testing::Written;

// The guarantee's keys stand on lines 15 (alpha), 16 (k) and 17 on.
std::string AlphaK(const std::string& alpha, const std::string& more = "") {
  return "[[guarantee]]\ntype = \"alpha-k-anonymity\"\nalpha = " + alpha + "\nk = 2\n" + more;
}
std::string Limits(const std::string& entries) { return AlphaK("\"1/3\"", "limits = [" + entries + "]\n"); }
// [publish] stands on line 17, its keys from line 18 on.
std::string Publishing(const std::string& keys) { return Written(AlphaK("\"1/3\"", "[publish]\n" + keys)); }

TEST(AlphaK, AlphaIsReadExactlyAsWritten) {
  const auto third = Only<AlphaKAnonymityPolicy>(Written(AlphaK("\"1/3\"")));
  EXPECT_EQ(third.alpha, (Ratio{1, 3}));
  EXPECT_EQ(third.k, 2u);
  EXPECT_TRUE(third.limits.empty());
  EXPECT_EQ(third.position.line, 13u);
  EXPECT_EQ(Only<AlphaKAnonymityPolicy>(Written(AlphaK("0.29"))).alpha, (Ratio{29, 100}));
  EXPECT_EQ(Only<AlphaKAnonymityPolicy>(Written(AlphaK("1"))).alpha, (Ratio{1, 1}));
}

TEST(AlphaK, AlphaIsAboveZeroAndAtMostOne) {
  ExpectError(Written(AlphaK("0")),
              "15:9: alpha is 0, which only a release without the value could keep; write a fraction above 0");
  ExpectError(Written(AlphaK("\"3/2\"")),
              "15:9: alpha is 3/2, but nobody is surer than 1; write a fraction above 0 and at most 1");
  ExpectError(Written(AlphaK("\"-1/2\"")),
              "15:9: alpha is -1/2, which is below 0; write a fraction above 0 and at most 1");
  ExpectError(Written(AlphaK("-0.5")), "15:9: alpha is -0.5, which is below 0; write a fraction above 0 and at most 1");
  ExpectError(Written(AlphaK("\"0.3333333333333333333\"")),
              "15:9: alpha has more digits than can be read exactly, which are 18 after the point; write for example "
              "alpha = \"1/3\"");
  ExpectError(Written(AlphaK("\"half\"")),
              "15:9: alpha is 'half', which cannot be read as an exact fraction; write for example alpha = \"1/3\"");
  ExpectError(Written("[[guarantee]]\ntype = \"alpha-k-anonymity\"\nk = 2\n"),
              "13:1: [[guarantee]] has no 'alpha'; add for example alpha = \"1/3\"");
  ExpectError(Written("[[guarantee]]\ntype = \"alpha-k-anonymity\"\nalpha = \"1/3\"\nk = 1\n"),
              "16:5: k = 1 protects nobody: everyone may stand alone; write a k of at least 2");
}

TEST(AlphaK, ASensitiveColumnIsNeeded) {
  ExpectError(R"(version = 1
release = "a"
[input]
path = "a.csv"
[columns]
age = { role = "quasi-identifier", domain = [0, 120] }
)" + AlphaK("\"1/3\""),
              "7:1: alpha-k-anonymity limits how frequent a sensitive value may be, but no column has the role "
              "'sensitive'; give it to what nobody should learn about a person");
}

TEST(AlphaK, AColumnIsNotQuasiIdentifierAndSensitiveAtOnce) {
  ExpectError(Written(AlphaK("\"1/3\""), "ward = { role = [\"quasi-identifier\", \"sensitive\"], values = [\"a\"] }\n"),
              "13:17: column 'ward' is given a list of roles, but a column has one: what people are recognized by "
              "cannot be what nobody should learn about them; write one of id, quasi-identifier, sensitive, class, "
              "keep");
  const Result<Policy> twice = ParsePolicy(
      Written(AlphaK("\"1/3\""), "disease = { role = \"quasi-identifier\", values = [\"a\"] }\n"), "p.toml");
  ASSERT_FALSE(twice.ok());
  EXPECT_TRUE(twice.error().message.starts_with("p.toml:13:")) << twice.error().message;
  EXPECT_NE(twice.error().message.find("keep one of the two"), std::string::npos) << twice.error().message;
}

TEST(AlphaK, LimitsAreForSetsOfValuesOfSensitiveColumns) {
  const auto read = Only<AlphaKAnonymityPolicy>(
      Written(Limits(R"({ column = "disease", values = ["HIV", "Hepatitis"], at_most = "1/10" })")));
  ASSERT_EQ(read.limits.size(), 1u);
  EXPECT_EQ(read.limits[0].column, "disease");
  EXPECT_EQ(read.limits[0].values, (std::vector<std::string>{"HIV", "Hepatitis"}));
  EXPECT_EQ(read.limits[0].at_most, (Ratio{1, 10}));

  ExpectError(Written(Limits(R"({ column = "disase", values = ["HIV"], at_most = "1/10" })")),
              "17:22: limits names 'disase', which [columns] does not have; write a sensitive column of [columns]. Did "
              "you mean 'disease'?");
  ExpectError(Written(Limits(R"({ column = "age", values = ["30"], at_most = "1/10" })")),
              "17:22: limits names 'age', but only the values of sensitive columns are limited, and a column has one "
              "role; name a sensitive column, or give this one the role 'sensitive'");
  ExpectError(Written(Limits(R"({ column = "disease", values = [], at_most = "1/10" })")),
              "17:42: 'values' of an entry of limits is an empty list; write for example values = [\"Female\", "
              "\"Male\"]");
  ExpectError(Written(Limits(R"({ column = "disease", values = ["HIV", "HIV"], at_most = "1/10" })")),
              "17:50: 'values' of an entry of limits lists 'HIV' twice; remove one of the two");
  ExpectError(Written(Limits(R"({ column = "disease", at_most = "1/10" })")),
              "17:11: an entry of limits has no 'values'; add for example values = [\"HIV\", \"Hepatitis\"]");
  ExpectError(Written(Limits("")),
              "17:10: limits is an empty list; remove it, or write for example limits = [{ column = \"disease\", "
              "values = [\"HIV\"], at_most = \"1/10\" }]");
  ExpectError(Written(Limits(R"({ column = "disease", values = ["a", "b"], at_most = "1/10" },)"
                             R"({ column = "disease", values = ["b", "a"], at_most = "1/9" })")),
              "17:73: limits has two entries for the same values of 'disease'; keep the one with the smaller at_most");
}

TEST(AlphaK, ALimitThatAlphaKeepsAlreadyIsRefused) {
  const std::string none =
      "the limit on 'disease' would have no effect: alpha = 1/3 for each of these values allows no more of them "
      "together; lower at_most or remove the limit";
  ExpectError(Written(Limits(R"({ column = "disease", values = ["HIV"], at_most = "1/3" })")), "17:61: " + none);
  ExpectError(Written(Limits(R"({ column = "disease", values = ["a", "b"], at_most = "2/3" })")), "17:64: " + none);
  EXPECT_EQ(
      Parsed(Written(Limits(R"({ column = "disease", values = ["a", "b"], at_most = "1/2" })"))).guarantees.size(), 1u);
  ExpectError(Written(Limits(R"({ column = "disease", values = ["a"], at_most = 1 })")),
              "17:59: the limit on 'disease' would have no effect: nothing is more frequent than 1; lower at_most or "
              "remove the limit");
  // alpha speaks of the listed values alone, so this limit is the only one on its value.
  EXPECT_EQ(Parsed(Written(Limits(R"({ column = "ward", values = ["b"], at_most = "1/2" })"),
                           "ward = { role = \"sensitive\", values = [\"a\"] }\n"))
                .guarantees.size(),
            1u);
}

TEST(AlphaK, ItGoesWithKAnonymityAndWithNothingOverSeveralReleases) {
  EXPECT_EQ(Parsed(Written(AlphaK("\"1/3\"") + "[[guarantee]]\ntype = \"k-anonymity\"\nk = 5\n")).guarantees.size(),
            2u);
  ExpectError(Written(AlphaK("\"1/3\"") + "[[guarantee]]\ntype = \"incremental-k-anonymity\"\nk = 5\nseries = \"s\"\n"),
              "17:1: alpha-k-anonymity covers one release, and the groups of a series are refined from release to "
              "release, so it cannot go with incremental-k-anonymity; keep one of them");
  ExpectError(
      Written(xy_testing::kShortest + AlphaK("\"1/3\"")),
      "19:1: alpha-k-anonymity limits values in classes of this release, while xy-anonymity and "
      "xy-linkability are about values on x, also where releases are joined, and no maker here keeps both; keep one "
      "of them, xy-linkability limits sensitive values, too");
  ExpectError(Written(AlphaK("\"1/3\"") + AlphaK("\"1/4\"")),
              "17:1: alpha-k-anonymity is asked for twice; keep one, with the smaller alpha and the larger k, and list "
              "what is stricter under limits");
}

TEST(AlphaK, TwoTablesAreForNoGuaranteeAboutQuasiIdentifiers) {
  EXPECT_EQ(Parsed(Publishing("form = \"two-tables\"")).form, PublishForm::kTwoTables);
  EXPECT_EQ(Parsed(Publishing("form = \"generalized\"")).form, PublishForm::kGeneralized);
  ExpectError(
      Written("[[guarantee]]\ntype = \"k-anonymity\"\nk = 5\n" + AlphaK("\"1/3\"", "[publish]\nform = \"two-tables\"")),
      "21:8: form = \"two-tables\" keeps alpha-k-anonymity and global-guarantee and no other guarantee, because the "
      "quasi-identifiers are published as they are; remove the others, or write form = \"generalized\"");
  for (const std::string name : {"class_id", "count"}) {
    ExpectError(Written(AlphaK("\"1/3\"", "[publish]\nform = \"two-tables\""), name + " = { role = \"keep\" }\n"),
                "13:1: with form = \"two-tables\" the release has a column '" + name +
                    "' of its own; rename the column in the table, or leave it out of [columns]");
    EXPECT_EQ(Parsed(Written(AlphaK("\"1/3\""), name + " = { role = \"keep\" }\n")).columns.size(), 8u);
  }
}

TEST(AlphaK, TwoTablesAreNotImported) {
  const std::string text = R"(version = 1
release = "a"
[columns]
age = { role = "quasi-identifier", domain = [0, 120] }
disease = { role = "sensitive" }
)" + AlphaK("\"1/3\"", "[publish]\nform = \"two-tables\"");
  const Result<Policy> policy = ParsePolicy(text, "p.toml", PolicyUse::kImport);
  ASSERT_FALSE(policy.ok());
  EXPECT_EQ(
      policy.error().message,
      "p.toml:11:8: only a release in one table can be imported: nobody can join a release with two tables row by "
      "row; remove form = \"two-tables\"");
}

TEST(AlphaK, TheMethodIsChosenWhereThereIsAChoice) {
  EXPECT_EQ(Parsed(Publishing("")).method, std::nullopt);
  EXPECT_EQ(Parsed(Publishing("method = \"partition\"")).method, Method::kPartition);
  EXPECT_EQ(Parsed(Publishing("method = \"recode\"")).method, Method::kRecode);
  EXPECT_EQ(Parsed(Publishing("form = \"two-tables\"\nmethod = \"anatomy\"")).method, Method::kAnatomy);
  ExpectError(
      Publishing("form = \"two-tables\"\nmethod = \"recode\""),
      "19:10: method = \"recode\" moves single rows to coarser classes, and the exact quasi-identifiers of form = "
      "\"two-tables\" would show which rows were moved; write method = \"partition\" or \"anatomy\", or form = "
      "\"generalized\"");
  ExpectError(
      Publishing("method = \"anatomy\""),
      "18:10: method = \"anatomy\" puts people together whatever their quasi-identifiers are, so it serves form "
      "= \"two-tables\" only; write that form, or method = \"partition\" or \"recode\"");
  ExpectError(
      Written(xy_testing::kShortest + "[publish]\nmethod = \"partition\""),
      "20:1: [publish] method would have no effect: a series, xy-anonymity and xy-linkability have one method each; "
      "remove it");
  for (const std::string form : {"", "form = \"two-tables\"\n"}) {
    ExpectError(Publishing(form + "method = \"specialize\""),
                std::string(form.empty() ? "18" : "19") +
                    ":10: method = \"specialize\" makes k-anonymous tables and does not look at the sensitive values "
                    "that alpha-k-anonymity limits; write another method, or ask for xy-linkability with against = [] "
                    "instead");
  }
}

TEST(AlphaK, KeysWithoutEffectAreRefused) {
  ExpectError(Publishing("form = \"two-tables\"\ncategories = \"taxonomy\""),
              "19:1: [publish] categories would have no effect: with form = \"two-tables\" no value is generalized; "
              "remove it");
  ExpectError(Publishing("method = \"recode\"\ncategories = \"sets\""),
              "19:14: categories = \"sets\" would have no effect: method = \"recode\" goes from label to label of a "
              "taxonomy and makes no sets; write categories = \"taxonomy\" or method = \"partition\"");
  ExpectError(Publishing("sensitive_tables = \"combined\""),
              "18:1: [publish] sensitive_tables would have no effect: it serves form = \"two-tables\"; remove it or "
              "write that form");
  ExpectError(Publishing("form = \"two-tables\"\nsensitive_tables = \"combined\""),
              "19:1: [publish] sensitive_tables would have no effect: it says how several sensitive columns are "
              "published, and there is one; remove it");
  EXPECT_EQ(Parsed(Written(AlphaK("\"1/3\"", "[publish]\nform = \"two-tables\"\nsensitive_tables = \"combined\""),
                           "ward = { role = \"sensitive\" }\n"))
                .sensitive_tables,
            SensitiveTables::kCombined);
}

}  // namespace
}  // namespace pentimento::alpha_k_test
