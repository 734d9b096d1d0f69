#include "engine/incremental/measure_incremental.h"

#include <gtest/gtest.h>

#include <fstream>

#include "fmt/core.h"

namespace pentimento::measure_series_test {
namespace {

// The paper's patients as files: Tables 1 and 3 are the batches, Tables 2 and 5 the releases of a "series" that
// somebody published who does not know how. What "changes" holds is what Table 5 says anew: all of it.
class MeasureIncrementalTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = std::filesystem::path(testing::TempDir()) / fmt::format("measure_series_{}", test->name());
    std::filesystem::remove_all(root_);
    Write("table1.csv", "zip,gender,age\n20433,female,21\n20437,male,48\n20433,female,26\n20437,female,31\n");
    Write("table3.csv", "zip,gender,age\n20437,male,54\n20435,female,31\n");
    Publish("first", Series(1, "", false), "table.csv", kTable2);
    Publish("second", Series(2, "first", false), "table.csv", kTable5);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void Write(const std::filesystem::path& name, std::string_view text) const {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name, std::ios::binary) << text;
  }

  static std::string Series(int number, std::string_view follows, bool changes_only,
                            std::string_view name = "patients") {
    return fmt::format(R"(, "series": {{"name": "{}", "number": {}, "changes_only": {}{}}})", name, number,
                       changes_only, follows.empty() ? "" : fmt::format(R"(, "follows": "{}")", follows));
  }

  void Publish(const std::string& release, const std::string& series, const std::string& table,
               std::string_view rows) const {
    const std::filesystem::path folder = release;
    Write(folder / "taxonomies/zip.csv", "20433;2043*;*\n20435;2043*;*\n20437;2043*;*\n");
    Write(folder / "taxonomies/gender.csv", "female;*\nmale;*\n");
    Write(folder / table, rows);
    Write(folder / "datapackage.json", fmt::format(R"({{"resources": [{{"path": "{}", "schema": {{"fields": [
            {{"name": "case_id", "pentimento:role": "case-id"}},
            {{"name": "zip", "pentimento:role": "quasi-identifier", "pentimento:taxonomy": "taxonomies/zip.csv"}},
            {{"name": "gender", "pentimento:role": "quasi-identifier", "pentimento:taxonomy": "taxonomies/gender.csv"}},
            {{"name": "age", "pentimento:role": "quasi-identifier", "pentimento:domain": ["0", "120"]}}]}}}}],
            "pentimento": {{"release": "{}", "missing": [""],
                            "guarantees": [{{"type": "incremental-k-anonymity", "k": 2}}]{}}}}})",
                                                   table, release, series));
  }

  Result<MeasuredIncremental> Measure(const std::vector<std::string>& originals,
                                      const std::vector<std::string>& releases) const {
    std::vector<std::filesystem::path> files, folders;
    for (const std::string& name : originals) files.push_back(root_ / name);
    for (const std::string& name : releases) folders.push_back(root_ / name);
    return MeasureIncremental(files, folders);
  }
  Result<MeasuredIncremental> Measure(const std::vector<std::string>& releases) const {
    return Measure({"table1.csv", "table3.csv"}, releases);
  }

  static constexpr std::string_view kTable2 =
      "case_id,zip,gender,age\n"
      "c3,2043*,female,\"[26,32)\"\nc1,2043*,*,\"[21,49)\"\nc4,2043*,female,\"[26,32)\"\nc2,2043*,*,\"[21,49)\"\n";
  static constexpr std::string_view kTable5 =
      "case_id,zip,gender,age\n"
      "c6,2043*,female,31\nc5,20437,male,\"[48,55)\"\nc1,20433,female,\"[21,27)\"\nc4,2043*,female,31\n"
      "c3,20433,female,\"[21,27)\"\nc2,20437,male,\"[48,55)\"\n";

  std::filesystem::path root_;
};

TEST_F(MeasureIncrementalTest, FindsFromTheFilesWhatThePaperInfersFromTablesTwoAndFive) {
  const Result<MeasuredIncremental> measured = Measure({"first", "second"});
  ASSERT_TRUE(measured.ok()) << measured.error().message;
  EXPECT_EQ(measured->series, "patients");
  EXPECT_EQ(measured->quasi_identifiers, (std::vector<std::string>{"zip", "gender", "age"}));
  ASSERT_EQ(measured->releases.size(), 2U);
  EXPECT_EQ(measured->releases[0].release, "first");
  EXPECT_EQ(measured->releases[0].published.safe, (Ratio{1, 1}));
  EXPECT_EQ(measured->releases[0].published.metrics.rows, 4U);
  EXPECT_EQ(measured->releases[1].published.safe, (Ratio{1, 3}));
  EXPECT_EQ(measured->releases[1].published.alone, 4U);
  EXPECT_EQ(measured->releases[1].published.groups_refined, 2U);
  EXPECT_EQ(measured->releases[1].published.metrics.classes, 3U);
}

TEST_F(MeasureIncrementalTest, ChangesAreLaidOverTheReleaseBefore) {
  Publish("second", Series(2, "first", true), "changes.csv",
          "case_id,change,zip,gender,age\nc5,new,2043*,*,\"[31,55)\"\nc6,new,2043*,*,\"[31,55)\"\n"
          "c1,refined,20433,female,\"[21,27)\"\nc2,refined,20437,male,48\n");
  const Result<MeasuredIncremental> measured = Measure({"first", "second"});
  ASSERT_TRUE(measured.ok()) << measured.error().message;
  const MeasuredIncrementalRelease& second = measured->releases[1];
  EXPECT_TRUE(second.changes_only);
  EXPECT_EQ(second.published.metrics.rows, 6U);
  EXPECT_EQ(second.published.metrics.classes, 4U);  // c1; c2; c3 and c4; c5 and c6
  EXPECT_EQ(second.published.groups_refined, 1U);
  EXPECT_EQ(second.published.safe, (Ratio{2, 3}));
}

TEST_F(MeasureIncrementalTest, ChangesThatDoNotFitTheReleaseBeforeAreRefused) {
  const auto refuses = [&](std::string_view changed_row, std::string_view what) {
    Publish("second", Series(2, "first", true), "changes.csv",
            fmt::format("case_id,change,zip,gender,age\nc5,new,2043*,*,\"[31,55)\"\n{},2043*,*,\"[31,55)\"\n",
                        changed_row));
    const Result<MeasuredIncremental> measured = Measure({"first", "second"});
    ASSERT_FALSE(measured.ok()) << changed_row;
    EXPECT_EQ(measured.error().code, ErrorCode::kBadInput);
    EXPECT_NE(measured.error().message.find(what), std::string::npos) << measured.error().message;
  };
  refuses("c6,gone", "changes.csv: row 2 (the header not counted), column 'change': the cell is neither 'new' nor");
  refuses(",new", "changes.csv: row 2 (the header not counted), column 'case_id': the cell names no case");
  refuses("c1,new", "calls a case new that was there before");
  refuses("c6,refined", "refines or withdraws one that was not");
}

// By hand: four patients are cut into ages {21, 26} and {31, 48}, the latter in 20437; six into {21, 26}, {31, 31} in
// 2043* and the men {48, 54}. Daisy, 31, is known to live in 20437 and Frank is not; Bob must be 48 and Eddy need not.
TEST_F(MeasureIncrementalTest, PublishingAnewGroupsAllRowsSoFarWithMembersBoxes) {
  const Result<MeasuredIncremental> measured = Measure({"first", "second"});
  ASSERT_TRUE(measured.ok()) << measured.error().message;
  const IncrementalReading &first = measured->releases[0].anew, &second = measured->releases[1].anew;
  EXPECT_EQ(first.metrics.rows, 4U);
  EXPECT_EQ(first.metrics.classes, 2U);
  EXPECT_EQ(first.safe, (Ratio{1, 1}));
  EXPECT_EQ(second.metrics.rows, 6U);
  EXPECT_EQ(second.metrics.classes, 3U);
  EXPECT_EQ(second.safe, (Ratio{1, 3}));
  EXPECT_EQ(second.alone, 4U);
}

TEST_F(MeasureIncrementalTest, AsManyOriginalsAsReleasesAreNeeded) {
  const Result<MeasuredIncremental> measured = Measure({"table1.csv"}, {"first", "second"});
  ASSERT_FALSE(measured.ok());
  EXPECT_EQ(measured.error().code, ErrorCode::kUsage);
  EXPECT_NE(measured.error().message.find("1 original and 2 releases"), std::string::npos) << measured.error().message;
}

TEST_F(MeasureIncrementalTest, FoldersThatAreNotOneSeriesInItsOrderAreRefused) {
  Publish("alone", "", "table.csv", kTable2);
  Publish("other", Series(2, "first", false, "others"), "table.csv", kTable5);
  Publish("third", Series(3, "second", false), "table.csv", kTable5);
  Publish("foreign", Series(2, "elsewhere", false), "table.csv", kTable5);
  Publish("fewer", Series(2, "first", false), "table.csv",
          "case_id,zip,gender,age\nc1,2043*,*,\"[21,49)\"\nc2,2043*,*,\"[21,49)\"\n");
  const std::vector<std::tuple<std::string, std::string, std::string>> pairs = {
      {"alone", "second", "stands alone"},
      {"first", "other", "series 'others'"},
      {"second", "first", "release 2 of the series 'patients', but release 1 is expected"},
      {"first", "third", "release 3 of the series 'patients', but release 2 is expected"},
      {"first", "foreign", "follows the release 'elsewhere'"},
      {"first", "fewer", "lacks cases of the releases before it"}};
  for (const auto& [first, second, what] : pairs) {
    const Result<MeasuredIncremental> measured = Measure({first, second});
    ASSERT_FALSE(measured.ok()) << second;
    EXPECT_EQ(measured.error().code, ErrorCode::kBadInput);
    EXPECT_NE(measured.error().message.find(what), std::string::npos) << measured.error().message;
  }
}

TEST_F(MeasureIncrementalTest, AnotherTaxonomyUnderTheSameNameIsAnotherSeries) {
  Write("second/taxonomies/zip.csv", "20433;*\n20435;*\n20437;*\n");
  const Result<MeasuredIncremental> measured = Measure({"first", "second"});
  ASSERT_FALSE(measured.ok());
  EXPECT_NE(measured.error().message.find("other quasi-identifiers, domains or taxonomies"), std::string::npos);
}

TEST_F(MeasureIncrementalTest, ACaseThatIsThereTwiceWasNeverPublishedByUs) {
  Write("second/table.csv", fmt::format("{}c1,20433,female,\"[21,27)\"\n", kTable5));
  const Result<MeasuredIncremental> measured = Measure({"first", "second"});
  ASSERT_FALSE(measured.ok());
  EXPECT_NE(measured.error().message.find("a case is there twice"), std::string::npos) << measured.error().message;
}

TEST_F(MeasureIncrementalTest, FewerOriginalRowsThanKAreNotTheOriginals) {
  Write("table1.csv", "zip,gender,age\n20433,female,21\n");
  const Result<MeasuredIncremental> measured = Measure({"first", "second"});
  ASSERT_FALSE(measured.ok());
  EXPECT_EQ(measured.error().code, ErrorCode::kBadInput);
  EXPECT_NE(measured.error().message.find("is it the original of that release?"), std::string::npos);
}

}  // namespace
}  // namespace pentimento::measure_series_test
