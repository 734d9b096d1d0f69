#include "engine/xy/published_release.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "base/parallel.h"
#include "engine/publish.h"
#include "fmt/core.h"

namespace pentimento::published_release_test {
namespace {

namespace fs = std::filesystem;

// Twelve people, published with k = 2 under a seed, read back.
class PublishedReleaseTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::path(testing::TempDir()) / fmt::format("published_release_{}", test->name());
    fs::remove_all(root_);
    fs::create_directories(root_);
    Write("job.csv", "Nurse;Care;*\nDoctor;Care;*\nClerk;Office;*\nLawyer;Office;*\n");
    std::string people = "person,age,job,disease,income,note\n";
    for (int i = 0; i < 12; ++i) {
      people += fmt::format("p{},{},{},{},{},n{}\n", i, 20 + i / 4 * 20,
                            i == 11      ? "?"
                            : i % 2 == 0 ? "Nurse"
                                         : "Clerk",
                            i == 0   ? ""
                            : i == 1 ? "?"
                                     : "Flu",
                            i % 2 == 0 ? "high" : "low", i);
    }
    Write("people.csv", people);
  }
  void TearDown() override { fs::remove_all(root_); }

  void Write(const fs::path& name, std::string_view text) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name, std::ios::binary) << text;
  }

  void Publish(const std::string& release, const std::string& guarantee = "type = \"k-anonymity\"\nk = 2\n",
               const std::string& format = "csv", bool changes_only = false) const {
    const std::string text = fmt::format(
        "version = 1\nrelease = \"{}\"\n[input]\npath = \"people.csv\"\nmissing = [\"\", \"?\"]\n[columns]\n"
        "person = {{ role = \"id\" }}\nage = {{ role = \"quasi-identifier\", domain = [0, 120] }}\n"
        "job = {{ role = \"quasi-identifier\", taxonomy = \"job.csv\" }}\ndisease = {{ role = \"sensitive\" "
        "}}\nincome = {{ role = \"class\" }}\nnote = {{ role = \"keep\" }}\n[[guarantee]]\n{}[publish]\n"
        "format = \"{}\"\n",
        release, guarantee, format);
    Result<Policy> policy = ParsePolicy(text, root_ / "policy.toml");
    ASSERT_TRUE(policy.ok()) << policy.error().message;
    ReleaseOptions options{.ledger = root_ / "ledger", .out = root_ / "out", .seed = 7};
    options.changes_only = changes_only;
    const auto outcome = PublishRelease(std::move(policy).value(), options);
    ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  }

  Result<PublishedRelease> Describe(const std::string& name) const {
    PENTIMENTO_ASSIGN(Ledger ledger, Ledger::OpenForReading(root_ / "ledger"));
    return DescribePublishedRelease(ledger, name);
  }
  Result<PublishedRelease> Read(const std::string& name, const std::vector<std::string>& columns) const {
    PENTIMENTO_ASSIGN(Ledger ledger, Ledger::OpenForReading(root_ / "ledger"));
    return ReadPublishedRelease(ledger, name, columns);
  }

  // The different rows as texts, with their numbers of records.
  static std::map<std::string, std::uint64_t> Rows(const PublishedRelease& release) {
    std::map<std::string, std::uint64_t> rows;
    for (std::size_t row = 0; row < release.records.size(); ++row) {
      std::string text;
      for (std::size_t i = 0; i < release.read.size(); ++i)
        text += release.columns[release.read[i]].labels[release.cells[row * release.read.size() + i]] + "|";
      rows[text] += release.records[row];
    }
    return rows;
  }

  // Line `record` of the published CSV, the header not counted.
  std::string Line(const std::string& release, std::uint64_t record) const {
    std::ifstream table(root_ / "out" / release / "table.csv");
    std::string line;
    for (std::uint64_t i = 0; i <= record + 1; ++i) std::getline(table, line);
    return line;
  }

  static void ExpectError(const Result<PublishedRelease>& read, ErrorCode code, std::string_view part) {
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().code, code);
    EXPECT_NE(read.error().message.find(part), std::string::npos) << read.error().message;
  }

  fs::path root_;
};

TEST_F(PublishedReleaseTest, AllColumnsComeWithTheirRoles) {
  Publish("first");
  const auto release = Describe("first");
  ASSERT_TRUE(release.ok()) << release.error().message;
  EXPECT_EQ(release->name, "first");
  EXPECT_EQ(release->missing, (std::vector<std::string>{"", "?"}));
  std::vector<std::pair<std::string, Role>> columns;
  for (const EarlierColumn& column : release->columns) {
    columns.emplace_back(column.name, column.role);
    EXPECT_FALSE(column.was_read);
  }
  EXPECT_EQ(columns, (std::vector<std::pair<std::string, Role>>{{"age", Role::kQuasiIdentifier},
                                                                {"job", Role::kQuasiIdentifier},
                                                                {"disease", Role::kSensitive},
                                                                {"income", Role::kClass},
                                                                {"note", Role::kKeep}}));
  EXPECT_TRUE(release->columns[0].range && !release->columns[0].taxonomy);
  EXPECT_TRUE(release->columns[1].taxonomy && !release->columns[1].range);
  EXPECT_TRUE(release->columns[1].taxonomy->FindNode("Office"));
}

TEST_F(PublishedReleaseTest, EqualRowsAreOneWithTheirNumber) {
  Publish("first");
  const auto release = Read("first", {"income", "disease"});
  ASSERT_TRUE(release.ok()) << release.error().message;
  EXPECT_EQ(release->read, (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(release->columns[2].labels, (std::vector<std::string>{"", "?", "Flu"}));
  EXPECT_EQ(Rows(*release),
            (std::map<std::string, std::uint64_t>{{"|high|", 1}, {"?|low|", 1}, {"Flu|high|", 5}, {"Flu|low|", 5}}));
  EXPECT_EQ(release->records.size(), 4U);
  EXPECT_TRUE(std::ranges::is_sorted(release->columns[3].labels));
}

TEST_F(PublishedReleaseTest, TheExampleIsTheFirstRecordLikeIt) {
  Publish("first");
  const auto release = Read("first", {"disease", "income"});
  ASSERT_TRUE(release.ok()) << release.error().message;
  for (std::size_t row = 0; row < release->records.size(); ++row) {
    const std::string wanted = fmt::format(",{},{},", release->columns[2].labels[release->cells[2 * row]],
                                           release->columns[3].labels[release->cells[2 * row + 1]]);
    for (std::uint64_t record = 0; record <= release->example[row]; ++record) {
      const bool like = Line("first", record).find(wanted) != std::string::npos;
      EXPECT_EQ(like, record == release->example[row]) << wanted << record;
    }
  }
}

TEST_F(PublishedReleaseTest, QuasiIdentifiersAreReadAsTheyAreWritten) {
  Publish("first");
  const auto release = Read("first", {"age", "job"});
  ASSERT_TRUE(release.ok()) << release.error().message;
  std::uint64_t records = 0;
  for (const auto& [row, count] : Rows(*release)) records += count;
  EXPECT_EQ(records, 12U);
  for (const std::string& label : release->columns[0].labels) EXPECT_TRUE(label.find_first_of("0123456789") < 2);
  for (const std::string& label : release->columns[1].labels)
    EXPECT_TRUE(label == "*" || release->columns[1].taxonomy->FindNode(label)) << label;
}

TEST_F(PublishedReleaseTest, ParquetSaysTheSameAsCsv) {
  Publish("first");
  Publish("second", "type = \"k-anonymity\"\nk = 2\n", "parquet");
  const std::vector<std::string> columns = {"age", "job", "disease", "income"};
  const auto csv = Read("first", columns), parquet = Read("second", columns);
  ASSERT_TRUE(csv.ok() && parquet.ok());
  EXPECT_EQ(Rows(*csv), Rows(*parquet));
  EXPECT_EQ(csv->cells, parquet->cells);
  EXPECT_EQ(csv->example, parquet->example);
}

TEST_F(PublishedReleaseTest, NoColumnsLeaveOneRowOfAllRecords) {
  Publish("first");
  const auto release = Read("first", {});
  ASSERT_TRUE(release.ok()) << release.error().message;
  EXPECT_EQ(release->records, std::vector<std::uint64_t>{12});
}

TEST_F(PublishedReleaseTest, ThreadsChangeNothing) {
  std::string people = "person,age,job,disease,income,note\n";
  for (int i = 0; i < 90000; ++i) people += fmt::format("p{},{},Clerk,d{},i{},n\n", i, i % 100, i % 977, i % 7);
  Write("people.csv", people);
  Publish("first");
  const std::vector<std::string> columns = {"age", "disease", "income"};
  const auto many = Read("first", columns);
  const ThreadLimit limit(1);
  const auto one = Read("first", columns);
  ASSERT_TRUE(many.ok() && one.ok());
  EXPECT_EQ(many->cells, one->cells);
  EXPECT_EQ(many->records, one->records);
  EXPECT_EQ(many->example, one->example);
  EXPECT_GT(many->records.size(), 900U);
  const auto row = [&](std::size_t i) { return std::span(many->cells).subspan(3 * i, 3); };
  for (std::size_t i = 1; i < many->records.size(); ++i)
    EXPECT_TRUE(std::ranges::lexicographical_compare(row(i - 1), row(i)));
}

TEST_F(PublishedReleaseTest, AnUnknownReleaseIsNamedWithOneLikeIt) {
  Publish("patients-2025");
  ExpectError(Describe("patients-2026"), ErrorCode::kBadPolicy, "Did you mean 'patients-2025'?");
}

TEST_F(PublishedReleaseTest, AnUnknownColumnAndAKeptOneCannotBeRead) {
  Publish("first");
  ExpectError(Read("first", {"jobs"}), ErrorCode::kBadPolicy, "Did you mean 'job'?");
  ExpectError(Read("first", {"note"}), ErrorCode::kBadPolicy, "column 'note' of the release 'first'");
}

TEST_F(PublishedReleaseTest, AFolderThatMovedIsNotBelieved) {
  Publish("first");
  fs::rename(root_ / "out/first", root_ / "out/moved");
  ExpectError(Describe("first"), ErrorCode::kBadInput, "put the folder of the release back");
  fs::rename(root_ / "out/moved", root_ / "out/first");
  EXPECT_TRUE(Describe("first").ok());
}

TEST_F(PublishedReleaseTest, AChangedFileIsNotBelieved) {
  Publish("first");
  for (const std::string name : {"table.csv", "taxonomies/job.csv", "datapackage.json"}) {
    const fs::path path = root_ / "out/first" / name, aside = root_ / "aside";
    fs::copy_file(path, aside, fs::copy_options::overwrite_existing);
    std::ofstream(path, std::ios::app) << "\n";
    ExpectError(Read("first", {"job"}), ErrorCode::kBadInput, name + ": changed since the release 'first'");
    fs::copy_file(aside, path, fs::copy_options::overwrite_existing);
    EXPECT_TRUE(Read("first", {"job"}).ok());
  }
}

TEST_F(PublishedReleaseTest, TheWholeTableOfASeriesIsReadAndItsChangesAreNot) {
  const std::string series = "type = \"incremental-k-anonymity\"\nk = 2\nseries = \"patients\"\n";
  Publish("first", series);
  const auto release = Read("first", {"income"});
  ASSERT_TRUE(release.ok()) << release.error().message;
  EXPECT_EQ(release->columns[0].name, "case_id");
  EXPECT_EQ(release->columns[0].role, Role::kKeep);
  EXPECT_EQ(Rows(*release), (std::map<std::string, std::uint64_t>{{"high|", 6}, {"low|", 6}}));
  std::string people = "person,age,job,disease,income,note\n";
  for (int i = 20; i < 30; ++i) people += fmt::format("p{},{},Clerk,Flu,high,n\n", i, 20 + i);
  Write("people.csv", people);
  Publish("second", series, "csv", /*changes_only=*/true);
  ExpectError(Describe("second"), ErrorCode::kBadPolicy, "only what changed");
}

}  // namespace
}  // namespace pentimento::published_release_test
