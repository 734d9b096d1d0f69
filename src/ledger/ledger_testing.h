// For the ledger's tests: a folder that goes away, releases to put on record, and children to kill.
#pragma once

#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/random.h"
#include "base/run.h"
#include "fmt/core.h"
#include "gtest/gtest.h"
#include "ledger/identities.h"
#include "ledger/ledger.h"

namespace pentimento {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "pentimento-test-XXXXXX").string();
    Check(mkdtemp(name.data()) != nullptr, "a temporary folder can be made");
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

inline void WriteText(const std::filesystem::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

inline std::vector<IdentityHash> SomePeople(std::uint64_t count) {
  std::vector<IdentityHash> people;
  for (std::uint64_t i = 0; i < count; ++i) people.push_back({i / 3, i});
  return people;
}

inline std::string NoonClock() { return "2026-03-01T12:00:00Z"; }

// Runs `body` in a child; its exit code, or 128 + the signal that ended it.
inline int RunInChild(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// A ledger beside an output folder, as a user would have them.
class LedgerTest : public ::testing::Test {
 protected:
  LedgerTest() { std::filesystem::create_directory(Out()); }

  std::filesystem::path Folder() const { return temporary_.path() / "ledger"; }
  std::filesystem::path Out() const { return temporary_.path() / "out"; }
  std::filesystem::path StateFile(const std::string& release) const {
    return Folder() / "state" / (release + ".people");
  }

  Result<Ledger> Writer() const { return Ledger::OpenForWriting(Folder(), NoonClock); }
  Result<Ledger> Reader() const { return Ledger::OpenForReading(Folder()); }
  Result<std::optional<Ledger>> Trial() const { return Ledger::OpenForTrying(Folder()); }

  // Writes state file and staging folder; what Open takes.
  Result<OpenEntry> Stage(const Ledger& ledger, const std::string& release) const {
    const std::string manifest = fmt::format("{{\"name\": \"{}\"}}\n", release);
    const std::filesystem::path final_path = Out() / release;
    std::filesystem::create_directories(StagingPathFor(final_path));
    WriteText(StagingPathFor(final_path) / kManifestName, manifest);
    PENTIMENTO_ASSIGN(const StateFileRecord people,
                      WriteIdentities(ledger.state_folder(), fmt::format("{}.people", release), SomePeople(100)));
    return OpenEntry{.release = release,
                     .policy_text = "version = 1 # a secret remark",
                     .guarantee = "k-anonymity, k = 10",
                     .parameters_json = R"({"k":10})",
                     .rows = 100,
                     .seed = SeedFromNumber(7),
                     .files = {{std::string(kManifestName), ToHex(HashContent(manifest)), manifest.size()}},
                     .final_path = final_path,
                     .state_files = {people},
                     .replaces = {}};
  }

  static void MakeVisible(const OpenEntry& entry) {
    std::filesystem::rename(StagingPathFor(entry.final_path), entry.final_path);
  }

  // The whole way, as the engine goes it.
  Status Publish(Ledger& ledger, const std::string& release) const {
    PENTIMENTO_RETURN_IF_ERROR(ledger.RequireNewName(release));
    PENTIMENTO_ASSIGN(const OpenEntry entry, Stage(ledger, release));
    PENTIMENTO_ASSIGN(const OpenRelease open, ledger.Open(entry));
    Failpoint("test-before-rename");
    MakeVisible(entry);
    Failpoint("test-after-rename");
    return ledger.Close(open);
  }

  void PublishAll(const std::vector<std::string>& releases) const {
    auto ledger = Writer();
    ASSERT_TRUE(ledger.ok()) << ledger.error().message;
    for (const std::string& release : releases) {
      const Status published = Publish(*ledger, release);
      ASSERT_TRUE(published.ok()) << published.error().message;
    }
  }

  std::vector<std::string> Problems() const {
    auto reader = Reader();
    if (!reader.ok()) return {reader.error().message};
    auto problems = reader->CheckAll();
    if (!problems.ok()) return {problems.error().message};
    return *problems;
  }

  std::vector<ReleaseRecord> Releases() const {
    auto reader = Reader();
    if (!reader.ok()) return {};
    return reader->Releases().value();
  }

  // Straight into the database, past the ledger.
  void Sql(const std::string& sql) const {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open((Folder() / "ledger.db").c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(handle);
    sqlite3_close(handle);
  }

  // Runs `body` in a child for whom the ledger can be read and not written. The bits do not stop root, so there the
  // child becomes somebody whom they stop.
  int RunWithReadOnlyLedger(const std::function<int()>& body) const {
    const uid_t reader = geteuid() == 0 ? 65534 : geteuid();
    const auto set_owner_and_mode = [&](const std::filesystem::path& path, mode_t mode) {
      Check(chown(path.c_str(), reader, static_cast<gid_t>(-1)) == 0 && chmod(path.c_str(), mode) == 0,
            "the tests own their files");
    };
    chmod(temporary_.path().c_str(), 0755);
    for (const auto& file : std::filesystem::recursive_directory_iterator(Folder())) {
      set_owner_and_mode(file.path(), file.is_directory() ? 0500 : 0400);
    }
    set_owner_and_mode(Folder(), 0500);
    const int code = RunInChild([&] { return geteuid() == 0 && setuid(reader) != 0 ? 99 : body(); });
    chmod(Folder().c_str(), 0700);
    return code;
  }

  const TemporaryFolder temporary_;
};

}  // namespace pentimento
