#include "ledger/budgets.h"

#include <gtest/gtest.h>

#include "base/run.h"
#include "ledger/ledger_testing.h"

namespace pentimento::budgets_test {
namespace {

class BudgetsTest : public LedgerTest {
 protected:
  // A release whose budgets replace those of the one before.
  Result<OpenEntry> StageBudgets(const Ledger& ledger, const std::string& release, std::uint64_t spent) const {
    PENTIMENTO_ASSIGN(OpenEntry entry, Stage(ledger, release));
    const std::vector<IdentityHash> people = {{1, 2}, {1, 3}, {7, 0}};
    const std::vector<std::uint64_t> budgets = {spent, 1, spent, 2, spent, 3};
    PENTIMENTO_ASSIGN(const StateFileRecord file,
                      WriteBudgets(ledger.state_folder(), release + ".budgets", {2, people, budgets, "about"}));
    entry.state_files.push_back(file);
    return entry;
  }

  Status PublishBudgets(Ledger& ledger, const std::string& release, const std::string& replaced) const {
    PENTIMENTO_ASSIGN(OpenEntry entry, StageBudgets(ledger, release, 40));
    if (!replaced.empty()) entry.replaces = {replaced + ".budgets"};
    PENTIMENTO_ASSIGN(const OpenRelease open, ledger.Open(entry));
    MakeVisible(entry);
    return ledger.Close(open);
  }

  bool HasBudgets(const std::string& release) const {
    return std::filesystem::exists(Folder() / "state" / (release + ".budgets"));
  }
};

TEST_F(BudgetsTest, WhatWasWrittenIsReadAgain) {
  auto ledger = Writer();
  ASSERT_TRUE(ledger.ok());
  const auto entry = StageBudgets(*ledger, "one", 9);
  ASSERT_TRUE(entry.ok()) << entry.error().message;
  auto mapped = ledger->MapState(entry->state_files.back(), StateCheck::kPayload);
  ASSERT_TRUE(mapped.ok()) << mapped.error().message;
  const auto budgets = Budgets::Open(std::move(*mapped), "one.budgets");
  ASSERT_TRUE(budgets.ok()) << budgets.error().message;
  EXPECT_EQ(budgets->view().items, 2U);
  EXPECT_EQ(budgets->view().people.size(), 3U);
  EXPECT_EQ(budgets->view().people[1], (IdentityHash{1, 3}));
  EXPECT_EQ(std::vector(budgets->view().spent.begin(), budgets->view().spent.end()),
            (std::vector<std::uint64_t>{9, 1, 9, 2, 9, 3}));
  EXPECT_EQ(budgets->view().about, "about");
  EXPECT_LE(entry->state_files.back().bytes, 64 + 32 + 5 + 3 * (16 + 2 * 8));
}

TEST_F(BudgetsTest, PeopleOutOfOrderAndSizesThatDoNotFitAreFound) {
  auto ledger = Writer();
  ASSERT_TRUE(ledger.ok());
  const std::vector<std::uint64_t> spent(2);
  for (const std::vector<IdentityHash>& people :
       {std::vector<IdentityHash>{{2, 0}, {1, 0}}, std::vector<IdentityHash>{{1, 0}, {1, 0}}}) {
    const auto file = WriteBudgets(ledger->state_folder(), "wrong.budgets", {1, people, spent, ""});
    ASSERT_TRUE(file.ok());
    auto mapped = ledger->MapState(*file, StateCheck::kPayload);
    ASSERT_TRUE(mapped.ok());
    EXPECT_EQ(Budgets::Open(std::move(*mapped), "wrong.budgets").error().code, ErrorCode::kCorruptLedger);
    std::filesystem::remove(ledger->state_folder() / "wrong.budgets");
  }
  auto writer = StateFileWriter::Create(ledger->state_folder(), "short.budgets", StateKind::kBudgets, 1);
  const std::vector<std::byte> header = {std::byte{1}, std::byte{0}, std::byte{0}, std::byte{0}};
  ASSERT_TRUE(writer->Append(std::span<const std::byte>(header)).ok());
  const auto file = writer->Finish();
  auto mapped = ledger->MapState(*file, StateCheck::kPayload);
  EXPECT_EQ(Budgets::Open(std::move(*mapped), "short.budgets").error().code, ErrorCode::kCorruptLedger);
}

TEST_F(BudgetsTest, OnlyTheLatestBudgetsStayAndTheLedgerIsSound) {
  auto ledger = Writer();
  ASSERT_TRUE(ledger.ok());
  ASSERT_TRUE(PublishBudgets(*ledger, "one", "").ok());
  ASSERT_TRUE(PublishBudgets(*ledger, "two", "one").ok());
  EXPECT_FALSE(HasBudgets("one"));
  EXPECT_TRUE(HasBudgets("two"));
  EXPECT_EQ(*ledger->CheckAll(), std::vector<std::string>());
  std::filesystem::remove(Folder() / "state" / "two.budgets");
  EXPECT_EQ(ledger->CheckAll()->size(), 1U);
}

TEST_F(BudgetsTest, AKillBeforeTheReleaseIsOutKeepsTheBudgetsAndAfterItReplacesThem) {
  {
    auto ledger = Writer();
    ASSERT_TRUE(PublishBudgets(*ledger, "one", "").ok());
  }
  for (const char* failpoint : {"ledger-opened", "ledger-closing", "ledger-closed"}) {
    const std::string release = std::string("at-") + failpoint;
    const int code = RunInChild([&] {
      RunContext run({.failpoint = failpoint});
      const RunScope scope(run);
      auto ledger = Writer();
      return ledger.ok() && PublishBudgets(*ledger, release, "one").ok() ? 0 : 1;
    });
    EXPECT_EQ(code, 128 + SIGKILL) << failpoint;
    auto ledger = Writer();
    ASSERT_TRUE(ledger.ok()) << ledger.error().message;
    const bool is_out = std::filesystem::exists(Out() / release);
    EXPECT_EQ(is_out, std::string(failpoint) == "ledger-closing" || std::string(failpoint) == "ledger-closed");
    EXPECT_EQ(HasBudgets("one"), !is_out) << failpoint;
    EXPECT_EQ(HasBudgets(release), is_out) << failpoint;
    EXPECT_EQ(*ledger->CheckAll(), std::vector<std::string>()) << failpoint;
    if (is_out) break;
  }
}

}  // namespace
}  // namespace pentimento::budgets_test
