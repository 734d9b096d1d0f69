#include "engine/publish.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "base/check_testing.h"
#include "base/run.h"
#include "engine/generate/people_project.h"
#include "fmt/core.h"
#include "ledger/ledger_testing.h"

namespace pentimento::publish_test {
namespace {

const PeopleOptions kPeople = {.rows = 3'000};

class PublishTest : public ::testing::Test {
 protected:
  // A register of made-up people, and its policy with this guarantee; the name of the release is the guarantee's.
  Policy MakeProject(const std::string& name, std::string_view guarantee, FileFormat format = FileFormat::kCsv) const {
    const std::filesystem::path folder = folder_.path() / name;
    Check(WritePeopleProject(folder, kPeople, format).ok(), "made-up people");
    std::string text = ReadAll(folder / "policy.toml");
    const auto begin = text.find("[[guarantee]]");
    const auto end = text.find("\n[", begin + 1);
    text.replace(begin, end - begin, guarantee);
    WriteText(folder / "policy.toml", text);
    return ReadPolicy(folder / "policy.toml").value();
  }
  ReleaseOptions Options(const std::string& name) const {
    ReleaseOptions options;
    options.ledger = folder_.path() / (name + "-ledger");
    options.out = folder_.path() / (name + "-out");
    options.seed = 7;
    return options;
  }

  const TemporaryFolder folder_;
};

constexpr std::string_view kPlain = "[[guarantee]]\ntype = \"k-anonymity\"\nk = 5\n";
constexpr std::string_view kIncremental =
    "[[guarantee]]\ntype = \"incremental-k-anonymity\"\nk = 5\nseries = \"people\"\n";

// Stops at the beginning of a step.
class Stop : public Progress {
 public:
  Stop(std::string_view step, std::function<void()> how) : step_(step), how_(std::move(how)) {}
  void Begin(std::string_view step) override {
    if (step == step_) how_();
  }

 private:
  std::string step_;
  std::function<void()> how_;
};

TEST_F(PublishTest, AFailedCheckLeavesNothingBehind) {
  for (const auto& [name, guarantee] : {std::pair("plain", kPlain), std::pair("incremental", kIncremental)}) {
    const Policy policy = MakeProject(name, guarantee);
    ReleaseOptions options = Options(name);
    for (const char* step : {"verifying", "writing", "recording"}) {
      Stop stop(step, [] { Check(false, "a bug"); });
      options.progress = &stop;
      EXPECT_NE(FailedCheckIn([&] { (void)PublishRelease(policy, options); }).find("a bug"), std::string::npos) << step;
      EXPECT_TRUE(std::filesystem::is_empty(options.out)) << name << " " << step;
      EXPECT_TRUE(std::filesystem::is_empty(options.ledger / "state")) << name << " " << step;
    }
    options.progress = nullptr;
    const Result<ReleaseOutcome> outcome = PublishRelease(policy, options);
    ASSERT_TRUE(outcome.ok()) << outcome.error().message;
    EXPECT_TRUE(std::filesystem::exists(outcome->folder / "datapackage.json"));
    EXPECT_FALSE(std::filesystem::is_empty(options.ledger / "state"));
  }
}

TEST_F(PublishTest, ACancelledRunPublishesNothingAndAnotherOneDoes) {
  const Policy policy = MakeProject("cancelled", kPlain);
  ReleaseOptions options = Options("cancelled");
  {
    RunContext run({.threads = 1});
    const RunScope scope(run);
    Stop stop("writing", [&] { run.Cancel(); });
    options.progress = &stop;
    const Result<ReleaseOutcome> outcome = PublishRelease(policy, options);
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.error().code, ErrorCode::kCancelled);
    EXPECT_TRUE(std::filesystem::is_empty(options.out));
    EXPECT_TRUE(std::filesystem::is_empty(options.ledger / "state"));
  }
  options.progress = nullptr;
  EXPECT_TRUE(PublishRelease(policy, options).ok());
}

// Every published file, by its name.
std::map<std::string, std::string> FilesIn(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files[entry.path().lexically_relative(folder).string()] = ReadAll(entry.path());
  }
  return files;
}

TEST_F(PublishTest, AStreamIsPublishedAsTheFileWithTheSameRows) {
  for (const FileFormat format : {FileFormat::kCsv, FileFormat::kParquet}) {
    for (const auto& [kind, guarantee] : {std::pair("plain", kPlain), std::pair("incremental", kIncremental)}) {
      const std::string name = fmt::format("{}-{}", kind, format == FileFormat::kCsv ? "csv" : "parquet");
      const Policy policy = MakeProject(name, guarantee, format);
      const Result<ReleaseOutcome> of_file = PublishRelease(policy, Options(name + "-file"));
      ASSERT_TRUE(of_file.ok()) << of_file.error().message;

      ReleaseOptions options = Options(name + "-stream");
      options.input = InputTable::Once("made-up people", PeopleGenerator::Create(kPeople)->OpenStream());
      Policy elsewhere = policy;
      elsewhere.inputs.clear();
      const Result<ReleaseOutcome> of_stream = PublishRelease(elsewhere, options);
      ASSERT_TRUE(of_stream.ok()) << of_stream.error().message;
      EXPECT_EQ(FilesIn(of_stream->folder), FilesIn(of_file->folder)) << name;

      elsewhere.release += "-again";
      const Result<ReleaseOutcome> again = PublishRelease(elsewhere, options);
      ASSERT_FALSE(again.ok());
      EXPECT_EQ(again.error().code, ErrorCode::kUsage) << again.error().message;
      options.input = nullptr;
      EXPECT_EQ(PublishRelease(elsewhere, options).error().code, ErrorCode::kBadPolicy);
    }
  }
}

TEST_F(PublishTest, APolicyForAStreamNeedsNoPathAndIsReadAgainFromTheLedger) {
  (void)MakeProject("pathless", kIncremental);
  const std::filesystem::path file = folder_.path() / "pathless" / "policy.toml";
  std::string text = ReadAll(file);
  const auto path = text.find("path = ");
  text.erase(path, text.find('\n', path) - path);
  EXPECT_FALSE(ParsePolicy(text, file).ok());
  const Result<Policy> policy = ParsePolicy(text, file, PolicyUse::kStream);
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  ReleaseOptions options = Options("pathless");
  options.input = InputTable::Once("made-up people", PeopleGenerator::Create(kPeople)->OpenStream());
  ASSERT_TRUE(PublishRelease(*policy, options).ok());
  EXPECT_TRUE(ParsePolicy(text, file, PolicyUse::kRecord).ok());
}

// A ledger as version 0.1.0 wrote it: it knows who is in the release, and not in which class.
void PutOnRecordWithoutClasses(const std::filesystem::path& newer, const std::filesystem::path& older) {
  std::filesystem::create_directory(older);
  std::filesystem::permissions(older, std::filesystem::perms::owner_all);
  for (const char* file : {"lock", "key"}) std::filesystem::copy_file(newer / file, older / file);
  Result<Ledger> made = Ledger::OpenForWriting(older);
  ASSERT_TRUE(made.ok()) << made.error().message;
  Ledger ledger = std::move(made).value();
  Ledger source = Ledger::OpenForReading(newer).value();
  const std::vector<ReleaseRecord> records = source.Releases().value();
  for (const ReleaseRecord& record : records) {
    OpenEntry entry;
    entry.release = record.name;
    entry.policy_text = source.PolicyText(record.name).value();
    entry.guarantee = record.guarantee;
    entry.parameters_json = record.parameters_json;
    entry.rows = record.rows;
    entry.files = record.files;
    entry.final_path = record.final_path;
    const std::vector<StateFileRecord> files = source.StateFiles(record.name).value();
    for (const StateFileRecord& file : files) {
      if (file.kind != StateKind::kIdentities) continue;
      std::filesystem::copy_file(source.state_folder() / file.name, ledger.state_folder() / file.name);
      entry.state_files.push_back(file);
    }
    const std::filesystem::path aside = older / "aside";  // a folder becomes visible after its entry is open
    std::filesystem::rename(record.final_path, aside);
    const Result<OpenRelease> open = ledger.Open(entry);
    ASSERT_TRUE(open.ok()) << open.error().message;
    std::filesystem::rename(aside, record.final_path);
    ASSERT_TRUE(ledger.Close(*open).ok());
  }
}

TEST_F(PublishTest, AReleaseOnRecordWithoutClassesIsToldByItsPublishedFolder) {
  Policy policy = MakeProject("plain", kPlain);
  policy.release = "first";
  ReleaseOptions options = Options("newer");
  const Result<ReleaseOutcome> first = PublishRelease(policy, options);
  ASSERT_TRUE(first.ok()) << first.error().message;
  PutOnRecordWithoutClasses(options.ledger, folder_.path() / "older-ledger");
  options.ledger = folder_.path() / "older-ledger";
  options.dry_run = true;
  policy.release = "second";
  const Result<ReleaseOutcome> told = PublishRelease(policy, options);
  ASSERT_TRUE(told.ok()) << told.error().message;
  ASSERT_TRUE(told->composition);
  ASSERT_EQ(told->composition->releases.size(), 1U);
  EXPECT_TRUE(told->composition->releases.front().by_content);
  EXPECT_EQ(told->composition->releases.front().people, kPeople.rows);
  EXPECT_TRUE(told->composition->unknown.empty());
  EXPECT_EQ(told->composition->crowds.below_k, 0U);  // the same table under the same policy

  std::filesystem::rename(first->folder, folder_.path() / "elsewhere");
  const Result<ReleaseOutcome> untold = PublishRelease(policy, options);
  ASSERT_TRUE(untold.ok()) << untold.error().message;
  EXPECT_TRUE(untold->composition->releases.empty());
  ASSERT_EQ(untold->composition->unknown.size(), 1U);
  EXPECT_EQ(untold->composition->unknown.front().people, kPeople.rows);
  EXPECT_NE(untold->composition->unknown.front().why.find("kept no classes"), std::string::npos);
}

}  // namespace
}  // namespace pentimento::publish_test
