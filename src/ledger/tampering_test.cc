// Every change that somebody with SQLite and without the key can make to the ledger is found.
#include <algorithm>

#include "base/rounds_testing.h"
#include "ledger/ledger_testing.h"

namespace pentimento::tampering_test {
namespace {

class TamperingTest : public LedgerTest {
 protected:
  TamperingTest() {
    PublishAll({"first", "second", "third"});
    auto ledger = Writer();
    const auto entry = Stage(*ledger, "given-up");
    const auto open = ledger->Open(*entry);
    EXPECT_EQ(*ledger->Abandon(*open), ReleaseState::kAbandoned);
  }

  // With the triggers out of the way and put back afterwards, so that it is the chain which has to notice.
  void Tamper(const std::string& sql) const {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open((Folder() / "ledger.db").c_str(), &handle), SQLITE_OK);
    std::string drop = "PRAGMA synchronous = OFF;";
    std::string restore;
    sqlite3_stmt* triggers = nullptr;
    sqlite3_prepare_v2(handle, "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'", -1, &triggers, nullptr);
    while (sqlite3_step(triggers) == SQLITE_ROW) {
      drop += fmt::format("DROP TRIGGER {};", reinterpret_cast<const char*>(sqlite3_column_text(triggers, 0)));
      restore += fmt::format("{};", reinterpret_cast<const char*>(sqlite3_column_text(triggers, 1)));
    }
    sqlite3_finalize(triggers);
    EXPECT_EQ(sqlite3_exec(handle, (drop + sql + ";" + restore).c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(handle);
    EXPECT_GT(sqlite3_total_changes(handle), 0) << sql;
    sqlite3_close(handle);
  }

  bool IsSaid(std::string_view words) const {
    const std::vector<std::string> problems = Problems();
    return std::any_of(problems.begin(), problems.end(),
                       [&](const std::string& problem) { return problem.find(words) != std::string::npos; });
  }

  // A field of an entry as hex digits.
  std::string Hex(const std::string& field, int seq) const {
    auto database = Database::Open(Folder() / "ledger.db", Database::Mode::kReadOnly);
    auto select = database->Prepare(fmt::format("SELECT hex({}) FROM entry WHERE seq = {}", field, seq));
    EXPECT_TRUE(*select->Step());
    return select->Text(0);
  }

  void Save() const { std::filesystem::copy(Folder() / "ledger.db", temporary_.path() / "saved.db"); }
  void Restore() const {
    for (const char* name : {"ledger.db", "ledger.db-wal", "ledger.db-shm"}) std::filesystem::remove(Folder() / name);
    std::filesystem::copy(temporary_.path() / "saved.db", Folder() / "ledger.db");
  }
};

TEST_F(TamperingTest, AnUntouchedLedgerHasNoProblems) {
  EXPECT_EQ(Problems(), std::vector<std::string>());
  Tamper("CREATE TABLE t (x); INSERT INTO t VALUES (1); DROP TABLE t");
  EXPECT_EQ(Problems(), std::vector<std::string>());
}

TEST_F(TamperingTest, AChangeToAnyByteOfAnyFieldOfAnyEntryIsFound) {
  Save();
  std::size_t changes = 0;
  for (int seq = 1; seq <= 8; ++seq) {
    for (const char* field : {"release", "time", "body", "previous", "hash"}) {
      const std::string hex = Hex(field, seq);
      const bool is_text = std::string_view(field) == "release" || std::string_view(field) == "time" ||
                           std::string_view(field) == "body";
      // Every byte of the short fields; the long bodies in strides, because every change is a whole check.
      const std::size_t stride = 2 * TestStep(hex.size() > 200 ? 29 : 1);
      for (std::size_t at = 0; at < hex.size(); at += stride) {
        std::string changed = hex;
        changed[at + 1] = changed[at + 1] == '1' ? '3' : '1';
        Tamper(fmt::format("UPDATE entry SET {0} = CAST(x'{1}' AS {2}) WHERE seq = {3}", field, changed,
                           is_text ? "TEXT" : "BLOB", seq));
        EXPECT_FALSE(Problems().empty()) << field << " of entry " << seq << ", byte " << at / 2;
        if (at == 0) {
          EXPECT_EQ(Writer().error().code, ErrorCode::kCorruptLedger) << field << " of entry " << seq;
        }
        Restore();
        ++changes;
      }
    }
    Tamper(fmt::format(
        "UPDATE entry SET kind = CASE kind WHEN 'published' THEN 'abandoned' ELSE 'published' END WHERE seq = {}",
        seq));
    EXPECT_TRUE(IsSaid("was changed: it does not match its hash")) << "kind of entry " << seq;
    Restore();
  }
  EXPECT_EQ(Problems(), std::vector<std::string>());
  EXPECT_GT(changes, TestRounds(700));
}

TEST_F(TamperingTest, RemovedEntriesAreFound) {
  Save();
  for (const char* which : {"seq = 1", "seq = 2", "seq = 4", "seq = 8", "seq >= 7", "seq > 0", "release = 'second'"}) {
    Tamper(fmt::format("PRAGMA foreign_keys = OFF; DELETE FROM entry WHERE {}", which));
    EXPECT_TRUE(IsSaid("missing") || IsSaid("the chain ends with entry")) << which;
    EXPECT_EQ(Writer().error().code, ErrorCode::kCorruptLedger) << which;
    Restore();
  }
}

TEST_F(TamperingTest, AHeadSetBackTogetherWithTheEntriesIsFound) {
  Tamper("DELETE FROM entry WHERE seq > 6; UPDATE head SET count = 6, hash = (SELECT hash FROM entry WHERE seq = 6)");
  EXPECT_FALSE(Problems().empty());
  EXPECT_EQ(Writer().error().code, ErrorCode::kCorruptLedger);
}

TEST_F(TamperingTest, AMissingLastEntryStopsTheNextRelease) {
  Tamper("DELETE FROM entry WHERE seq = 8");
  EXPECT_EQ(Writer().error().code, ErrorCode::kCorruptLedger);
}

TEST_F(TamperingTest, EditsToTheHeadAreFoundAndStopTheNextRelease) {
  Save();
  for (const char* edit : {"UPDATE head SET count = 7", "UPDATE head SET hash = zeroblob(32)",
                           "UPDATE head SET mac = zeroblob(32)", "DELETE FROM head"}) {
    Tamper(edit);
    EXPECT_FALSE(Problems().empty()) << edit;
    EXPECT_EQ(Writer().error().code, ErrorCode::kCorruptLedger) << edit;
    Restore();
  }
}

TEST_F(TamperingTest, ReorderedAndRenumberedEntriesAreFound) {
  Save();
  for (const char* edit :
       {"UPDATE entry SET seq = 100 WHERE seq = 7; UPDATE entry SET seq = 7 WHERE seq = 8; UPDATE entry SET seq = 8 "
        "WHERE "
        "seq = 100",
        "DELETE FROM entry WHERE seq = 7; UPDATE entry SET seq = 7 WHERE seq = 8",
        "INSERT INTO entry SELECT 9, kind, 'forged', time, body, hash, previous FROM entry WHERE seq = 8"}) {
    Tamper(edit);
    EXPECT_FALSE(Problems().empty()) << edit;
    EXPECT_EQ(Writer().error().code, ErrorCode::kCorruptLedger) << edit;
    Restore();
  }
}

TEST_F(TamperingTest, AGenuineEntryOfAnotherHistoryIsFound) {
  // Two histories of one ledger that went apart at a backup: every entry of both carries a true hash.
  Save();
  PublishAll({"taken-out"});
  std::filesystem::copy(Folder() / "ledger.db", temporary_.path() / "other.db");
  Restore();
  PublishAll({"left-over"});
  EXPECT_EQ(Problems(), std::vector<std::string>());
  Tamper(
      fmt::format("ATTACH '{}' AS other; DELETE FROM entry WHERE seq = 9; INSERT INTO entry SELECT * FROM other.entry "
                  "WHERE seq = 9; DETACH other",
                  (temporary_.path() / "other.db").string()));
  EXPECT_TRUE(IsSaid("does not follow the entry before it"));
  EXPECT_EQ(Writer().error().code, ErrorCode::kCorruptLedger);
}

TEST_F(TamperingTest, AGenuineEndOfAnotherHistoryIsFound) {
  Save();
  PublishAll({"taken-out"});
  std::filesystem::copy(Folder() / "ledger.db", temporary_.path() / "other.db");
  Restore();
  PublishAll({"left-over"});
  Tamper(
      fmt::format("ATTACH '{}' AS other; PRAGMA foreign_keys = OFF; DELETE FROM entry WHERE seq > 8; DELETE FROM "
                  "state_file; INSERT INTO entry SELECT * FROM other.entry WHERE seq > 8; INSERT INTO state_file "
                  "SELECT * FROM other.state_file; DETACH other",
                  (temporary_.path() / "other.db").string()));
  EXPECT_TRUE(IsSaid("the end of the chain is not the one on record"));
  EXPECT_EQ(Writer().error().code, ErrorCode::kCorruptLedger);
}

TEST_F(TamperingTest, EditsToTheRecordsOfStateFilesAreFound) {
  Save();
  for (const char* edit :
       {"DELETE FROM state_file WHERE release = 'second'", "UPDATE state_file SET bytes = bytes + 1",
        "UPDATE state_file SET checksum = '0000000000000000'", "UPDATE state_file SET kind = 'tree'",
        "UPDATE state_file SET release = 'third' WHERE release = 'first'", "UPDATE state_file SET entry = 1",
        "UPDATE state_file SET name = 'x' WHERE release = 'first'",
        "INSERT INTO state_file VALUES ('extra', 1, 'first', 'tree', 64, '0000000000000000')"}) {
    Tamper(edit);
    EXPECT_FALSE(Problems().empty()) << edit;
    EXPECT_EQ(Writer().error().code, ErrorCode::kCorruptLedger) << edit;
    Restore();
  }
}

TEST_F(TamperingTest, ChangesToTheTablesAreFound) {
  Save();
  for (const char* edit : {"DROP TRIGGER entry_is_not_deleted", "CREATE TABLE extra (x)", "DROP INDEX entry_by_release",
                           "ALTER TABLE entry ADD COLUMN x TEXT"}) {
    Sql(edit);
    EXPECT_FALSE(Problems().empty()) << edit;
    EXPECT_EQ(Writer().error().code, ErrorCode::kCorruptLedger) << edit;
    Restore();
  }
  Sql("DROP TABLE head");
  EXPECT_FALSE(Problems().empty());
  EXPECT_EQ(Writer().error().code, ErrorCode::kCorruptLedger);
}

TEST_F(TamperingTest, TheTriggersRefuseToChangeAnything) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open((Folder() / "ledger.db").c_str(), &handle), SQLITE_OK);
  for (const char* edit :
       {"UPDATE entry SET body = ''", "DELETE FROM entry", "UPDATE head SET count = 1", "DELETE FROM head",
        "UPDATE state_file SET bytes = 1", "DELETE FROM state_file",
        "REPLACE INTO entry SELECT seq, kind, release, time, '', previous, hash FROM entry WHERE seq = 1",
        "REPLACE INTO state_file SELECT name, entry, release, kind, 1, checksum FROM state_file"}) {
    EXPECT_EQ(sqlite3_exec(handle, edit, nullptr, nullptr, nullptr), SQLITE_CONSTRAINT) << edit;
  }
  sqlite3_close(handle);
  EXPECT_EQ(Problems(), std::vector<std::string>());
}

TEST_F(TamperingTest, DamagedMissingAndExchangedStateFilesAreFound) {
  const std::string whole = ReadAll(StateFile("second"));
  for (std::size_t at = 0; at < whole.size(); at += 13) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    WriteText(StateFile("second"), damaged);
    EXPECT_EQ(Problems().size(), 1u) << "byte " << at;
  }
  WriteText(StateFile("second"), whole.substr(0, whole.size() / 2));
  EXPECT_EQ(Problems().size(), 1u);
  std::filesystem::remove(StateFile("second"));
  EXPECT_EQ(Problems().size(), 1u);
  ASSERT_TRUE(WriteIdentities(Folder() / "state", "second.people", SomePeople(99)).ok());
  EXPECT_EQ(Problems().size(), 1u);
  WriteText(StateFile("second"), whole);
  EXPECT_EQ(Problems(), std::vector<std::string>());
}

TEST_F(TamperingTest, AnOpenEntryThatWasChangedIsNeverActedUpon) {
  {
    auto ledger = Writer();
    const auto entry = Stage(*ledger, "open");
    ASSERT_TRUE(ledger->Open(*entry).ok());
    ASSERT_TRUE(Publish(*ledger, "later").ok());  // So that the changed entry is not the one beside the head.
  }
  std::filesystem::create_directories(Out() / ".victim.partial");
  Tamper(
      "UPDATE entry SET body = replace(replace(body, '/open\"', '/victim\"'), '.open.', '.victim.') WHERE release = "
      "'open'");
  EXPECT_EQ(Writer().error().code, ErrorCode::kCorruptLedger);
  EXPECT_TRUE(std::filesystem::exists(Out() / ".victim.partial"));
}

TEST_F(TamperingTest, ProblemsNeverShowSeedsOrPolicies) {
  Tamper("UPDATE entry SET body = body || ' '");
  for (const std::string& problem : Problems()) {
    EXPECT_EQ(problem.find("secret remark"), std::string::npos);
    EXPECT_EQ(problem.find("seed"), std::string::npos);
  }
}

}  // namespace
}  // namespace pentimento::tampering_test
