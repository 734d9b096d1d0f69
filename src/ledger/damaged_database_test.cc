// One wrong bit anywhere in ledger.db: nothing is written with it, nothing is removed because of it, and it is said.
#include <algorithm>

#include "ledger/ledger_testing.h"

namespace pentimento::damaged_database_test {
namespace {

class DamagedDatabaseTest : public LedgerTest {
 protected:
  DamagedDatabaseTest() {
    PublishAll({"first", "second"});
    auto ledger = Writer();
    const auto entry = Stage(*ledger, "given-up");
    EXPECT_EQ(*ledger->Abandon(*ledger->Open(*entry)), ReleaseState::kAbandoned);
  }

  std::filesystem::path File() const { return Folder() / "ledger.db"; }

  void Write(std::string_view database) const {
    for (const char* name : {"ledger.db-wal", "ledger.db-shm"}) std::filesystem::remove(Folder() / name);
    WriteText(File(), database);
  }

  // What the ledger tells of its history.
  static std::string HistoryIn(Result<Ledger>&& ledger) {
    if (!ledger.ok()) return ledger.error().message;
    const auto releases = ledger->Releases();
    if (!releases.ok()) return releases.error().message;
    std::string text;
    for (const ReleaseRecord& release : *releases) {
      text += fmt::format("{} {} {} {} {};", release.name, ToString(release.state), release.opened_at,
                          release.parameters_json, release.final_path.string());
      const auto files = ledger->StateFiles(release.name);
      for (std::size_t i = 0; files.ok() && i < files->size(); ++i) text += (*files)[i].name + ";";
    }
    return text;
  }

  std::vector<std::string> StateFolder() const {
    std::vector<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(Folder() / "state"))
      names.push_back(file.path().filename());
    std::ranges::sort(names);
    return names;
  }
};

TEST_F(DamagedDatabaseTest, AWriterBelievesNothingThatTheCheckWouldNotBelieve) {
  const std::string whole = ReadAll(File());
  // Nobody else has the database open below: damage must not look like somebody's lock.
  const std::string history = HistoryIn(Reader());
  const std::vector<std::string> state = StateFolder();
  std::size_t refused = 0;
  std::size_t harmless = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    // All of the header of the file; elsewhere what is not empty, in strides, because every change is a whole check.
    if (at >= 100 && (whole[at] == 0 || at % 11 != 0)) continue;
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at / 11 % 8)));
    Write(damaged);
    auto writer = Writer();
    if (writer.ok()) {
      EXPECT_EQ(HistoryIn(std::move(writer)), history) << "byte " << at;
      EXPECT_EQ(Problems(), std::vector<std::string>()) << "byte " << at;
      ++harmless;
    } else {
      EXPECT_TRUE(writer.error().code == ErrorCode::kCorruptLedger || writer.error().code == ErrorCode::kStorage)
          << "byte " << at << ": " << writer.error().message;
      EXPECT_NE(writer.error().message.find(File().string()), std::string::npos) << writer.error().message;
      EXPECT_NE(writer.error().message.find("backup"), std::string::npos) << writer.error().message;
      ++refused;
    }
    ASSERT_EQ(StateFolder(), state) << "byte " << at;
  }
  EXPECT_GT(refused, 400u);
  // Counters of the database that nobody goes by, and what is left of records in pages that were written anew.
  EXPECT_LT(harmless, refused / 4);
  Write(whole);
  EXPECT_EQ(Problems(), std::vector<std::string>());
}

TEST_F(DamagedDatabaseTest, ADryRunBelievesNoMoreThanAWriter) {
  const std::string whole = ReadAll(File());
  std::size_t refused = 0;
  for (std::size_t at = whole.find("k-anonymity, k = 10"); at != std::string::npos;
       at = whole.find("k-anonymity, k = 10", at + 1)) {
    std::string damaged = whole;
    damaged[at] = 'q';
    Write(damaged);
    const auto trial = Trial();
    ASSERT_FALSE(trial.ok());
    EXPECT_EQ(trial.error().code, ErrorCode::kCorruptLedger);
    EXPECT_EQ(trial.error().message, Writer().error().message);
    EXPECT_EQ(trial.error().message.find(Problems().front()), 0u) << trial.error().message;
    ++refused;
  }
  EXPECT_GE(refused, 3u);
}

TEST_F(DamagedDatabaseTest, BytesThatAreNoTextAreSpelledOut) {
  const std::string whole = ReadAll(File());
  std::size_t changes = 0;
  for (std::size_t at = whole.find("second"); at != std::string::npos; at = whole.find("second", at + 1)) {
    std::string damaged = whole;
    damaged[at + 1] = static_cast<char>(0xe5);
    damaged[at + 2] = '\x1b';
    Write(damaged);
    for (const std::string& problem : Problems()) {
      EXPECT_TRUE(std::ranges::all_of(problem, [](char c) { return c >= ' ' && c < 127; })) << problem;
    }
    ++changes;
  }
  EXPECT_GE(changes, 5u);
}

TEST_F(DamagedDatabaseTest, NothingIsRemovedWhileAStateFileIsMissing) {
  // Under another name it may be the very file that is missing.
  std::filesystem::rename(StateFile("first"), Folder() / "state" / "first.peopl");
  const auto writer = Writer();
  ASSERT_FALSE(writer.ok());
  EXPECT_EQ(writer.error().code, ErrorCode::kCorruptLedger);
  EXPECT_NE(writer.error().message.find(StateFile("first").string()), std::string::npos) << writer.error().message;
  EXPECT_NE(writer.error().message.find("backup"), std::string::npos) << writer.error().message;
  EXPECT_TRUE(std::filesystem::exists(Folder() / "state" / "first.peopl"));
  std::filesystem::rename(Folder() / "state" / "first.peopl", StateFile("first"));
  EXPECT_TRUE(Writer().ok());
}

}  // namespace
}  // namespace pentimento::damaged_database_test
