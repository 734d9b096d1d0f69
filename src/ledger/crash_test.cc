// A kill at any moment leaves either nothing published, or what was published in the ledger.
#include <csignal>

#include "base/run.h"
#include "ledger/file_descriptor.h"
#include "ledger/ledger_testing.h"

namespace pentimento::crash_test {
namespace {

class CrashTest : public LedgerTest {
 protected:
  // Runs `body` with a ledger in a child that dies at the failpoint.
  void KillAt(const char* failpoint, const std::function<void(Ledger&)>& body) const {
    const int code = RunInChild([&] {
      RunContext run({.failpoint = failpoint});
      const RunScope scope(run);
      auto ledger = Writer();
      if (!ledger.ok()) return 1;
      body(*ledger);
      return 0;
    });
    EXPECT_EQ(code, 128 + SIGKILL) << failpoint << " was not reached";
  }

  // What is visible is what is recorded as published, nothing else lies about, and the ledger is sound.
  void ExpectInvariant(const char* when) const {
    auto ledger = Writer();
    ASSERT_TRUE(ledger.ok()) << when << ": " << ledger.error().message;
    std::set<std::string> published;
    const auto releases = ledger->Releases();
    for (const ReleaseRecord& release : *releases) {
      EXPECT_NE(release.state, ReleaseState::kOpened) << when;
      if (release.state == ReleaseState::kPublished) published.insert(release.name);
    }
    std::set<std::string> visible;
    for (const auto& folder : std::filesystem::directory_iterator(Out())) {
      const std::string name = folder.path().filename().string();
      if (!name.starts_with('.')) visible.insert(name);
    }
    EXPECT_EQ(visible, published) << when;
    std::set<std::string> state_files;
    for (const auto& file : std::filesystem::directory_iterator(ledger->state_folder())) {
      state_files.insert(file.path().filename().string());
    }
    std::set<std::string> wanted;
    for (const std::string& name : published) wanted.insert(name + ".people");
    EXPECT_EQ(state_files, wanted) << when;
    EXPECT_EQ(*ledger->CheckAll(), std::vector<std::string>()) << when;
  }

  bool IsVisible(const std::string& release) const { return std::filesystem::exists(Out() / release); }
};

struct Step {
  const char* failpoint;
  bool published;  // whether the release is out when the process dies there
};
constexpr Step kSteps[] = {
    {"state-written", false},         {"state-named", false},   {"ledger-opening", false},
    {"ledger-opening-in-log", false}, {"ledger-opened", false}, {"test-before-rename", false},
    {"test-after-rename", true},      {"ledger-closing", true}, {"ledger-closed", true},
    {"ledger-closed-in-file", true},
};

TEST_F(CrashTest, AKillAtAnyStepOfTheFirstReleaseLeavesNoThirdCase) {
  for (const Step& step : kSteps) {
    std::filesystem::remove_all(Folder());
    std::filesystem::remove_all(Out());
    std::filesystem::create_directory(Out());
    KillAt(step.failpoint, [&](Ledger& ledger) { (void)Publish(ledger, "first").ok(); });
    EXPECT_EQ(IsVisible("first"), step.published) << step.failpoint;
    ExpectInvariant(step.failpoint);
    EXPECT_EQ(Releases().empty() ? false : Releases()[0].state == ReleaseState::kPublished, step.published);
    if (!step.published) PublishAll({"first"});
    ExpectInvariant(step.failpoint);
  }
}

TEST_F(CrashTest, AKillAtAnyStepOfALaterReleaseLeavesTheEarlierOnes) {
  std::size_t published = 0;
  for (const Step& step : kSteps) {
    PublishAll({fmt::format("before-{}", step.failpoint)});
    KillAt(step.failpoint, [&](Ledger& ledger) { (void)Publish(ledger, fmt::format("at-{}", step.failpoint)).ok(); });
    ExpectInvariant(step.failpoint);
    published += step.published ? 2 : 1;
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(Folder() / "state"), {}), published);
  }
}

TEST_F(CrashTest, WithoutTheLogOfAKilledProcessEverythingVisibleIsStillOnRecord) {
  for (const Step& step : kSteps) {
    PublishAll({fmt::format("before-{}", step.failpoint)});
    KillAt(step.failpoint, [&](Ledger& ledger) { (void)Publish(ledger, step.failpoint).ok(); });
    for (const char* name : {"ledger.db-wal", "ledger.db-shm"}) std::filesystem::remove(Folder() / name);
    EXPECT_EQ(IsVisible(step.failpoint), step.published) << step.failpoint;
    ExpectInvariant(step.failpoint);
  }
}

TEST_F(CrashTest, AStateFileIsReplacedOnlyOnceTheLogCanBeLost) {
  PublishAll({"first"});
  for (const char* failpoint : {"ledger-closed", "ledger-closed-in-file", "ledger-replaced"}) {
    std::filesystem::remove_all(temporary_.path() / "copy");
    std::filesystem::copy(Folder(), temporary_.path() / "copy", std::filesystem::copy_options::recursive);
    KillAt(failpoint, [&](Ledger& ledger) {
      auto entry = Stage(ledger, "second");
      entry->replaces = {"first.people"};
      const auto open = ledger.Open(*entry);
      MakeVisible(*entry);
      (void)ledger.Close(*open).ok();
    });
    for (const char* name : {"ledger.db-wal", "ledger.db-shm"}) std::filesystem::remove(Folder() / name);
    {
      auto ledger = Writer();
      ASSERT_TRUE(ledger.ok()) << failpoint << ": " << ledger.error().message;
      EXPECT_EQ(*ledger->CheckAll(), std::vector<std::string>()) << failpoint;
      EXPECT_EQ(ledger->Releases()->back().state, ReleaseState::kPublished) << failpoint;
    }
    EXPECT_FALSE(std::filesystem::exists(StateFile("first"))) << failpoint;
    std::filesystem::remove_all(Folder());
    std::filesystem::remove_all(Out() / "second");
    std::filesystem::rename(temporary_.path() / "copy", Folder());
  }
}

TEST_F(CrashTest, NothingBecomesVisibleWhileItsEntryIsInTheLogAlone) {
  PublishAll({"first"});
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open((Folder() / "ledger.db").c_str(), &handle), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(handle, "BEGIN; SELECT count(*) FROM entry", nullptr, nullptr, nullptr), SQLITE_OK);
  {
    // Somebody looks at the ledger as it was, so the log cannot be merged.
    auto ledger = Writer();
    ASSERT_TRUE(ledger.ok()) << ledger.error().message;
    const auto entry = Stage(*ledger, "second");
    const auto open = ledger->Open(*entry);
    ASSERT_FALSE(open.ok());
    EXPECT_EQ(open.error().code, ErrorCode::kStorage);
  }
  sqlite3_close(handle);
  ExpectInvariant("in the log alone");
  PublishAll({"second"});
  ExpectInvariant("merged");
}

TEST_F(CrashTest, AKillWhileTheLedgerIsMadeLeavesNoneOrAWholeOne) {
  for (const char* failpoint : {"key-written", "key-named", "database-making", "database-made"}) {
    std::filesystem::remove_all(Folder());
    KillAt(failpoint, [](Ledger&) {});
    const std::filesystem::path key = Folder() / "key";
    EXPECT_TRUE(!std::filesystem::exists(key) || std::filesystem::file_size(key) == sizeof(SecretKey)) << failpoint;
    const auto reader = Reader();
    EXPECT_TRUE(reader.ok() || reader.error().code == ErrorCode::kUsage) << failpoint << reader.error().message;
    ExpectInvariant(failpoint);
    EXPECT_FALSE(std::filesystem::exists(Folder() / "key.partial")) << failpoint;
  }
}

TEST_F(CrashTest, AKillDuringRecoveryIsRecoveredFrom) {
  for (const char* second : {"staging-removed", "ledger-abandoning", "ledger-abandoned"}) {
    KillAt("ledger-opened", [&](Ledger& ledger) { (void)Publish(ledger, second).ok(); });
    KillAt(second, [](Ledger&) {});
    ExpectInvariant(second);
  }
  for (const char* second : {"ledger-closing", "ledger-closed"}) {
    KillAt("test-after-rename", [&](Ledger& ledger) { (void)Publish(ledger, second).ok(); });
    KillAt(second, [](Ledger&) {});
    ExpectInvariant(second);
    EXPECT_TRUE(IsVisible(second));
  }
}

TEST_F(CrashTest, AKillWhileAReleaseIsGivenUpIsRecoveredFrom) {
  for (const char* failpoint : {"staging-removed", "ledger-abandoning", "ledger-abandoned"}) {
    KillAt(failpoint, [&](Ledger& ledger) {
      const auto entry = Stage(ledger, failpoint);
      const auto open = ledger.Open(*entry);
      (void)ledger.Abandon(*open).ok();
    });
    ExpectInvariant(failpoint);
    EXPECT_TRUE(std::filesystem::is_empty(Out())) << failpoint;
  }
}

TEST_F(CrashTest, RecoveryTellsWhatItDid) {
  KillAt("ledger-opened", [&](Ledger& ledger) { (void)Publish(ledger, "lost").ok(); });
  KillAt("test-after-rename", [&](Ledger& ledger) { (void)Publish(ledger, "out").ok(); });
  auto ledger = Writer();
  ASSERT_EQ(ledger->recovered().size(), 1u);  // The second child has recovered "lost" before it died.
  EXPECT_EQ(
      ledger->recovered()[0],
      "the release \"out\" was being published when its process stopped: it is out, and is now recorded as published");
  EXPECT_EQ(ledger->Releases()->at(0).state, ReleaseState::kAbandoned);
}

TEST_F(CrashTest, OnlyTheStagingFolderBesideTheReleaseIsRemoved) {
  KillAt("ledger-opened", [&](Ledger& ledger) { (void)Publish(ledger, "first").ok(); });
  std::filesystem::create_directory(Out() / ".other.partial");
  std::filesystem::create_directory(Out() / "other");
  auto ledger = Writer();
  ASSERT_TRUE(ledger.ok());
  EXPECT_FALSE(std::filesystem::exists(Out() / ".first.partial"));
  EXPECT_TRUE(std::filesystem::exists(Out() / ".other.partial"));
  EXPECT_TRUE(std::filesystem::exists(Out() / "other"));
}

TEST_F(CrashTest, ALinkInPlaceOfTheStagingFolderIsNotFollowed) {
  KillAt("ledger-opened", [&](Ledger& ledger) { (void)Publish(ledger, "first").ok(); });
  std::filesystem::remove_all(Out() / ".first.partial");
  std::filesystem::create_directory(Out() / "precious");
  WriteText(Out() / "precious" / "file", "x");
  std::filesystem::create_directory_symlink(Out() / "precious", Out() / ".first.partial");
  EXPECT_TRUE(Writer().ok());
  EXPECT_TRUE(std::filesystem::exists(Out() / "precious" / "file"));
  EXPECT_TRUE(std::filesystem::is_symlink(Out() / ".first.partial"));
}

TEST_F(CrashTest, AnOutputFolderThatCannotBeReachedIsNotTakenForNothingPublished) {
  KillAt("test-after-rename", [&](Ledger& ledger) { (void)Publish(ledger, "first").ok(); });
  std::filesystem::rename(Out(), temporary_.path() / "unmounted");
  const auto ledger = Writer();
  ASSERT_FALSE(ledger.ok());
  EXPECT_EQ(ledger.error().code, ErrorCode::kStorage);
  std::filesystem::rename(temporary_.path() / "unmounted", Out());
  ExpectInvariant("reachable again");
  EXPECT_EQ(Releases()[0].state, ReleaseState::kPublished);
}

TEST_F(CrashTest, AReleaseThatWasChangedAfterItBecameVisibleCountsAsPublished) {
  KillAt("test-after-rename", [&](Ledger& ledger) { (void)Publish(ledger, "first").ok(); });
  WriteText(Out() / "first" / "datapackage.json", "{}");
  ExpectInvariant("changed");
  EXPECT_EQ(Releases()[0].state, ReleaseState::kPublished);
}

TEST_F(CrashTest, AForeignFolderInTheWayIsNotTakenForTheRelease) {
  KillAt("ledger-opened", [&](Ledger& ledger) { (void)Publish(ledger, "first").ok(); });
  std::filesystem::create_directory(Out() / "first");
  WriteText(Out() / "first" / "datapackage.json", "{}");
  ASSERT_TRUE(Writer().ok());
  EXPECT_EQ(Releases()[0].state, ReleaseState::kAbandoned);
  EXPECT_TRUE(std::filesystem::exists(Out() / "first" / "datapackage.json"));
}

TEST_F(CrashTest, AReaderBesideADeadWriterSeesWhatItCommitted) {
  PublishAll({"first"});
  KillAt("ledger-opened", [&](Ledger& ledger) { (void)Publish(ledger, "second").ok(); });
  ASSERT_EQ(Releases().size(), 2u);
  EXPECT_EQ(Releases()[1].state, ReleaseState::kOpened);
  EXPECT_EQ(Problems(), std::vector<std::string>());
}

TEST_F(CrashTest, AReadOnlyFolderWithAPendingLogIsNeverReadWithoutIt) {
  PublishAll({"first"});
  KillAt("ledger-closed", [&](Ledger& ledger) { (void)Publish(ledger, "second").ok(); });
  ASSERT_GT(std::filesystem::file_size(Folder() / "ledger.db-wal"), 0u);
  for (const bool index_is_there : {true, false}) {
    if (!index_is_there) std::filesystem::remove(Folder() / "ledger.db-shm");
    EXPECT_EQ(RunWithReadOnlyLedger([&] {
                auto ledger = Reader();
                if (!ledger.ok()) return fmt::print(stderr, "{} {}\n", index_is_there, ledger.error().message), 1;
                return ledger->Releases()->size() == 2 ? 0 : 2;
              }),
              index_is_there ? 0 : 1);
  }
}

TEST_F(CrashTest, ATrialAnswersAsTheNextWriterWouldAndRecordsNothing) {
  for (const Step& step : kSteps) {
    KillAt(step.failpoint, [&](Ledger& ledger) { (void)Publish(ledger, step.failpoint).ok(); });
    const std::string log_before = ReadAll(Folder() / "ledger.db-wal");
    auto tried = Trial();
    ASSERT_TRUE(tried.ok() && tried->has_value()) << step.failpoint;
    EXPECT_EQ((*tried)->RequireNewName(step.failpoint).ok(), !step.published) << step.failpoint;
    const auto people = (*tried)->StateFiles(step.failpoint);
    EXPECT_EQ(people.ok(), step.published) << step.failpoint;
    EXPECT_TRUE(!people.ok() || (*tried)->MapState(people->at(0), StateCheck::kPayload).ok()) << step.failpoint;
    std::vector<ReleaseState> foreseen, recorded;
    for (const ReleaseRecord& release : *(*tried)->Releases()) foreseen.push_back(release.state);
    EXPECT_EQ(ReadAll(Folder() / "ledger.db-wal"), log_before) << "a trial merges no log";
    ExpectInvariant(step.failpoint);
    for (const ReleaseRecord& release : Releases()) recorded.push_back(release.state);
    EXPECT_EQ(foreseen, recorded) << step.failpoint;
  }
}

TEST_F(CrashTest, ATrialFindsThePeopleOfANameThatWasAbandonedBefore) {
  KillAt("ledger-opened", [&](Ledger& ledger) { (void)Publish(ledger, "first").ok(); });
  KillAt("test-after-rename", [&](Ledger& ledger) { (void)Publish(ledger, "first").ok(); });
  auto tried = Trial();
  ASSERT_TRUE(tried.ok() && tried->has_value());
  EXPECT_EQ((*tried)->StateFiles("first")->size(), 1u);
  EXPECT_EQ((*tried)->recovered(),
            (std::vector<std::string>{"the release \"first\" was being published when its process stopped: it is out, "
                                      "and the next release records it as published"}));
  EXPECT_EQ(Releases()[1].state, ReleaseState::kOpened);
}

TEST_F(CrashTest, ATrialRefusesWhereTheNextWriterWould) {
  KillAt("test-after-rename", [&](Ledger& ledger) { (void)Publish(ledger, "first").ok(); });
  std::filesystem::rename(Out(), temporary_.path() / "unmounted");
  const auto unreachable = Trial();
  ASSERT_FALSE(unreachable.ok());
  EXPECT_EQ(unreachable.error().message, Writer().error().message);
  std::filesystem::rename(temporary_.path() / "unmounted", Out());
  Sql("UPDATE head SET count = count + 1, mac = x'00'");
  const auto tampered = Trial();
  ASSERT_FALSE(tampered.ok());
  EXPECT_EQ(tampered.error().message, Writer().error().message);
}

TEST_F(CrashTest, ATrialOfALedgerThatWasOnlyBegunFindsNone) {
  EXPECT_FALSE(Trial()->has_value());
  for (const char* failpoint : {"key-written", "key-named", "database-making"}) {
    std::filesystem::remove_all(Folder());
    KillAt(failpoint, [](Ledger&) {});
    const auto tried = Trial();
    ASSERT_TRUE(tried.ok()) << failpoint << tried.error().message;
    EXPECT_FALSE(tried->has_value()) << failpoint;
  }
  PublishAll({"first"});
  EXPECT_TRUE(Trial()->has_value());
  std::filesystem::remove(Folder() / "key");
  EXPECT_FALSE(Trial().ok());
}

TEST_F(CrashTest, AStagingFolderThatSomebodyHoldsIsLeftAlone) {
  KillAt("ledger-opened", [&](Ledger& ledger) { (void)Publish(ledger, "first").ok(); });
  const FolderLock held = LockFolder(Out() / ".first.partial");
  ASSERT_EQ(held.outcome, FolderLock::Outcome::kTaken);
  auto ledger = Writer();
  ASSERT_TRUE(ledger.ok()) << ledger.error().message;
  EXPECT_TRUE(std::filesystem::exists(Out() / ".first.partial" / kManifestName));
  ASSERT_FALSE(ledger->recovered().empty());
  EXPECT_EQ(ledger->recovered()[0],
            (Out() / ".first.partial").string() + " is in use by another process and was left alone");
  EXPECT_EQ(Releases()[0].state, ReleaseState::kAbandoned);
}

TEST_F(CrashTest, OnlyAFolderThatNobodyHoldsIsLocked) {
  EXPECT_EQ(LockFolder(Out() / "nowhere").outcome, FolderLock::Outcome::kGone);
  WriteText(Out() / "file", "x");
  EXPECT_EQ(LockFolder(Out() / "file").outcome, FolderLock::Outcome::kTrouble);
  std::filesystem::create_directory(Out() / "folder");
  std::filesystem::create_directory_symlink(Out() / "folder", Out() / "link");
  EXPECT_EQ(LockFolder(Out() / "link").outcome, FolderLock::Outcome::kTrouble);
  const FolderLock first = LockFolder(Out() / "folder");
  EXPECT_EQ(first.outcome, FolderLock::Outcome::kTaken);
  EXPECT_EQ(LockFolder(Out() / "folder").outcome, FolderLock::Outcome::kInUse);
}

TEST_F(CrashTest, UnnamedStateFilesAreRemovedAtTheNextStart) {
  PublishAll({"first"});
  ASSERT_TRUE(WriteIdentities(Folder() / "state", "orphan", SomePeople(3)).ok());
  WriteText(Folder() / "state" / "half.partial", "x");
  auto ledger = Writer();
  ASSERT_EQ(ledger->recovered().size(), 1u);
  EXPECT_EQ(ledger->recovered()[0], "removed 2 state files of releases that were never published");
  EXPECT_TRUE(std::filesystem::exists(StateFile("first")));
}

}  // namespace
}  // namespace pentimento::crash_test
