// Releases that another tool made: their copies live in the ledger's folder and go where it goes.
#include "ledger/ledger_testing.h"

namespace pentimento::imported_test {
namespace {

class ImportedTest : public LedgerTest {
 protected:
  // Stages a copy and opens its entry.
  Result<OpenRelease> OpenImport(Ledger& ledger, const std::string& release) const {
    const std::filesystem::path final_path = Folder() / "imported" / release;
    const std::string manifest = "{}\n";
    std::filesystem::create_directories(StagingPathFor(final_path));
    WriteText(StagingPathFor(final_path) / kManifestName, manifest);
    OpenEntry entry;
    entry.release = release;
    entry.parameters_json = "[]";
    entry.files = {{std::string(kManifestName), ToHex(HashContent(manifest)), manifest.size()}};
    entry.final_path = final_path;
    entry.imported = true;
    return ledger.Open(entry);
  }
  void MakeVisible(const std::string& release) const {
    const std::filesystem::path path = Folder() / "imported" / release;
    std::filesystem::rename(StagingPathFor(path), path);
  }
  void Import(const std::string& release) const {
    auto ledger = Writer();
    const auto open = OpenImport(*ledger, release);
    ASSERT_TRUE(open.ok()) << open.error().message;
    MakeVisible(release);
    ASSERT_TRUE(ledger->Close(*open).ok());
  }
  std::filesystem::path Moved() const { return temporary_.path() / "moved"; }
};

TEST_F(ImportedTest, AnImportIsKnownAsOne) {
  Import("city");
  PublishAll({"ours"});
  const std::vector<ReleaseRecord> releases = Releases();
  ASSERT_EQ(releases.size(), 2U);
  EXPECT_TRUE(releases[0].imported);
  EXPECT_FALSE(releases[1].imported);
  EXPECT_EQ(Problems(), std::vector<std::string>{});
}

TEST_F(ImportedTest, ACopyIsFoundWhereTheLedgerIs) {
  Import("city");
  PublishAll({"ours"});
  std::filesystem::rename(Folder(), Moved());
  auto ledger = Ledger::OpenForReading(Moved());
  ASSERT_TRUE(ledger.ok()) << ledger.error().message;
  const auto releases = ledger->Releases();
  EXPECT_EQ((*releases)[0].final_path, Moved() / "imported/city");
  EXPECT_EQ((*releases)[1].final_path, Out() / "ours");
  EXPECT_TRUE(ledger->CheckAll()->empty());
}

TEST_F(ImportedTest, AnImportThatWasCutShortIsSettledWhereTheLedgerIs) {
  {
    auto ledger = Writer();
    ASSERT_TRUE(OpenImport(*ledger, "city").ok());
    ASSERT_TRUE(OpenImport(*ledger, "town").ok());
    MakeVisible("town");
  }
  std::filesystem::rename(Folder(), Moved());
  auto ledger = Ledger::OpenForWriting(Moved(), NoonClock);
  ASSERT_TRUE(ledger.ok()) << ledger.error().message;
  const auto releases = ledger->Releases();
  EXPECT_EQ((*releases)[0].state, ReleaseState::kAbandoned);
  EXPECT_EQ((*releases)[1].state, ReleaseState::kPublished);
  EXPECT_FALSE(std::filesystem::exists(Moved() / "imported/.city.partial"));
}

TEST_F(ImportedTest, ACopyThatWasChangedOrLostIsNoticed) {
  Import("city");
  WriteText(Folder() / "imported/city" / kManifestName, "{ }\n");
  ASSERT_EQ(Problems().size(), 1U);
  EXPECT_NE(Problems()[0].find("not the file that was imported"), std::string::npos);
  std::filesystem::remove_all(Folder() / "imported");
  ASSERT_EQ(Problems().size(), 1U);
  EXPECT_NE(Problems()[0].find("missing"), std::string::npos);
}

}  // namespace
}  // namespace pentimento::imported_test
