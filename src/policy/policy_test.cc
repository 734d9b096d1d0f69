#include "policy/policy.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace pentimento::policy_test {
namespace {

// A policy of nine lines, of which each test changes one.
const std::vector<std::string> kLines = {
    "version = 1",   "release = \"taxation-2026\"",
    "[input]",       "path = \"taxation.csv\"",
    "[columns]",     "age = { role = \"quasi-identifier\", domain = [0, 120] }",
    "[[guarantee]]", "type = \"k-anonymity\"",
    "k = 10",
};

std::string WithLine(std::size_t number, const std::string& replacement) {
  std::string text;
  for (std::size_t i = 0; i < kLines.size(); ++i) text += (i + 1 == number ? replacement : kLines[i]) + "\n";
  return text;
}

std::string WithColumn(const std::string& line) { return WithLine(6, kLines[5] + "\n" + line); }

Policy Parsed(const std::string& text) {
  Result<Policy> policy = ParsePolicy(text, "folder/p.toml");
  EXPECT_TRUE(policy.ok()) << policy.error().message << "\n" << text;
  return policy.ok() ? std::move(policy).value() : Policy();
}

// Every refusal is a kBadPolicy (exit code 2) that begins with the place and the mistake and goes on with what to do.
void ExpectError(const std::string& text, const std::string& beginning) {
  const Result<Policy> policy = ParsePolicy(text, "p.toml");
  ASSERT_FALSE(policy.ok()) << "accepted, but should say: " << beginning << "\n" << text;
  const std::string& message = policy.error().message;
  EXPECT_EQ(policy.error().code, ErrorCode::kBadPolicy);
  EXPECT_EQ(message.substr(0, 7 + beginning.size()), "p.toml:" + beginning) << "whole message: " << message;
  EXPECT_NE(message.find("; "), std::string::npos) << message;
}

TEST(Policy, AFullPolicyIsReadAsWritten) {
  const std::string text = R"(version = 1
release = "taxation-2026"
[input]
path = ["a.csv", "/data/b.parquet"]
missing = ["", "?", "NA"]
[columns]
weight  = { role = "keep" }
person  = { role = "id" }
age     = { role = "quasi-identifier", domain = [-1, 120.50] }
job     = { role = "quasi-identifier", taxonomy = "job.csv" }
sex     = { role = "quasi-identifier", values = ["Male", "Female"] }
disease = { role = "sensitive", values = ["HIV"] }
illness = { role = "sensitive" }
income  = { role = "class" }
[[guarantee]]
type = "k-anonymity"
k = 4294967296
[publish]
form = "generalized"
format = "parquet"
categories = "sets"
)";
  const Policy policy = Parsed(text);
  ASSERT_EQ(policy.columns.size(), 8u);
  EXPECT_EQ(policy.release, "taxation-2026");
  EXPECT_EQ(policy.inputs, (std::vector<std::filesystem::path>{"folder/a.csv", "/data/b.parquet"}));
  EXPECT_EQ(policy.missing, (std::vector<std::string>{"", "?", "NA"}));
  EXPECT_EQ(policy.columns[0].role, Role::kKeep);
  EXPECT_EQ(policy.columns[1].role, Role::kId);
  EXPECT_EQ(policy.columns[2].role, Role::kQuasiIdentifier);
  EXPECT_EQ(ToString(policy.columns[2].domain->first), "-1");
  EXPECT_EQ(ToString(policy.columns[2].domain->second), "120.5");
  EXPECT_EQ(policy.columns[3].taxonomy, std::filesystem::path("folder/job.csv"));
  EXPECT_EQ(policy.columns[4].values, (std::vector<std::string>{"Male", "Female"}));
  EXPECT_EQ(policy.columns[5].values, std::vector<std::string>{"HIV"});
  EXPECT_EQ(policy.columns[6].role, Role::kSensitive);
  EXPECT_TRUE(policy.columns[6].values.empty());
  EXPECT_EQ(policy.columns[7].role, Role::kClass);
  EXPECT_EQ(std::get<KAnonymityPolicy>(policy.guarantees.at(0)).k, 4294967296u);
  EXPECT_EQ(policy.format, FileFormat::kParquet);
  EXPECT_EQ(policy.categories, CategoryForm::kSets);
  EXPECT_EQ(policy.text, text);
  EXPECT_EQ(policy.source, "folder/p.toml");
}

TEST(Policy, WhatIsLeftOutHasItsDefault) {
  const Policy policy = Parsed(WithLine(0, ""));
  EXPECT_EQ(policy.inputs, std::vector<std::filesystem::path>{"folder/taxation.csv"});
  EXPECT_EQ(policy.missing, std::vector<std::string>{""});
  EXPECT_EQ(policy.format, FileFormat::kCsv);
  EXPECT_EQ(policy.categories, CategoryForm::kTaxonomy);
  EXPECT_TRUE(Parsed(WithLine(4, "path = \"a\"\nmissing = []")).missing.empty());
}

TEST(Policy, ColumnsKeepTheOrderOfTheFileInEveryWayOfWritingThem) {
  const Policy policy = Parsed(WithLine(6,
                                        "z = { role = \"keep\" }\n\"b c\".role = \"keep\"\n[columns.a]\nrole = "
                                        "\"quasi-identifier\"\nvalues = [\"x\"]\n[columns.\"é\"]\nrole = \"keep\""));
  ASSERT_EQ(policy.columns.size(), 4u);
  EXPECT_EQ(policy.columns[0].name, "z");
  EXPECT_EQ(policy.columns[1].name, "b c");
  EXPECT_EQ(policy.columns[2].name, "a");
  EXPECT_EQ(policy.columns[3].name, "é");
}

TEST(Policy, PositionsPointAtNamesAndValues) {
  const Policy policy = Parsed(WithColumn("  \"é\" = { role = \"keep\" }"));
  EXPECT_EQ(policy.columns[1].position.line, 7u);
  EXPECT_EQ(policy.columns[1].position.column, 3u);
  EXPECT_EQ(policy.release_position.line, 2u);
  EXPECT_EQ(policy.release_position.column, 11u);
  EXPECT_EQ(policy.input_position.line, 4u);
  EXPECT_EQ(policy.input_position.column, 8u);
  const Error error = PolicyError(policy, policy.columns[1].position, "no such column; check the name");
  EXPECT_EQ(error.message, "folder/p.toml:7:3: no such column; check the name");
  EXPECT_EQ(ExitCode(error.code), 2);
  EXPECT_EQ(PolicyError(policy, {}, "what; do").message, "folder/p.toml: what; do");
}

TEST(Policy, VersionsOtherThanOneAreRefused) {
  ExpectError(WithLine(1, ""), "1:1: the policy has no 'version'; add version = 1");
  ExpectError(WithLine(1, "version = 0"), "1:11: there is no policy version 0");
  ExpectError(WithLine(1, "version = -1"), "1:11: there is no policy version -1");
  ExpectError(WithLine(1, "version = \"1\""), "1:11: version is a text, but must be a whole number");
  ExpectError(WithLine(1, "version = 1.0"), "1:11: version is a decimal number, but must be a whole number");
}

TEST(Policy, ANewerVersionAsksForANewerPentimentoEvenWithKeysUnknownHere) {
  ExpectError(WithLine(1, "version = 2\nnovelty = true"),
              "1:11: the policy is of version 2, this pentimento reads version 1; a newer");
}

TEST(Policy, TheReleaseNameMustDoAsAFolderName) {
  const std::string longest(100, 'a');
  EXPECT_EQ(Parsed(WithLine(2, "release = \"" + longest + "\"")).release, longest);
  EXPECT_EQ(Parsed(WithLine(2, "release = \"_a.B-9\"")).release, "_a.B-9");
  ExpectError(WithLine(2, ""), "1:1: the policy has no 'release'");
  ExpectError(WithLine(2, "release = 2026"), "2:11: release is a whole number, but must be a text");
  for (const std::string& bad : {std::string(), longest + "a", std::string("a/b"), std::string(".a"), std::string(".."),
                                 std::string("-a"), std::string("a b"), std::string("é"), std::string("a\\n")}) {
    ExpectError(WithLine(2, "release = \"" + bad + "\""), "2:11: the release name cannot be a folder name");
  }
}

TEST(Policy, UnknownKeysAreNamedWithTheKeyThatWasMeant) {
  ExpectError(WithLine(2, "relase = \"a\""),
              "2:1: unknown key 'relase' in the policy; use only version, release, input, columns, guarantee, "
              "impossible, publish, overlap, other_people. Did you mean 'release'?");
  ExpectError(
      WithLine(4, "path = \"a\"\nmising = []"),
      "5:1: unknown key 'mising' in [input]; use only path, missing, removed, repeated, holds, separator, encoding, "
      "decimal, trim, names, skip_lines. Did you mean 'missing'?");
  ExpectError(WithColumn("b = { rol = \"keep\" }"),
              "7:7: unknown key 'rol' in column 'b'; use only role, domain, taxonomy, values, transient, date, "
              "decimals, fold_case, may_be_missing. Did you mean 'role'?");
  ExpectError(WithLine(9, "k = 2\nagain = []"), "10:1: unknown key 'again' in [[guarantee]]; use only type, k.");
  ExpectError(WithLine(9, "k = 2\n[publish]\nformt = \"csv\""),
              "11:1: unknown key 'formt' in [publish]; use only form, format, categories, method, sensitive_tables, "
              "utility, leavers, intervals. Did you mean 'form");
  ExpectError(WithLine(9, "k = 2\n[columms]\na = 1"), "10:2: unknown key 'columms' in the policy");
}

TEST(Policy, TheInputIsOneFileOrSeveralDifferentOnes) {
  ExpectError("version = 1\nrelease = \"a\"", "1:1: the policy has no 'input'; add [input]");
  ExpectError(WithLine(4, ""), "3:1: [input] has no 'path'");
  ExpectError(WithLine(4, "path = 3"), "4:8: [input] path is a whole number, but must be a text");
  ExpectError(WithLine(4, "path = []"), "4:8: [input] path is an empty list");
  ExpectError(WithLine(4, "path = [\"a\", 1]"), "4:14: an entry of [input] path is a whole number");
  ExpectError(WithLine(4, "path = \"\""), "4:8: [input] path is empty");
  ExpectError(WithLine(4, "path = \"a\\u0000b\""), "4:8: [input] path holds the character U+0000");
  ExpectError(WithLine(4, "path = [\"a\", \"a\"]"), "4:14: [input] path lists 'a' twice");
  ExpectError(WithLine(4, "path = [\"a\", \"./a\"]"), "4:14: [input] path names the file './a' twice");
  ExpectError("version = 1\nrelease = \"a\"\ninput = \"a\"", "3:9: [input] is a text, but must be a table");
}

TEST(Policy, MissingIsAListOfDifferentTexts) {
  ExpectError(WithLine(4, "path = \"a\"\nmissing = \"NA\""),
              "5:11: [input] missing is a text, but must be a list of texts");
  ExpectError(WithLine(4, "path = \"a\"\nmissing = [\"NA\", 9]"),
              "5:18: an entry of [input] missing is a whole number");
  ExpectError(WithLine(4, "path = \"a\"\nmissing = [\"NA\", \"NA\"]"), "5:18: [input] missing lists 'NA' twice");
}

TEST(Policy, APolicyNeedsAGuarantee) {
  ExpectError("version = 1\nrelease = \"a\"\n[input]\npath = \"a\"\n[columns]\n" + kLines[5],
              "1:1: the policy has no 'guarantee'; add [[guarantee]]");
  ExpectError("guarantee = []\n" + WithLine(7, "[x]"), "8:2: unknown key 'x'");
  ExpectError("guarantee = []\nversion = 1\nrelease = \"a\"\n[input]\npath = \"a\"\n[columns]\n" + kLines[5],
              "1:13: no guarantee is asked for");
  ExpectError("guarantee = [1]\nversion = 1\nrelease = \"a\"\n[input]\npath = \"a\"\n[columns]\n" + kLines[5],
              "1:14: [[guarantee]] is a whole number, but must be a table");
  ExpectError(WithLine(7, "[guarantee]"),
              "7:1: 'guarantee' is a table, but must be a list of tables; write [[guarantee]]");
}

TEST(Policy, AnUnknownGuaranteePublishesNothing) {
  ExpectError(WithLine(8, "type = \"k-anonimity\""),
              "8:8: unknown guarantee 'k-anonimity'; write one of k-anonymity, incremental-k-anonymity, xy-anonymity, "
              "xy-linkability, alpha-k-anonymity, global-guarantee, history. Did you mean "
              "'k-anonymity'?");
  ExpectError(WithLine(8, ""), "7:1: [[guarantee]] has no 'type'");
  ExpectError(WithLine(8, "type = 1"), "8:8: the type of a guarantee is a whole number");
}

TEST(Policy, KIsAWholeNumberFromTwoToTwoToThe32) {
  EXPECT_EQ(std::get<KAnonymityPolicy>(Parsed(WithLine(9, "k = 2")).guarantees.at(0)).k, 2u);
  ExpectError(WithLine(9, ""), "7:1: [[guarantee]] has no 'k'");
  ExpectError(WithLine(9, "k = 0"), "9:5: k is 0");
  ExpectError(WithLine(9, "k = -5"), "9:5: k is -5");
  ExpectError(WithLine(9, "k = 1"), "9:5: k = 1 protects nobody");
  ExpectError(WithLine(9, "k = 4294967297"), "9:5: k is 4294967297; write a k of at most 4294967296");
  ExpectError(WithLine(9, "k = 2.0"), "9:5: k is a decimal number, but must be a whole number");
  ExpectError(WithLine(9, "k = true"), "9:5: k is a boolean");
}

TEST(Policy, AskingForKAnonymityTwiceIsRefused) {
  ExpectError(WithLine(9, "k = 2\n[[guarantee]]\ntype = \"k-anonymity\"\nk = 3"),
              "10:1: k-anonymity is asked for twice");
}

TEST(Policy, PublishTakesOnlyWhatThisVersionCanDo) {
  const std::string publish = "k = 2\n[publish]\n";
  ExpectError(WithLine(9, publish + "form = \"two-tables\""),
              "11:8: form = \"two-tables\" publishes the quasi-identifiers as they are and is safe only where "
              "alpha-k-anonymity or global-guarantee limits");
  ExpectError(WithLine(9, publish + "form = \"generalised\""),
              "11:8: [publish] form cannot be 'generalised'; write one of generalized, two-tables. Did you mean "
              "'generalized'?");
  ExpectError(WithLine(9, publish + "format = \"parket\""),
              "11:10: [publish] format cannot be 'parket'; write one of csv, parquet. Did you mean 'parquet'?");
  ExpectError(WithLine(9, publish + "format = 1"), "11:10: [publish] format is a whole number, but must be a text");
  ExpectError(WithLine(9, publish + "categories = \"set\""),
              "11:14: [publish] categories cannot be 'set'; write one of taxonomy, sets. Did you mean 'sets'?");
  ExpectError("publish = 1\n" + WithLine(0, ""), "1:11: [publish] is a whole number, but must be a table");
}

class PolicyFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path Write(const std::string& text) const {
    const std::filesystem::path file = folder_ / "p.toml";
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }

  std::filesystem::path folder_;
};

TEST_F(PolicyFile, IsReadWithItsPathsRelativeToItsFolder) {
  const std::string text = WithLine(0, "");
  const Result<Policy> policy = ReadPolicy(Write(text));
  ASSERT_TRUE(policy.ok());
  EXPECT_EQ(policy->inputs.at(0), folder_ / "taxation.csv");
  EXPECT_EQ(policy->text, text);
}

TEST_F(PolicyFile, ThatDoesNotExistIsABadPolicy) {
  const Result<Policy> policy = ReadPolicy(folder_ / "none.toml");
  ASSERT_FALSE(policy.ok());
  EXPECT_EQ(ExitCode(policy.error().code), 2);
  EXPECT_EQ(policy.error().message,
            (folder_ / "none.toml").string() + ": there is no such file; check the path of the policy");
}

TEST_F(PolicyFile, ThatIsAFolderIsABadPolicy) {
  const Result<Policy> policy = ReadPolicy(folder_);
  ASSERT_FALSE(policy.ok());
  EXPECT_EQ(ExitCode(policy.error().code), 2);
  EXPECT_EQ(policy.error().message, folder_.string() + ": this is a folder; name the policy file in it");
}

TEST_F(PolicyFile, ThatIsAsLargeAsDataIsRefusedUnparsed) {
  const Result<Policy> policy = ReadPolicy(Write(std::string((std::size_t{16} << 20) + 1, '#')));
  ASSERT_FALSE(policy.ok());
  EXPECT_NE(policy.error().message.find("16 MiB"), std::string::npos);
}

}  // namespace
}  // namespace pentimento::policy_test
