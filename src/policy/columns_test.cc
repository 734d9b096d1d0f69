#include <gtest/gtest.h>

#include <string>

#include "policy/policy.h"

namespace pentimento::columns_test {
namespace {

// The columns begin on line 4 of every policy here.
Result<Policy> Parse(const std::string& columns, const std::string& missing = "[]") {
  return ParsePolicy("version = 1\nrelease = \"a\"\n[columns]\n" + columns + "\n[input]\npath = \"a.csv\"\nmissing = " +
                         missing + "\n[[guarantee]]\ntype = \"k-anonymity\"\nk = 2\n",
                     "p.toml");
}

void ExpectError(const std::string& columns, const std::string& beginning, const std::string& missing = "[]") {
  const Result<Policy> policy = Parse(columns, missing);
  ASSERT_FALSE(policy.ok()) << "accepted, but should say: " << beginning;
  const std::string& message = policy.error().message;
  EXPECT_EQ(policy.error().code, ErrorCode::kBadPolicy);
  EXPECT_EQ(message.substr(0, 7 + beginning.size()), "p.toml:" + beginning) << "whole message: " << message;
  EXPECT_NE(message.find("; "), std::string::npos) << message;
}

ColumnPolicy FirstColumn(const std::string& column) {
  const Result<Policy> policy = Parse(column);
  EXPECT_TRUE(policy.ok()) << policy.error().message;
  return policy.ok() ? policy->columns.at(0) : ColumnPolicy();
}

std::string Domain(const std::string& bounds) { return "a = { role = \"quasi-identifier\", domain = " + bounds + " }"; }
std::string Values(const std::string& list) { return "a = { role = \"quasi-identifier\", values = " + list + " }"; }

std::string DomainRead(const std::string& bounds) {
  const ColumnPolicy column = FirstColumn(Domain(bounds));
  return column.domain ? ToString(column.domain->first) + " to " + ToString(column.domain->second) : "none";
}

TEST(Columns, AtLeastOneIsNamed) {
  ExpectError("", "3:1: [columns] names no column");
  const Result<Policy> none = ParsePolicy("version = 1\nrelease = \"a\"\n[input]\npath = \"a\"", "p.toml");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message.substr(0, 42), "p.toml:1:1: the policy has no 'columns'; a");
}

TEST(Columns, AColumnIsATable) {
  ExpectError("a = \"keep\"", "4:5: column 'a' is a text, but must be a table; write for example { role = \"keep\" }");
}

TEST(Columns, ARoleIsRequiredAndKnown) {
  ExpectError("a = {}", "4:5: column 'a' has no 'role'");
  ExpectError("a = { role = 1 }", "4:14: the role of column 'a' is a whole number, but must be a text");
  ExpectError("a = { role = \"quasi-identifer\" }",
              "4:14: the role of column 'a' cannot be 'quasi-identifer'; write one of id, quasi-identifier, sensitive, "
              "class, keep. Did you mean 'quasi-identifier'?");
}

TEST(Columns, AQuasiIdentifierSaysInExactlyOneWayWhatItsValuesAre) {
  ExpectError("a = { role = \"quasi-identifier\" }",
              "4:5: column 'a' is a quasi-identifier but does not say what its values are; add one of domain, "
              "taxonomy, values");
  ExpectError("[columns.a]\nrole = \"quasi-identifier\"\ndomain = [0, 1]\nvalues = [\"x\"]",
              "7:1: column 'a' has 'domain' and 'values'; keep one of the two");
  ExpectError("a = { taxonomy = \"t.csv\", role = \"quasi-identifier\", domain = [0, 1] }",
              "4:54: column 'a' has 'taxonomy' and 'domain'; keep one of the two");
}

TEST(Columns, KeysThatTheRoleDoesNotTakeAreRefused) {
  ExpectError("a = { role = \"id\", values = [\"x\"] }",
              "4:20: column 'a' has 'values', but role 'id' takes only fold_case");
  ExpectError("a = { role = \"class\", domain = [0, 1] }",
              "4:23: column 'a' has 'domain', but role 'class' takes nothing else");
  ExpectError("a = { role = \"keep\", taxonomy = \"t\" }",
              "4:22: column 'a' has 'taxonomy', but role 'keep' takes nothing else");
  ExpectError("a = { role = \"sensitive\", domain = [0, 1] }",
              "4:27: column 'a' has 'domain', but role 'sensitive' takes only values, transient; remove 'domain' or "
              "change the role");
}

TEST(Columns, BoundsAreReadAsTheyAreWritten) {
  EXPECT_EQ(DomainRead("[0, 120]"), "0 to 120");
  EXPECT_EQ(DomainRead("[-0.5, 0.1]"), "-0.5 to 0.1");
  EXPECT_EQ(DomainRead("[0.1, 0.30]"), "0.1 to 0.3");
  EXPECT_EQ(DomainRead("[ 0.1 ,0x10]"), "0.1 to 16");
  EXPECT_EQ(DomainRead("[+1_0.2_5, 1.5e3]"), "10.25 to 1500");
  EXPECT_EQ(DomainRead("[0.0, 1E-3]"), "0 to 0.001");
  EXPECT_EQ(DomainRead("[0, 9223372036854775807]"), "0 to 9223372036854775807");
  // A double ends after 17 digits and would make this bound 0.12345678901234568.
  EXPECT_EQ(DomainRead("[0, 0.123456789012345678]"), "0 to 0.123456789012345678");
}

TEST(Columns, BoundsAfterLettersOutsideAsciiAreStillFoundInTheText) {
  EXPECT_EQ(ToString(FirstColumn("\"größe €\" = { role = \"quasi-identifier\", domain = [0, 0.123456789012345678] }")
                         .domain->second),
            "0.123456789012345678");
}

TEST(Columns, ADomainIsTwoNumbersTheSmallerFirst) {
  ExpectError(Domain("5"), "4:43: 'domain' of column 'a' is a whole number; write two numbers");
  ExpectError(Domain("[]"), "4:43: 'domain' of column 'a' is a list of length 0");
  ExpectError(Domain("[1]"), "4:43: 'domain' of column 'a' is a list of length 1");
  ExpectError(Domain("[1, 2, 3]"), "4:43: 'domain' of column 'a' is a list of length 3");
  ExpectError(Domain("[0, \"9\"]"), "4:47: 'domain' of column 'a' has a text as a bound");
  ExpectError(Domain("[true, 2]"), "4:44: 'domain' of column 'a' has a boolean as a bound");
  ExpectError(Domain("[5, 5]"), "4:43: 'domain' of column 'a' goes from 5 to 5; write the smaller bound first");
  ExpectError(Domain("[0.5, 0.50]"), "4:43: 'domain' of column 'a' goes from 0.5 to 0.5");
  ExpectError(Domain("[9, 0.5]"), "4:43: 'domain' of column 'a' goes from 9 to 0.5");
}

TEST(Columns, BoundsThatCannotBeExactAreRefused) {
  ExpectError(Domain("[0, inf]"), "4:47: 'domain' of column 'a' has a bound that is not a number of at most 18 digits");
  ExpectError(Domain("[nan, 1]"), "4:44: 'domain' of column 'a' has a bound that is not a number of at most 18 digits");
  ExpectError(Domain("[0, 0.1234567890123456789]"), "4:47: 'domain' of column 'a' has a bound that is not a number of");
  ExpectError(Domain("[0, 1e300]"), "4:47: 'domain' of column 'a' has a bound that is not a number of");
  ExpectError(Domain("[0.001, 9223372036854775807]"),
              "4:43: 'domain' of column 'a' is wider than 64 bits can count at 3 digits");
  ExpectError(Domain("[-9223372036854775808, 9]"), "4:43: 'domain' of column 'a' is wider than 64 bits can count");
}

TEST(Columns, ATaxonomyIsAPath) {
  ExpectError("a = { role = \"quasi-identifier\", taxonomy = [\"t\"] }",
              "4:45: 'taxonomy' of column 'a' is a list, but must be a text");
  ExpectError("a = { role = \"quasi-identifier\", taxonomy = \"\" }", "4:45: 'taxonomy' of column 'a' is empty");
}

TEST(Columns, ValuesAreDifferentTextsThatMeanNothingElse) {
  ExpectError(Values("\"x\""), "4:43: 'values' of column 'a' is a text, but must be a list of texts");
  ExpectError(Values("[]"), "4:43: 'values' of column 'a' is an empty list");
  ExpectError(Values("[\"x\", 1]"), "4:49: an entry of 'values' of column 'a' is a whole number");
  ExpectError(Values("[\"x\", \"y\", \"x\"]"), "4:54: 'values' of column 'a' lists 'x' twice");
  ExpectError(Values("[\"x\", \"\"]"), "4:49: 'values' of column 'a' lists the empty text");
  ExpectError(Values("[\"*\"]"), "4:44: 'values' of column 'a' lists '*'");
  ExpectError(Values("[\"x\", \"NA\"]"), "4:49: 'values' of column 'a' lists 'NA', which [input] missing lists too",
              "[\"NA\"]");
}

TEST(Columns, SensitiveValuesFollowTheSameRules) {
  const std::string column = "b = { role = \"sensitive\", values = ";
  ExpectError(column + "[\"x\", \"x\"] }", "4:42: 'values' of column 'b' lists 'x' twice");
  ExpectError(column + "[\"?\"] }", "4:37: 'values' of column 'b' lists '?', which [input] missing lists too",
              "[\"\", \"?\"]");
}

TEST(Columns, OnlyOneColumnSaysWhoARowIsAbout) {
  ExpectError(Values("[\"x\"]") + "\nb = { role = \"id\" }\nc = { role = \"id\" }",
              "6:1: columns 'b' and 'c' both have the role 'id'");
}

TEST(Columns, AtLeastOneIsAQuasiIdentifier) {
  ExpectError("b = { role = \"id\" }\nc = { role = \"keep\" }", "3:1: no column is a quasi-identifier");
}

}  // namespace
}  // namespace pentimento::columns_test
