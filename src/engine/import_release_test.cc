#include "engine/import_release.h"

#include <gtest/gtest.h>

#include <fstream>

#include "engine/xy/published_release.h"
#include "fmt/core.h"

namespace pentimento::import_release_test {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

class ImportReleaseTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::path(testing::TempDir()) / fmt::format("import_release_{}", test->name());
    fs::remove_all(root_);
    fs::create_directories(root_);
    Write("job.csv", "Nurse;Care;*\nDoctor;Care;*\nClerk;Office;*\nLawyer;Office;*\n");
  }
  void TearDown() override { fs::remove_all(root_); }

  void Write(const fs::path& name, std::string_view text) const { std::ofstream(root_ / name) << text; }

  Result<ImportOutcome> Import(const Texts& files, const std::string& rest = "") const {
    const std::string text =
        "version = 1\nrelease = \"city\"\n[input]\nmissing = [\"\", \"?\"]\n[columns]\n"
        "age = { role = \"quasi-identifier\", domain = [0, 120] }\n"
        "job = { role = \"quasi-identifier\", taxonomy = \"job.csv\" }\ndisease = { role = \"sensitive\" }\n" +
        rest;
    PENTIMENTO_ASSIGN(Policy policy, ParsePolicy(text, root_ / "policy.toml", PolicyUse::kImport));
    ImportOptions options;
    for (const std::string& file : files) options.files.push_back(root_ / file);
    options.ledger = root_ / "ledger";
    return ImportRelease(std::move(policy), options);
  }

  fs::path root_;
};

TEST_F(ImportReleaseTest, WhatWasImportedIsReadBackLikeAnyRelease) {
  Write("a.csv", "age,job,disease\n\"[20,40)\",Care,Flu\n\"[20,40)\",Care,Flu\n?,*,?\n");
  Write("b.csv", "job,disease,age\n*,?,\nCare,Flu,\"[20,40)\"\n");
  const auto outcome = Import({"a.csv", "b.csv"});
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(outcome->rows, 5U);
  auto ledger = Ledger::OpenForReading(root_ / "ledger");
  const auto release = ReadPublishedRelease(*ledger, "city", Texts{"age", "job", "disease"});
  ASSERT_TRUE(release.ok()) << release.error().message;
  EXPECT_EQ(release->columns[0].labels, (Texts{"", "[20,40)"}));
  EXPECT_EQ(release->columns[1].labels, (Texts{"*", "Care"}));
  EXPECT_EQ(release->columns[2].labels, (Texts{"?", "Flu"}));
  // An age that is '?' and one that is not there are the same; a disease is as it is written.
  EXPECT_EQ(release->cells, (std::vector<std::uint32_t>{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(release->records, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(release->example, (std::vector<std::uint64_t>{2, 0}));
}

// Whoever reads the copy later finds our own labels, and one where its maker had two spellings.
TEST_F(ImportReleaseTest, LabelsOfOtherToolsAreReadBackAsOurs) {
  Write("a.csv",
        "age,job,disease\n20-39,\"{Nurse, Doctor}\",20-39\n\"[20,39]\",Care,20-39\n>=40,Doctor|Clerk,Flu\n\"(39, "
        "50.5]\",?,Flu\n");
  const auto outcome = Import({"a.csv"});
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(outcome->columns[0].labels, 3U);
  EXPECT_FALSE(outcome->columns[0].is_cut);
  EXPECT_EQ(outcome->columns[1].labels, 3U);
  auto ledger = Ledger::OpenForReading(root_ / "ledger");
  const auto release = ReadPublishedRelease(*ledger, "city", Texts{"age", "job", "disease"});
  ASSERT_TRUE(release.ok()) << release.error().message;
  EXPECT_EQ(release->columns[0].labels, (Texts{"[20,39]", "[39.1,50.5]", "[40,120]"}));
  EXPECT_EQ(release->columns[1].labels, (Texts{"", "Care", "{Doctor|Clerk}"}));
  EXPECT_EQ(release->columns[2].labels, (Texts{"20-39", "Flu"}));  // a sensitive cell is as it is written
  EXPECT_EQ(release->columns[0].scale, 1);
  EXPECT_EQ(release->records, (std::vector<std::uint64_t>{2, 1, 1}));
}

TEST_F(ImportReleaseTest, EveryColumnWithLabelsThatAreNotUnderstoodIsNamed) {
  Write("a.csv", "age,job,disease\n20-39,Care,Flu\nforty,Pilot,Flu\nforty,Care,Flu\n");
  const auto outcome = Import({"a.csv"});
  ASSERT_FALSE(outcome.ok());
  const std::string& message = outcome.error().message;
  EXPECT_NE(message.find("column 'age': 1 different label in 2 rows is not understood"), std::string::npos) << message;
  EXPECT_NE(message.find("column 'job': 1 different label in 1 row is not understood"), std::string::npos) << message;
  for (const char* shown : {"forty", "Pilot", "missing"}) EXPECT_EQ(message.find(shown), std::string::npos) << message;
}

TEST_F(ImportReleaseTest, TheFirstCellThatCannotBeReadIsNamedWhateverItsColumn) {
  Write("a.csv", "age,job,disease\n30,Care,Flu\n");
  Write("b.csv", "age,job,disease\n30,Care,Flu\n30,Pilot,Flu\nold,Care,Flu\n");
  const auto outcome = Import({"a.csv", "b.csv"});
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code, ErrorCode::kBadInput);
  EXPECT_NE(outcome.error().message.find("b.csv: row 2 (the header not counted), column 'job'"), std::string::npos)
      << outcome.error().message;
  EXPECT_EQ(outcome.error().message.find("Pilot"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(root_ / "ledger/imported"));
  EXPECT_TRUE(Ledger::OpenForReading(root_ / "ledger")->Releases()->empty());
}

TEST_F(ImportReleaseTest, EveryColumnIsSaidToBeACutOrNot) {
  Write("a.csv", "age,job,disease\n\"[20,40)\",Care,Flu\n39,Clerk,Flu\n");
  const auto outcome = Import({"a.csv"}, "[[guarantee]]\ntype = \"k-anonymity\"\nk = 7\n");
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_FALSE(outcome->columns[0].is_cut);
  EXPECT_TRUE(outcome->columns[1].is_cut);
  EXPECT_EQ(outcome->columns[1].labels, 2U);
  EXPECT_EQ(outcome->promise.InOneLine().substr(0, 11), "7-anonymity");
}

}  // namespace
}  // namespace pentimento::import_release_test
