#include "ledger/ledger.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>

#include "ledger/ledger_testing.h"

namespace pentimento::ledger_test {
namespace {

bool Mentions(const std::string& text, std::string_view word) { return text.find(word) != std::string::npos; }

mode_t ModeOf(const std::filesystem::path& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 ? status.st_mode & 0777 : 0;
}

TEST_F(LedgerTest, ANewLedgerIsPrivateAndSound) {
  ASSERT_TRUE(Writer().ok());
  EXPECT_EQ(ModeOf(Folder()), 0700u);
  for (const char* name : {"key", "ledger.db", "lock"}) EXPECT_EQ(ModeOf(Folder() / name), 0600u) << name;
  EXPECT_EQ(ModeOf(Folder() / "state"), 0700u);
  EXPECT_EQ(std::filesystem::file_size(Folder() / "key"), sizeof(SecretKey));
  EXPECT_TRUE(Problems().empty());
  EXPECT_TRUE(Releases().empty());
}

TEST_F(LedgerTest, FilesOfARunningWriterArePrivateToo) {
  auto ledger = Writer();
  ASSERT_TRUE(Publish(*ledger, "first").ok());
  for (const char* name : {"ledger.db-wal", "ledger.db-shm", "state/first.people"}) {
    EXPECT_EQ(ModeOf(Folder() / name), 0600u) << name;
  }
}

TEST_F(LedgerTest, APublishedReleaseIsOnRecord) {
  PublishAll({"first", "second"});
  const std::vector<ReleaseRecord> releases = Releases();
  ASSERT_EQ(releases.size(), 2u);
  EXPECT_EQ(releases[0].name, "first");
  EXPECT_EQ(releases[0].state, ReleaseState::kPublished);
  EXPECT_EQ(releases[0].opened_at, "2026-03-01T12:00:00Z");
  EXPECT_EQ(releases[0].closed_at, "2026-03-01T12:00:00Z");
  EXPECT_EQ(releases[0].guarantee, "k-anonymity, k = 10");
  EXPECT_EQ(releases[0].parameters_json, R"({"k":10})");
  EXPECT_EQ(releases[0].rows, 100u);
  EXPECT_EQ(releases[0].final_path, Out() / "first");
  ASSERT_EQ(releases[0].files.size(), 1u);
  EXPECT_EQ(releases[0].files[0].name, "datapackage.json");
  EXPECT_EQ(releases[1].name, "second");
  EXPECT_TRUE(Problems().empty());
}

TEST_F(LedgerTest, WhatAReleaseTellsTogetherWithOthersIsOnRecordAndEmptyWhereNobodyMeasuredIt) {
  PublishAll({"first"});
  {
    auto ledger = Writer();
    auto entry = Stage(*ledger, "second");
    ASSERT_TRUE(entry.ok());
    entry->composition_json = R"({"releases":[]})";
    const auto open = ledger->Open(*entry);
    ASSERT_TRUE(open.ok());
    MakeVisible(*entry);
    ASSERT_TRUE(ledger->Close(*open).ok());
  }
  const std::vector<ReleaseRecord> releases = Releases();
  ASSERT_EQ(releases.size(), 2u);
  EXPECT_EQ(releases[0].composition_json, "");
  EXPECT_EQ(releases[1].composition_json, R"({"releases":[]})");
  EXPECT_TRUE(Problems().empty());
}

TEST_F(LedgerTest, StateFilesOfAReleaseAreFoundAgain) {
  PublishAll({"first"});
  auto reader = Reader();
  const auto files = reader->StateFiles("first");
  ASSERT_TRUE(files.ok());
  ASSERT_EQ(files->size(), 1u);
  const auto mapped = reader->MapState(files->front(), StateCheck::kPayload);
  ASSERT_TRUE(mapped.ok());
  EXPECT_EQ(mapped->count(), 100u);
  EXPECT_EQ(reader->StateFiles("never").error().code, ErrorCode::kBadPolicy);
}

TEST_F(LedgerTest, TheKeyOfAPersonStaysTheSameFromRunToRun) {
  const IdentityHash before = Writer()->identity_hasher()("person");
  EXPECT_EQ(Writer()->identity_hasher()("person"), before);
  EXPECT_EQ(Reader()->identity_hasher()("person"), before);
}

TEST_F(LedgerTest, APublishedNameIsNotUsedAgain) {
  PublishAll({"first"});
  auto ledger = Writer();
  const Status refused = ledger->RequireNewName("first");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kBadPolicy);
  EXPECT_EQ(refused.error().message, "release name \"first\" was used on 2026-03-01; choose a new name");
  EXPECT_TRUE(ledger->RequireNewName("First").ok());
}

TEST_F(LedgerTest, AnAbandonedNameIsFreeAgainAndLeavesNothingBehind) {
  {
    auto ledger = Writer();
    const auto entry = Stage(*ledger, "first");
    const auto open = ledger->Open(*entry);
    ASSERT_TRUE(open.ok());
    const auto state = ledger->Abandon(*open);
    ASSERT_TRUE(state.ok());
    EXPECT_EQ(*state, ReleaseState::kAbandoned);
    EXPECT_TRUE(std::filesystem::is_empty(Out()));
    EXPECT_TRUE(std::filesystem::is_empty(ledger->state_folder()));
    EXPECT_TRUE(Publish(*ledger, "first").ok());
  }
  ASSERT_EQ(Releases().size(), 2u);
  EXPECT_EQ(Releases()[0].state, ReleaseState::kAbandoned);
  EXPECT_EQ(Releases()[1].state, ReleaseState::kPublished);
  EXPECT_TRUE(Problems().empty());
}

TEST_F(LedgerTest, AReleaseThatIsVisibleCannotBeAbandoned) {
  auto ledger = Writer();
  const auto entry = Stage(*ledger, "first");
  const auto open = ledger->Open(*entry);
  MakeVisible(*entry);
  const auto state = ledger->Abandon(*open);
  ASSERT_TRUE(state.ok());
  EXPECT_EQ(*state, ReleaseState::kPublished);
  EXPECT_TRUE(std::filesystem::exists(Out() / "first"));
  EXPECT_TRUE(Problems().empty());
}

TEST_F(LedgerTest, AReleaseThatIsNotVisibleIsNotRecordedAsPublished) {
  auto ledger = Writer();
  const auto entry = Stage(*ledger, "first");
  const auto open = ledger->Open(*entry);
  EXPECT_EQ(ledger->Close(*open).error().code, ErrorCode::kStorage);
  EXPECT_EQ(Releases()[0].state, ReleaseState::kOpened);
}

TEST_F(LedgerTest, AFolderThatIsThereAlreadyIsNotPublishedInto) {
  auto ledger = Writer();
  const auto entry = Stage(*ledger, "first");
  std::filesystem::create_directory(Out() / "first");
  EXPECT_EQ(ledger->Open(*entry).error().code, ErrorCode::kUsage);
  EXPECT_TRUE(Releases().empty());
}

TEST_F(LedgerTest, ASecondWriterIsRefusedAndToldWhoWrites) {
  const auto first = Writer();
  const auto second = Writer();
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::kStorage);
  EXPECT_TRUE(Mentions(second.error().message, "is in use by another pentimento")) << second.error().message;
  EXPECT_TRUE(Mentions(second.error().message, fmt::format("(process {}, started 2026-03-01T12:00:00Z)", getpid())));
}

TEST_F(LedgerTest, TheLockGoesWithItsHolder) {
  EXPECT_EQ(RunInChild([&] {
              const auto ledger = Writer();
              return ledger.ok() ? std::raise(SIGKILL) : 1;
            }),
            128 + SIGKILL);
  EXPECT_TRUE(Writer().ok());
}

TEST_F(LedgerTest, AReaderSeesWhatARunningWriterHasCommitted) {
  auto ledger = Writer();
  EXPECT_TRUE(Releases().empty());
  ASSERT_TRUE(Publish(*ledger, "first").ok());
  auto reader = Reader();
  EXPECT_EQ(reader->Releases()->size(), 1u);
  ASSERT_TRUE(Publish(*ledger, "second").ok());
  EXPECT_EQ(reader->Releases()->size(), 2u);
  EXPECT_TRUE(reader->CheckAll()->empty());
}

TEST_F(LedgerTest, ThereIsNothingToReadWhereThereIsNoLedger) {
  for (const std::filesystem::path& folder : {temporary_.path() / "none", Out()}) {
    const auto reader = Ledger::OpenForReading(folder);
    ASSERT_FALSE(reader.ok());
    EXPECT_EQ(reader.error().code, ErrorCode::kUsage);
    EXPECT_TRUE(Mentions(reader.error().message, "no ledger at " + folder.string()));
  }
  EXPECT_TRUE(std::filesystem::is_empty(Out()));
  EXPECT_FALSE(std::filesystem::exists(temporary_.path() / "none"));
}

TEST_F(LedgerTest, AFolderOfOtherThingsDoesNotBecomeALedger) {
  std::filesystem::permissions(Out(), std::filesystem::perms::owner_all);
  WriteText(Out() / "letter.txt", "dear");
  EXPECT_EQ(Ledger::OpenForWriting(Out()).error().code, ErrorCode::kUsage);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(Out()), {}), 1);
}

TEST_F(LedgerTest, ALedgerThatOthersMayReadIsRefusedWithWhatToDo) {
  PublishAll({"first"});
  for (const auto& [path, mode, cure] :
       {std::tuple{Folder(), 0750, "chmod 700"}, {Folder() / "key", 0644, "chmod 600"}}) {
    const mode_t before = ModeOf(path);
    chmod(path.c_str(), static_cast<mode_t>(mode));
    for (const auto& opened : {Writer().error(), Reader().error()}) {
      EXPECT_EQ(opened.code, ErrorCode::kStorage);
      EXPECT_TRUE(Mentions(opened.message, cure)) << opened.message;
    }
    chmod(path.c_str(), before);
  }
  EXPECT_TRUE(Writer().ok());
}

TEST_F(LedgerTest, ALostKeyIsSaidToBeLostAndNotReplaced) {
  PublishAll({"first"});
  std::filesystem::remove(Folder() / "key");
  for (const auto& error : {Writer().error(), Reader().error()}) {
    EXPECT_EQ(error.code, ErrorCode::kCorruptLedger);
    EXPECT_TRUE(Mentions(error.message, "key is missing")) << error.message;
  }
  EXPECT_FALSE(std::filesystem::exists(Folder() / "key"));
}

TEST_F(LedgerTest, AKeyOfAnotherLedgerOrLengthIsNoticed) {
  PublishAll({"first"});
  WriteText(Folder() / "key", std::string(32, 'x'));
  EXPECT_EQ(Writer().error().code, ErrorCode::kCorruptLedger);
  EXPECT_FALSE(Problems().empty());
  for (const std::size_t length : {0, 31, 33}) {
    WriteText(Folder() / "key", std::string(length, 'x'));
    EXPECT_EQ(Writer().error().code, ErrorCode::kCorruptLedger);
  }
}

TEST_F(LedgerTest, ALostOrEmptiedDatabaseIsNotTakenForANewLedger) {
  PublishAll({"first"});
  std::filesystem::resize_file(Folder() / "ledger.db", 0);
  EXPECT_EQ(Writer().error().code, ErrorCode::kCorruptLedger);
  EXPECT_EQ(Reader().error().code, ErrorCode::kCorruptLedger);
  std::filesystem::remove(Folder() / "ledger.db");
  EXPECT_EQ(Writer().error().code, ErrorCode::kCorruptLedger);
  EXPECT_EQ(Reader().error().code, ErrorCode::kCorruptLedger);
  EXPECT_FALSE(std::filesystem::exists(Folder() / "ledger.db"));
  EXPECT_TRUE(std::filesystem::exists(StateFile("first")));
}

TEST_F(LedgerTest, ALedgerOfANewerVersionIsRefusedAndLeftAlone) {
  PublishAll({"first"});
  Sql("PRAGMA user_version = 7");
  for (const auto& error : {Writer().error(), Reader().error()}) {
    EXPECT_EQ(error.code, ErrorCode::kStorage);
    EXPECT_TRUE(Mentions(error.message, "version 7")) << error.message;
  }
}

TEST_F(LedgerTest, ADatabaseOfAnotherProgramIsRefused) {
  PublishAll({"first"});
  Sql("PRAGMA application_id = 42");
  EXPECT_EQ(Writer().error().code, ErrorCode::kCorruptLedger);
  EXPECT_TRUE(Mentions(Reader().error().message, "another program"));
}

TEST_F(LedgerTest, AFileThatIsNoDatabaseIsRefused) {
  PublishAll({"first"});
  WriteText(Folder() / "ledger.db", std::string(8192, 'x'));
  for (const auto& error : {Writer().error(), Reader().error()}) {
    EXPECT_EQ(error.code, ErrorCode::kCorruptLedger);
    EXPECT_TRUE(Mentions(error.message, "not a ledger")) << error.message;
  }
}

TEST_F(LedgerTest, ATruncatedDatabaseIsFoundDamaged) {
  PublishAll({"first", "second"});
  const auto size = std::filesystem::file_size(Folder() / "ledger.db");
  std::filesystem::resize_file(Folder() / "ledger.db", size / 2);
  EXPECT_EQ(Writer().error().code, ErrorCode::kCorruptLedger);
  EXPECT_FALSE(Problems().empty());
}

TEST_F(LedgerTest, AReadOnlyFolderCanBeReadAndIsNotTouched) {
  PublishAll({"first"});
  const auto before = std::distance(std::filesystem::directory_iterator(Folder()), {});
  EXPECT_EQ(RunWithReadOnlyLedger([&] {
              auto ledger = Reader();
              if (!ledger.ok()) return fmt::print(stderr, "{}\n", ledger.error().message), 2;
              if (ledger->Releases()->size() != 1) return 3;
              if (!ledger->CheckAll()->empty()) return 4;
              return Writer().ok() ? 5 : 0;
            }),
            0);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(Folder()), {}), before);
}

TEST_F(LedgerTest, AFullDiskIsAnErrorAndTheLedgerStaysSound) {
  PublishAll({"first"});
  // Every limit stops the work at another write; from some size on it goes through.
  std::size_t refused = 0;
  for (rlim_t limit = 64; limit <= rlim_t{1} << 20; limit = limit * 3 / 2) {
    const std::string release = fmt::format("limit-{}", limit);
    const int code = RunInChild([&] {
      std::signal(SIGXFSZ, SIG_IGN);
      const rlimit bytes{limit, limit};
      setrlimit(RLIMIT_FSIZE, &bytes);
      auto ledger = Writer();
      const Status published = ledger.ok() ? Publish(*ledger, release) : Status(ledger.error());
      return published.ok() ? 0 : static_cast<int>(published.error().code) + 1;
    });
    if (code == 0) continue;
    ++refused;
    EXPECT_EQ(code, static_cast<int>(ErrorCode::kStorage) + 1) << limit;
    ASSERT_TRUE(Writer().ok()) << limit;
    EXPECT_TRUE(Problems().empty()) << limit;
    EXPECT_EQ(std::filesystem::exists(Out() / release), !Writer()->RequireNewName(release).ok()) << limit;
  }
  EXPECT_GT(refused, 3u);
}

}  // namespace
}  // namespace pentimento::ledger_test
