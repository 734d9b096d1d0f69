#include "engine/publish.h"

#include <gtest/gtest.h>

#include "base/failed_check.h"
#include "base/run.h"
#include "engine/generate/people_project.h"
#include "fmt/core.h"
#include "ledger/temporary_ledger.h"

namespace pentimento::publish_test {
namespace {

class PublishTest : public ::testing::Test {
 protected:
  // A register of made-up people, and its policy with this guarantee; the name of the release is the guarantee's.
  Policy MakeProject(const std::string& name, std::string_view guarantee) const {
    const std::filesystem::path folder = folder_.path() / name;
    Check(WritePeopleProject(folder, {.rows = 3'000}, FileFormat::kCsv).ok(), "made-up people");
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

}  // namespace
}  // namespace pentimento::publish_test
